import type { Parsed } from '../specs/evaluate.js';
import { readOptions } from '../specs/options.js';
import { isKnown, leadOf } from '../specs/paths.js';
import { cutAssignments } from './env.js';

/** sudo: assignments, then a command. */
export function assignedCommand(parsed: Parsed): void {
  const { into } = parsed;
  if (parsed.has('-e', '--edit') || into.program === 'sudoedit') {
    for (const file of parsed.operands) into.write(file, { detail: 'edited' });
    return;
  }
  const { variables, command } = cutAssignments(parsed.operands);
  if (command.length === 0) {
    if (parsed.has('-s', '-i')) into.start({ argv: [{ text: 'sh' }], via: into.program, unknownArguments: false });
    return;
  }
  into.start({
    argv: command,
    via: into.program,
    unknownArguments: false,
    ...(variables.size > 0 && { env: variables }),
    ...(parsed.has('-D') && { cwd: into.directories }),
  });
}

/** su and runuser: options may follow the user's name; runuser -u takes a command. */
export function switchUser(parsed: Parsed): void {
  const { into, table } = parsed;
  if (into.program === 'runuser' && parsed.has('-u', '--user')) {
    if (parsed.operands.length > 0) into.start({ argv: parsed.operands, via: 'runuser', unknownArguments: false });
    return;
  }
  // `su - user -c SCRIPT`: options go on behind the user's name.
  const behindUser = readOptions({ ...table, stops: false }, parsed.operands, parsed.into.program);
  const named = behindUser.operands.filter(word => leadOf(word) !== '-').slice(1);
  const scripts = behindUser.options.filter(given => given.rule.names.includes('-c')).flatMap(given => given.values);
  for (const script of scripts) into.start({ script, shell: 'sh', via: `${into.program} -c` });
  for (const doubt of behindUser.doubts) into.ask(doubt.code, doubt.text);
  const described = scripts.length + parsed.values('-c').length;
  if (described === 0) {
    into.ask('user-shell', `${into.program}: a shell of another user`);
    into.start({ argv: [{ text: 'sh' }], via: into.program, unknownArguments: false });
  }
  if (behindUser.unlisted.length > 0 || named.length > 0 || parsed.operands.some(word => !isKnown(word)))
    into.ask('user-shell', `${into.program}: arguments for a shell of another user`);
}
