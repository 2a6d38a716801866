import { posix } from 'node:path';
import type { Word } from '../../contract/analysis.js';
import type { Parsed } from '../specs/evaluate.js';
import { hostOf } from '../specs/hosts.js';
import { isKnown, leadOf } from '../specs/paths.js';
import type { PathOptions } from '../specs/reading-builder.js';
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
  if (parsed.has('-d', '-W')) into.read({ text: '.' }, { tree: true });
  if (parsed.has('-t', '-x', '-d')) return;
  for (const operand of parsed.operands) {
    into.read(operand, { tree: true, follows: parsed.has('-h') && 'all' });
    if (parsed.has('--remove-files')) into.write(operand, { tree: true });
  }
}

/** Members go below the directories of `-C`, each relative to the one before, or here. */
function extractInto({ into, invocation, values, has }: Parsed): void {
  const how: PathOptions = { tree: true, detail: 'extracted', follows: has('--keep-directory-symlink') && 'all' };
  const directories = values('-C');
  if (directories.length === 0) into.write({ text: '.' }, how);
  into.directories = invocation.cwd;
  for (const top of values('--one-top-level')) into.write(top, how);
  for (const directory of directories) {
    into.write(directory, how);
    into.enter(directory, 'also');
  }
}

/** unzip: below `-d`, or here. The archive may be a pattern, or a name without its end. */
export function unzip(parsed: Parsed): void {
  const [first] = parsed.operands;
  // In front of the archive -x takes nothing, so what stands behind it may be the archive.
  const archives = [...(first ? [first] : []), ...parsed.values('-x')];
  if (archives.length === 0) return;
  for (const archive of archives) readArchive(parsed, archive);
  if (parsed.has('-l', '-t', '-v', '-p', '-Z', '-z') && !parsed.has('-d')) return;
  for (const directory of parsed.values('-d').length > 0 ? parsed.values('-d') : [{ text: '.' }])
    parsed.into.make(directory, { tree: true, detail: 'extracted', follows: 'all' });
}

function readArchive({ into }: Parsed, archive: Word): void {
  into.read(archive);
  if (!isKnown(archive)) return;
  const at = archive.text.search(/[*?[]/);
  if (at >= 0) into.read({ opaque: 'glob', lead: archive.text.slice(0, at) });
  for (const end of ['.zip', '.ZIP']) into.read({ text: archive.text + end });
}

/** In front of the archive, the list of -x or -i may be of any length. */
function listComesFirst({ invocation: { argv }, operands }: Parsed): boolean {
  const list = argv.findIndex((word, at) => at > 0 && /^(-[a-zA-Z]*[xi]|--(ex|inc))/.test(leadOf(word)));
  return list >= 0 && operands[0] !== undefined && list < argv.indexOf(operands[0]);
}

/** zip: an archive's name without an end gets one; links are followed unless it is told to keep them. */
export function zip(parsed: Parsed): void {
  const { into, operands, values, has } = parsed;
  const [archive, ...files] = operands;
  const named = listComesFirst(parsed) ? operands : operands.slice(0, 1);
  for (const one of named.slice(1)) into.write(one);
  const archives = [...named, ...values('-O', '--out')];
  for (const one of archives) {
    if (!isKnown(one) || posix.basename(one.text).includes('.') || one.text === '-') continue;
    into.read({ text: `${one.text}.zip` });
    into.write({ text: `${one.text}.zip` });
  }
  for (const log of values('-lf'))
    if (isKnown(log) && !posix.basename(log.text).includes('.')) into.write({ text: `${log.text}.log` });
  // The pieces of a split archive have numbers for their ends.
  if (has('-s', '-sp')) for (const one of archives) into.write({ opaque: 'glob', lead: leadOf(one) }, { detail: 'pieces' });
  const tree: PathOptions = { tree: true, follows: !has('-y') && has('-r') && 'all' };
  // What is renewed stands in the archive.
  if (has('-R') || (files.length === 0 && archive)) into.read({ text: '.' }, tree);
  for (const file of files) {
    into.read(file, tree);
    if (has('-m')) into.write(file, { tree: true });
  }
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
  const looks = parsed.has(...LOOKS) && !parsed.has(...acts);
  const looksOnly =
    into.program === 'zcat' ||
    ((looks || parsed.has('-c', '--stdout', '--to-stdout')) && !parsed.has('--rm')) ||
    parsed.operands.length === 0;
  for (const operand of parsed.operands) {
    if (leadOf(operand) === '-') continue;
    const tree = parsed.has('-r');
    into.read(operand, { tree, follows: tree && 'all' });
    const results = resultsOf(operand, parsed);
    if (unpacks(parsed)) for (const result of results) into.read(result);
    if (looksOnly) continue;
    into.write(operand, { tree });
    for (const result of results) into.write(result);
  }
}

const LOOKS = ['-t', '--test', '-l', '--list'];
const unpacks = ({ has, into }: Parsed): boolean => has('-d', ...LOOKS) || /^(gun|bun|un|zcat)/.test(into.program);

/** Other formats that xz and zstd write, by the word for them. */
const FORMAT_SUFFIX: Readonly<Record<string, string>> = { gzip: '.gz', xz: '.xz', lzma: '.lzma', lz4: '.lz4', zstd: '.zst' };

/** Names beside a file that it may be replaced by, or that are meant by it. */
function resultsOf(file: Word, parsed: Parsed): Word[] {
  if (!isKnown(file)) return [file];
  const given = parsed.values('-S').at(-1);
  if (given && !isKnown(given)) return [{ opaque: given.opaque, lead: file.text }];
  const suffix = given?.text ?? SUFFIX[parsed.into.program];
  const packed = unpacks(parsed) && !parsed.has('-z', '--compress') ? [] : [suffix ?? '', ...formatsOf(parsed)];
  const unpacked = unpacks(parsed) ? unpackedNames(file.text, suffix ?? '') : [];
  return [...new Set([...packed.map(end => file.text + end), ...unpacked])].map(text => ({ text }));
}

/** What a packed name becomes; for one that does not look packed, the names that are tried instead. */
function unpackedNames(text: string, suffix: string): string[] {
  const bare = suffix !== '' && text.endsWith(suffix) ? text.slice(0, -suffix.length) : text;
  const unpacked = bare === text ? text.replace(PACKED_TAR, '.tar').replace(PACKED, '') : bare;
  return unpacked === text ? [`${text}.out`, ...[...TRIED, suffix].map(tried => text + tried)] : [unpacked];
}

const formatsOf = ({ values }: Parsed): string[] => values('-F', '--format').flatMap(word => FORMAT_SUFFIX[leadOf(word)] ?? []);

/** ar: behind the operation stand the member that -a, -b and -i name and the count of -N, then the archive. */
export function ar(parsed: Parsed): void {
  responseFile(parsed);
  const before = Number(parsed.has('-a', '-b', '-i')) + Number(parsed.has('-N'));
  const [archive, ...members] = parsed.operands.slice(before);
  if (!archive) return;
  const { into } = parsed;
  into.read(archive);
  if (parsed.has('-x')) into.write({ text: '.' }, { tree: true, detail: 'extracted' });
  // With -s even a look at it renews its index.
  if (!parsed.has('-x', '-t', '-p') || parsed.has('-s')) into.write(archive);
  for (const member of members) into.read(member);
}
