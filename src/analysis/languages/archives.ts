import type { Word } from '../../contract/analysis.js';
import type { Parsed } from '../specs/evaluate.js';
import { hostOf } from '../specs/hosts.js';
import { isKnown, leadOf } from '../specs/paths.js';
import { responseFile } from './filters.js';

/** tar: members are read into an archive or written out of one; checkpoint actions and remote archives. */
export function tar(parsed: Parsed): void {
  const { into } = parsed;
  for (const action of parsed.values('--checkpoint-action')) {
    const lead = leadOf(action);
    const exec = /^exec=(.*)$/s.exec(lead);
    if (exec)
      into.start({
        script: isKnown(action) ? { text: exec[1]! } : { opaque: action.opaque, lead: exec[1]! },
        shell: 'sh',
        via: 'tar --checkpoint-action',
      });
    else if (!isKnown(action) || !/^(dot|\.|echo|bell|sleep=\d+|totals|ttyout|wait)\b/.test(lead))
      into.ask('checkpoint-action', `tar --checkpoint-action: "${lead}" is not described`);
  }
  for (const archive of parsed.values('-f')) {
    if (/^[^/]+:/.test(leadOf(archive)) && !parsed.has('--force-local'))
      into.network(hostOf(archive), 'archive on another machine');
  }
  if (parsed.has('-x') && !parsed.has('-O')) {
    extractInto(parsed);
    return;
  }
  if (parsed.has('-t', '-x', '-d')) return;
  for (const operand of parsed.operands) {
    into.read(operand, { tree: true });
    if (parsed.has('--remove-files')) into.write(operand, { tree: true });
  }
}

/** Members go below the directories of `-C`, each relative to the one before, or here. */
function extractInto({ into, invocation, values }: Parsed): void {
  const directories = values('-C');
  if (directories.length === 0) into.write({ text: '.' }, { tree: true, detail: 'extracted' });
  into.directories = invocation.cwd;
  for (const top of values('--one-top-level')) into.write(top, { tree: true, detail: 'extracted' });
  for (const directory of directories) {
    into.write(directory, { tree: true, detail: 'extracted' });
    into.enter(directory, 'also');
  }
}

/** unzip: below `-d`, or here. */
export function unzip(parsed: Parsed): void {
  if (parsed.has('-l', '-t', '-v', '-p', '-Z', '-z') && !parsed.has('-d')) return;
  if (parsed.operands.length === 0) return;
  for (const directory of parsed.values('-d').length > 0 ? parsed.values('-d') : [{ text: '.' }])
    parsed.into.write(directory, { tree: true, detail: 'extracted' });
}

const SUFFIX: Readonly<Record<string, string>> = { gzip: '.gz', bzip2: '.bz2', xz: '.xz', zstd: '.zst' };
/** What a packed name becomes, and the names that are tried for one that looks unpacked. */
const PACKED = /\.(gz|z|Z|bz2?|xz|lzma|lz|zst|zstd)$|[-_](gz|z)$/;
const PACKED_TAR = /\.(tgz|taz|tbz2?|txz|tlz|tzst)$/;
const TRIED = ['.gz', '.z', '.Z', '-gz', '-z', '.tgz'];

/** gzip and its kin replace a file by another one next to it. */
export function compress(parsed: Parsed): void {
  const { into } = parsed;
  // All but gzip do what the last of them says.
  const acts = into.program.includes('gz') ? [] : ['-z', '--compress', '-d'];
  const looks = parsed.has('-t', '--test', '-l', '--list') && !parsed.has(...acts);
  const looksOnly =
    ((looks || parsed.has('-c', '--stdout', '--to-stdout')) && !parsed.has('--rm')) || parsed.operands.length === 0;
  for (const operand of parsed.operands) {
    if (leadOf(operand) === '-') continue;
    const tree = parsed.has('-r');
    into.read(operand, { tree });
    if (looksOnly) continue;
    into.write(operand, { tree });
    for (const result of resultsOf(operand, parsed)) into.write(result);
  }
}

/** Names beside a file that it may be replaced by, or that are meant by it. */
function resultsOf(file: Word, parsed: Parsed): Word[] {
  if (!isKnown(file)) return [file];
  const given = parsed.values('-S').at(-1);
  if (given && !isKnown(given)) return [{ opaque: given.opaque, lead: file.text }];
  const suffix = given?.text ?? SUFFIX[parsed.into.program];
  if (!parsed.has('-d') && !/^(gun|bun|un)/.test(parsed.into.program)) return [{ text: file.text + (suffix ?? '') }];
  const { text } = file;
  const bare = suffix !== undefined && suffix !== '' && text.endsWith(suffix) ? text.slice(0, -suffix.length) : text;
  const unpacked = bare === text ? text.replace(PACKED_TAR, '.tar').replace(PACKED, '') : bare;
  const found = unpacked === text ? [`${text}.out`, ...[...TRIED, suffix ?? ''].map(tried => text + tried)] : [unpacked];
  return [...new Set(found)].map(name => ({ text: name }));
}

/** ar: the first operand behind the operation is the archive. */
export function ar(parsed: Parsed): void {
  responseFile(parsed);
  const [archive, ...members] = parsed.operands;
  if (!archive) return;
  const { into } = parsed;
  into.read(archive);
  if (parsed.has('-x')) into.write({ text: '.' }, { tree: true, detail: 'extracted' });
  else if (!parsed.has('-t', '-p')) into.write(archive);
  for (const member of members) into.read(member);
}
