import { lstat, readdir } from 'node:fs/promises';
import type { GlobFact } from '../../contract/facts.js';

/** More files than this are not looked at one by one. */
const MOST = 1_000;

type Token = '*' | ((character: string) => boolean);

/**
 * The files a pattern matches here and now, as a shell without `dotglob` and its like finds them; the pattern itself where
 * there are none, because that is what the program then gets. `complete: false`: there are more, or time ran out.
 */
export async function matchesOf(pattern: string, late: { readonly passed: boolean }): Promise<GlobFact> {
  let found = ['/'];
  let listed = false;
  for (const segment of pattern.split('/').filter(name => name !== '')) {
    const next: string[] = [];
    const tokens = /[*?[]/.test(segment) ? tokensOf(segment) : undefined;
    for (const directory of found) {
      if (late.passed || next.length > MOST) return { matches: [], complete: false };
      const names = tokens ? await namesIn(directory) : [segment];
      for (const name of names) {
        if (tokens && ((name.startsWith('.') && !segment.startsWith('.')) || !fits(tokens, name))) continue;
        next.push(`${directory === '/' ? '' : directory}/${name}`);
      }
    }
    found = next;
    listed = tokens !== undefined;
  }
  if (found.length > MOST) return { matches: [], complete: false };
  // What stands behind the last pattern was only put together, not seen.
  const there = listed ? found : await existing(found);
  return { matches: there.length > 0 ? there : [pattern], complete: !late.passed };
}

const namesIn = (directory: string): Promise<readonly string[]> => readdir(directory).catch(() => []);

async function existing(paths: readonly string[]): Promise<readonly string[]> {
  const looked = await Promise.all(paths.map(path => lstat(path).then(Boolean, () => false)));
  return paths.filter((_, index) => looked[index]);
}

function tokensOf(segment: string): Token[] {
  const tokens: Token[] = [];
  for (let at = 0; at < segment.length; at += 1) {
    const character = segment[at]!;
    const close = character === '[' ? segment.indexOf(']', at + (/[!^]/.test(segment[at + 1] ?? '') ? 3 : 2)) : -1;
    if (character === '*') {
      if (tokens.at(-1) !== '*') tokens.push('*');
    } else if (character === '?') tokens.push(() => true);
    else if (close > 0) {
      tokens.push(classOf(segment.slice(at + 1, close)));
      at = close;
    } else tokens.push(other => other === character);
  }
  return tokens;
}

/** What it is too hard to say of a class (`[[:alpha:]]`), it matches. */
function classOf(inside: string): (character: string) => boolean {
  if (/\[[:.=]|\\/.test(inside)) return () => true;
  const negated = /^[!^]/.test(inside);
  const members = negated ? inside.slice(1) : inside;
  const holds = (character: string): boolean => {
    for (let at = 0; at < members.length; at += 1) {
      const last = members[at + 1] === '-' ? members[at + 2] : undefined;
      if (last === undefined ? members[at] === character : members[at]! <= character && character <= last) return true;
      if (last !== undefined) at += 2;
    }
    return false;
  };
  return character => holds(character) !== negated;
}

/** Linear but for one step back to the last star: no name and no pattern takes long. */
function fits(tokens: readonly Token[], name: string): boolean {
  let token = 0;
  let star = -1;
  let from = 0;
  for (let at = 0; at < name.length; ) {
    const wanted = tokens[token];
    if (wanted === '*') {
      star = token;
      from = at;
      token += 1;
    } else if (wanted?.(name[at]!)) {
      token += 1;
      at += 1;
    } else if (star >= 0) {
      token = star + 1;
      from += 1;
      at = from;
    } else return false;
  }
  return tokens.slice(token).every(left => left === '*');
}
