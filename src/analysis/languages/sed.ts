import { posix } from 'node:path';
import type { Word } from '../../contract/analysis.js';
import type { Parsed } from '../specs/evaluate.js';
import { isKnown, leadOf } from '../specs/paths.js';
import { readSedScript, SedError, type SedScript } from './sed-script.js';

/** sed: its scripts can read, write and run; `-i` writes its operands. */
export function sed(parsed: Parsed): void {
  const { into } = parsed;
  const given = parsed.has('-e', '-f');
  let operands = parsed.operands;
  // BSD: `-i ''` has its suffix in a word of its own.
  if (parsed.has('-i') && !given && operands[0] && leadOf(operands[0]) === '' && isKnown(operands[0]))
    operands = operands.slice(1);
  const scripts = given ? parsed.values('-e') : operands.slice(0, 1);
  for (const file of parsed.values('-f')) {
    into.effect('code', 'sed runs a script file', file);
    const { stdin } = parsed.invocation;
    if (/^(-|\/dev\/stdin)$/.test(leadOf(file)) && stdin.kind === 'here' && stdin.text) readScripts(parsed, [stdin.text]);
    else if (isKnown(file)) into.rely(file.text);
  }
  readScripts(parsed, scripts);
  for (const file of given ? operands : operands.slice(1)) {
    if (leadOf(file) === '-') continue;
    into.read(file);
    if (parsed.has('-i')) {
      into.write(file, { detail: '-i' });
      for (const suffix of parsed.values('-i'))
        for (const backup of backupsOf(file, suffix)) into.write(backup, { detail: '-i' });
    }
  }
}

/**
 * `*` in the suffix stands for the name: all of it as it is given, as sed does it, or its last part, as its manual says. A
 * slash puts the copy into another directory.
 */
function backupsOf(file: Word, suffix: Word): Word[] {
  if (!isKnown(file) || !isKnown(suffix)) return [{ opaque: 'variable', lead: '' }];
  if (!suffix.text.includes('*')) return [{ text: file.text + suffix.text }];
  const copy = suffix.text.replaceAll('*', posix.basename(file.text));
  const whole = suffix.text.replaceAll('*', file.text);
  return [whole, copy.includes('/') ? copy : posix.join(posix.dirname(file.text), copy)].map(text => ({ text }));
}

function readScripts({ into }: Parsed, scripts: readonly Word[]): void {
  if (scripts.length === 0) return;
  const unknownScript = scripts.find(script => !isKnown(script));
  if (unknownScript) {
    into.ask('opaque-script', 'sed: its script is not known');
    return;
  }
  let script: SedScript;
  try {
    script = readSedScript(scripts.map(leadOf).join('\n'));
  } catch (error) {
    if (!(error instanceof SedError)) throw error;
    into.ask('unreadable-script', `sed: its script is not certain: ${error.message}`);
    return;
  }
  for (const file of script.reads) into.read({ text: file }, { detail: 'r' });
  for (const file of script.writes) into.write({ text: file }, { detail: 'w' });
  for (const command of script.runs) into.start({ script: { text: command }, shell: 'sh', via: 'sed e' });
  if (script.runsInput) into.effect('code', 'sed runs the text it edits');
}
