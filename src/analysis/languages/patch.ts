import { posix } from 'node:path';
import type { Word } from '../../contract/analysis.js';
import type { Parsed } from '../specs/evaluate.js';
import { isKnown, leadOf } from '../specs/paths.js';

/** patch: what it changes is kept and what it refuses is put beside it; an ed script could run commands in old versions. */
export function patch(parsed: Parsed): void {
  const { into, invocation } = parsed;
  if (parsed.has('-e')) into.ask('ed-script', 'patch -e: an ed script can run programs');
  const { stdin } = invocation;
  if (
    stdin.kind === 'here' &&
    stdin.text &&
    isKnown(stdin.text) &&
    /^(---|\+\+\+|\*\*\*) .*(\.\.\/|^... \/)/m.test(stdin.text.text)
  )
    into.ask('patch-paths', 'patch: it names files outside of its directory');
  if (parsed.has('--dry-run')) return;
  for (const target of [...parsed.values('-o'), ...parsed.operands.slice(0, 1)]) {
    if (!isKnown(target) || target.text === '-') continue;
    if (!parsed.has('-r')) into.write({ text: `${target.text}.rej` }, { detail: 'refused' });
    into.write({ text: `${target.text}.~1~` }, { detail: 'backup' });
    for (const backup of backupsOf(target.text, parsed)) into.make(backup, { detail: 'backup' });
  }
  // Which files a patch changes stands in the patch.
  for (const prefix of parsed.values('-B', '-Y')) into.write({ opaque: 'glob', lead: leadOf(prefix) }, { detail: 'backup' });
}

/** Names that the caller may choose both ends of; an end that is not given is tried as well. */
function backupsOf(file: string, { values }: Parsed): Word[] {
  const unknown = values('-B', '-Y', '-z').find(word => !isKnown(word));
  if (unknown) return [unknown];
  const last = (name: string) => leadOf(values(name).at(-1) ?? { text: '' });
  const name = last('-B') + posix.join(posix.dirname(file), last('-Y') + posix.basename(file));
  return [...new Set([name + last('-z'), `${name}.orig`, file + (last('-z') || '.orig')])].map(text => ({ text }));
}
