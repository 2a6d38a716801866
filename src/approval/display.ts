import { domainToUnicode } from 'node:url';
import type { Display } from '../contract/question.js';
import { imitatesAscii, imitationsCount } from './look-alikes.js';

type Kind = 'control' | 'hidden' | 'blank' | 'look-alike' | 'mark' | 'padding';
type Report = (kind: Kind, shown: string, at: number) => void;

const NAMES: Readonly<Record<Kind, readonly [one: string, many: string]>> = {
  control: ['control character', 'control characters'],
  hidden: ['hidden character', 'hidden characters'],
  blank: ['blank that is no space', 'blanks that are no spaces'],
  'look-alike': ['look-alike character', 'look-alike characters'],
  mark: ['stray accent', 'stray accents'],
  padding: ['stretch of padding', 'stretches of padding'],
};

const PIECES = /[ \n]+|[^ \n]+/g;
/** Longer stretches push what follows out of sight. */
const LONGEST_SPACES = 24;
const MOST_LINE_FEEDS = 4;
const PLAIN_WORD = /^[!-~]*$/;
const ORDINARY = /^[\n -~]*$/;
const STRETCH = new RegExp(`[ \\n]{${MOST_LINE_FEEDS + 1}}`);

/**
 * The form of a text that a person may trust: whatever is invisible, moves what stands beside it, or passes for
 * something else is shown as `<U+202E>`. Line feeds stay; nothing else that a terminal would act on does.
 */
export function displayForm(text: string): Display {
  // Nothing below would change such a text; a long one has a million pieces to look at.
  if (ORDINARY.test(text) && !STRETCH.test(text)) return { text, warnings: disguisedHosts(text) };
  const found = new Map<Kind, { count: number; places: string[] }>();
  const report: Report = (kind, shown, at) => {
    const entry = found.get(kind) ?? { count: 0, places: [] };
    entry.count += 1;
    if (entry.places.length < 3) entry.places.push(`${shown} at ${at}`);
    found.set(kind, entry);
  };
  const shown = text.replace(PIECES, (piece, at: number) => {
    if (PLAIN_WORD.test(piece)) return piece;
    return /^[ \n]/.test(piece) ? showBlanks(piece, at, report) : showWord(piece, at, report);
  });
  const warnings = [...found].map(([kind, { count, places }]) => {
    const more = count > places.length ? ` and ${count - places.length} more` : '';
    return `${count} ${NAMES[kind][count === 1 ? 0 : 1]}: ${places.join(', ')}${more}`;
  });
  return { text: shown, warnings: [...warnings, ...disguisedHosts(text)] };
}

/** The display form as one line: a line feed is shown as `⏎`. */
export function oneLine(text: string): string {
  return displayForm(text).text.replaceAll('\n', '⏎');
}

function showBlanks(run: string, at: number, report: Report): string {
  if (run.length <= MOST_LINE_FEEDS) return run;
  const first = run.indexOf('\n');
  const feeds = run.split('\n').length - 1;
  if (feeds <= MOST_LINE_FEEDS) return run.replace(/ +/g, (spaces, offset: number) => showSpaces(spaces, at + offset, report));
  const last = run.lastIndexOf('\n') + 1;
  const shown = `<U+000A x${feeds}>`;
  report('padding', shown, at + first);
  return `${showSpaces(run.slice(0, first), at, report)}${shown}\n${showSpaces(run.slice(last), at + last, report)}`;
}

function showSpaces(spaces: string, at: number, report: Report): string {
  if (spaces.length <= LONGEST_SPACES) return spaces;
  const shown = `<U+0020 x${spaces.length}>`;
  report('padding', shown, at);
  return shown;
}

function showWord(word: string, start: number, report: Report): string {
  // What is hidden is no letter either: it must not make look-alikes pass for another script's writing.
  const counts = imitationsCount(word, character => {
    const nature = natureOf(character);
    return nature.imitates || nature.kind !== undefined;
  });
  const shown: string[] = [];
  let kept = 0;
  let accents = Number.POSITIVE_INFINITY; // on what stands before; none belongs at the start of a word
  for (let at = 0, size = 1; at < word.length; at += size) {
    const code = word.codePointAt(at)!;
    size = code > 0xffff ? 2 : 1;
    const nature = natureOfCode(code);
    const isStray = nature.isAccent && (accents >= 2 || nature.strikes);
    const kind = isStray ? 'mark' : (nature.kind ?? (counts && nature.imitates ? 'look-alike' : undefined));
    if (kind) {
      report(kind, nature.codePoint, start + at);
      shown.push(word.slice(kept, at), nature.codePoint);
      kept = at + size;
    }
    accents = nature.isAccent ? accents + 1 : nature.isLetter ? 0 : Number.POSITIVE_INFINITY;
  }
  return kept === 0 ? word : shown.join('') + word.slice(kept);
}

interface Nature {
  /** `<U+202E>`. */
  readonly codePoint: string;
  readonly kind: Kind | undefined;
  readonly isLetter: boolean;
  readonly isAccent: boolean;
  /** It crosses out or encloses what it stands on. */
  readonly strikes: boolean;
  readonly imitates: boolean;
}

/** A text of four million characters has few different ones. */
const natures = new Map<number, Nature>();
const MOST_NATURES = 10_000;
/** Padding is the same character again and again. */
let latest: { readonly code: number; readonly nature: Nature } | undefined;

const natureOf = (character: string): Nature => natureOfCode(character.codePointAt(0)!);

function natureOfCode(code: number): Nature {
  if (latest?.code === code) return latest.nature;
  const nature = natures.get(code) ?? describeCharacter(code);
  latest = { code, nature };
  return nature;
}

function describeCharacter(code: number): Nature {
  const character = String.fromCodePoint(code);
  const nature = {
    codePoint: codePoint(character),
    kind: hiddenKind(character),
    isLetter: /^\p{L}$/u.test(character),
    isAccent: /^\p{M}$/u.test(character),
    strikes: /^[\u0334-\u0338\u20d0-\u20ff]$/.test(character),
    imitates: imitatesAscii(character),
  };
  if (natures.size >= MOST_NATURES) natures.clear();
  natures.set(code, nature);
  return nature;
}

function hiddenKind(character: string): Kind | undefined {
  if (/^[ -~]$/.test(character)) return undefined;
  if (/^\p{Cc}$/u.test(character)) return 'control';
  if (/^[\p{C}\p{Default_Ignorable_Code_Point}]$/u.test(character)) return 'hidden';
  return /^[\p{Z}\u2800]$/u.test(character) ? 'blank' : undefined;
}

/** Would a terminal show nothing for it, or act on it? */
export function isHidden(character: string): boolean {
  return natureOf(character).kind !== undefined;
}

/** A host name in punycode is shown with the letters it stands for. */
function disguisedHosts(text: string): string[] {
  if (!/xn--/i.test(text)) return [];
  const names = new Set((text.match(/[a-z0-9.-]+/gi) ?? []).filter(name => name.length < 254 && /(?:^|\.)xn--/i.test(name)));
  return [...names].slice(0, 3).map(name => {
    const letters = [...domainToUnicode(name)].map(each => (PLAIN_WORD.test(each) ? each : codePoint(each)));
    return `host ${name} stands for ${letters.join('') || 'no valid name'}`;
  });
}

function codePoint(character: string): string {
  return `<U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}>`;
}
