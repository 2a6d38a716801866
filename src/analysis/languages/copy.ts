import { posix } from 'node:path';
import type { Word } from '../../contract/analysis.js';
import type { Parsed } from '../specs/evaluate.js';
import { mayBecomeSeveral } from '../specs/options.js';
import { isKnown, leadOf } from '../specs/paths.js';
import { markRoots } from './remove.js';

interface Plan {
  readonly sources: readonly Word[];
  readonly target: Word | undefined;
  /** The target is a directory for certain. */
  readonly directory: boolean;
}

/** `SOURCE… TARGET`, or sources into the directory of `-t`. */
function planOf(parsed: Parsed): Plan {
  const [into] = parsed.values('-t', '--target-directory');
  const several = parsed.operands.slice(-1).some(mayBecomeSeveral);
  if (into) return { sources: parsed.operands, target: into, directory: true };
  const target = parsed.operands.length > 1 || several ? parsed.operands.at(-1) : undefined;
  return {
    // Of a target that becomes several words, all but the last are sources.
    sources: target && !several ? parsed.operands.slice(0, -1) : parsed.operands,
    target,
    directory: parsed.operands.length > 2,
  };
}

/** A file goes to the target, or below it where that is a directory. */
function targetsOf(
  { target, directory, sources }: Plan,
  how: { readonly below?: boolean; readonly exact?: boolean } = {},
): { readonly word: Word; readonly source?: Word }[] {
  if (!target) return [];
  return [
    ...(!directory || how.below ? [{ word: target }] : []),
    ...(how.exact ? [] : sources.map(source => ({ word: inside(target, source), source }))),
  ];
}

/** All that the target may be is written. */
function writeTarget(parsed: Parsed, plan: Plan, tree: boolean): void {
  const { into } = parsed;
  // `--parents` makes the source's own folders again below the target.
  const below = tree || parsed.has('--parents');
  const written = targetsOf(plan, { below, exact: parsed.has('-T') });
  for (const { word, source } of written)
    into.write(word, { tree: below, follows: below && 'entries', ...(source && { named: source }) });
  if (parsed.has('--parents') && plan.target) for (const source of plan.sources) into.make(joined(plan.target, source), { tree });
  writeBackups(
    parsed,
    written.map(({ word }) => word),
  );
}

/** With `-b` what was there is kept beside it, under a name that the caller may choose the end of. */
function writeBackups(parsed: Parsed, replaced: readonly Word[]): void {
  const { into } = parsed;
  if (!parsed.has('-b', '--backup', '-S', '--suffix')) return;
  const suffix = parsed.values('-S', '--suffix').at(-1) ?? { text: '~' };
  for (const word of replaced) {
    if (!isKnown(word)) continue;
    const { text } = word;
    into.write(isKnown(suffix) ? { text: text + suffix.text } : { opaque: suffix.opaque, lead: text }, { detail: 'backup' });
    into.write({ text: `${text}.~1~` }, { detail: 'backup' });
  }
}

/** split and csplit: names that begin with the prefix. */
export function pieces(parsed: Parsed): void {
  const { into, operands, values } = parsed;
  const prefixes = [...values('-f', '--prefix'), ...(into.program === 'csplit' ? [] : operands.slice(1))];
  for (const prefix of prefixes)
    into.write(isKnown(prefix) ? { opaque: 'glob', lead: prefix.text } : prefix, { detail: 'pieces' });
  if (prefixes.length === 0) into.write({ text: '.' }, { tree: true, detail: 'pieces' });
}

function inside(directory: Word, source: Word): Word {
  if (!isKnown(directory)) return isKnown(source) ? behind(directory, source.text) : directory;
  const base = directory.text.replace(/(?<!\/)\/+$/, '') || '';
  if (!isKnown(source)) return { opaque: source.opaque === 'glob' ? 'glob' : source.opaque, lead: `${base}/` };
  return { text: `${base}/${posix.basename(source.text)}` };
}

/** `dir/*` and `f`: `dir/*` + `/f`, which need not be there. */
function behind(directory: Extract<Word, { opaque: string }>, source: string): Word {
  if (directory.pattern === undefined) return directory;
  return { ...directory, pattern: `${directory.pattern.replace(/(?<!\/)\/+$/, '')}/${posix.basename(source)}`, composed: true };
}

/** cp: sources are read. */
export function copy(parsed: Parsed): void {
  const plan = planOf(parsed);
  const tree = parsed.has('-R', '-a');
  const follows = tree && parsed.has('-L') && 'all';
  for (const source of plan.sources) parsed.into.read(source, { tree, follows });
  writeTarget(parsed, plan, tree);
}

/** mv: sources are gone afterwards. */
export function move(parsed: Parsed): void {
  const plan = planOf(parsed);
  for (const source of plan.sources) {
    parsed.into.read(source);
    parsed.into.write(source, { detail: 'moved away' });
  }
  writeTarget(parsed, plan, false);
}

/** ln: the link is written; what it points to can be read and written through it. */
export function link(parsed: Parsed): void {
  const plan = planOf(parsed);
  for (const source of plan.sources) {
    const from =
      parsed.has('-s') && isKnown(source) && plan.target && isKnown(plan.target) && !plan.directory
        ? seenFrom(plan.target.text, source.text)
        : undefined;
    parsed.into.read(from ? { text: from } : source, { detail: 'linked' });
    if (!plan.target) parsed.into.write(inside({ text: '.' }, source));
  }
  writeTarget(parsed, plan, false);
}

/** A relative symbolic link is resolved from where it stands. */
const seenFrom = (target: string, source: string): string =>
  source.startsWith('/') ? source : posix.join(posix.dirname(target), source);

/** mktemp: a new name like its template, in the directory for such files where it is told so or nothing. */
export function temporary({ into, operands, options, values, has }: Parsed): void {
  const [template] = operands;
  const [suffix = { text: '' }] = values('--suffix');
  const given = [...values('-p'), ...values('--tmpdir')].at(-1);
  const inScratch = template === undefined || given !== undefined || has('-t', '--tmpdir', '-p');
  if (template === undefined && given === undefined) into.write({ text: '/tmp' }, { tree: true });
  else {
    const name = template ?? { text: 'tmp.XXXXXXXXXX' };
    const end = isKnown(suffix) ? suffix.text : '';
    const full = isKnown(name) && isKnown(suffix) ? { text: name.text + end } : { opaque: 'template', lead: leadOf(name) };
    if (inScratch && given === undefined && /(^|\/)\.\.(\/|$)/.test(leadOf(name)))
      into.ask('template-place', 'mktemp: its template leads out of the directory for such files');
    // The session's own place for such files: -t takes it before the one that is given.
    const usual = given === undefined || has('-t') || options.some(({ name, values: [place] }) => name === '--tmpdir' && !place);
    const places = [...values('-p'), ...values('--tmpdir'), ...(usual ? [{ text: '/tmp' }] : [])];
    for (const word of inScratch ? places.map(place => joined(place, full)) : [full]) into.write(word);
  }
}

/** A name below a directory, as far as both are known. */
function joined(directory: Word, name: Word): Word {
  if (!isKnown(directory)) return directory;
  const base = directory.text.replace(/(?<!\/)\/+$/, '');
  return isKnown(name) ? { text: `${base}/${name.text}` } : { opaque: name.opaque, lead: `${base}/${name.lead}` };
}

/** install: like cp, or with -d directories to make. */
export function install(parsed: Parsed): void {
  for (const mode of parsed.values('-m')) noteSetId(parsed.into, leadOf(mode));
  if (parsed.has('-d')) {
    for (const operand of parsed.operands) parsed.into.make(operand);
    return;
  }
  copy(parsed);
  if (parsed.has('-D')) for (const { word } of targetsOf(planOf(parsed))) parsed.into.make(word);
}

/** mkdir: with -p the folders on the way as well. */
export function folders({ into, operands, has }: Parsed): void {
  for (const operand of operands) {
    if (has('-p')) into.make(operand);
    else into.write(operand);
  }
}

/** `-w` and its kin are modes, and the first operand is one unless a reference is given. */
export function permissions(parsed: Parsed): void {
  const { into } = parsed;
  const symbolic = parsed.invocation.argv.slice(1).some(word => /^-[rwxXst]/.test(leadOf(word)));
  const from = parsed.has('--reference') || symbolic ? 0 : 1;
  const tree = parsed.has('-R');
  const operands = parsed.operands.slice(from);
  const mode = from === 1 && parsed.operands[0] ? leadOf(parsed.operands[0]) : '';
  if (into.program === 'chmod') noteSetId(into, mode);
  for (const operand of operands) into.write(operand, { tree, follows: tree && parsed.has('-L') && 'all' });
  if (tree) markRoots(into, operands);
}

/** `u+s`, `4755`: whoever runs it does so as its owner. */
function noteSetId(into: Parsed['into'], mode: string): void {
  if (/(^|,)[ugoa]*[+=][rwxXt]*s|^0*[2-7]\d{3}$/.test(mode))
    into.effect('privilege', 'lets others run it with the rights of its owner');
}

/** rename has a Perl expression or two plain texts as its first operands. */
export function rename(parsed: Parsed): void {
  const [first] = parsed.operands;
  parsed.into.write({ text: '.' }, { tree: true });
  for (const operand of parsed.operands.slice(1)) parsed.into.write(operand);
  if (!first || !isKnown(first) || /[^\w .-]/.test(first.text))
    parsed.into.effect('code', 'rename runs a Perl expression', first);
}
