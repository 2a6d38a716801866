import { isMark } from './mark.js';
import type { Finder } from './spans.js';

/** How a program takes its password in a short option: glued to it, as the next word, or either. */
interface LoginFlag {
  readonly flag: string;
  readonly takes: 'glued' | 'next' | 'either';
  /** What separates the user from the password in the same word. */
  readonly after?: string;
}

const FLAGS: readonly (readonly [programs: RegExp, flags: readonly LoginFlag[]])[] = [
  [/^(?:mysql|mariadb)[\w-]*$/, [{ flag: '-p', takes: 'glued' }]],
  [/^7z[ar]?$/, [{ flag: '-p', takes: 'glued' }]],
  [/^(?:sshpass|mongo[a-z]*|docker|podman|nerdctl|helm|skopeo|buildah|oc|az|influx)$/, [{ flag: '-p', takes: 'either' }]],
  [/^(?:zip|unzip)$/, [{ flag: '-P', takes: 'either' }]],
  [/^redis-cli$/, [{ flag: '-a', takes: 'either' }]],
  [/^(?:ldap[a-z]+)$/, [{ flag: '-w', takes: 'either' }]],
  [
    /^curl$/,
    [
      ...['-u', '--user', '-U', '--proxy-user'].map(flag => ({ flag, takes: 'either', after: ':' }) as const),
      { flag: '-b', takes: 'either', after: '=' },
    ],
  ],
  [/^smbclient$/, [{ flag: '-U', takes: 'either', after: '%' }]],
  [/^openssl$/, ['-passin', '-passout', '-pass'].map(flag => ({ flag, takes: 'next', after: 'pass:' }) as const)],
];

const HINT =
  /\b(?:mysql|mariadb|7z|sshpass|mongo|docker|podman|nerdctl|helm|skopeo|buildah|oc|az|influx|zip|unzip|redis-cli|ldap|curl|smbclient|openssl)/;
const WORD = /[|;&\n]|[^\s|;&]+/g;

/** Port mappings, directories and numbers: `docker run -p 80:80`, `oc -p name`. */
const PLAIN = /^(?:[\d.:/-]+(?:\/(?:tcp|udp))?|\$\{?\w+\}?)$/;

/** Passwords that short options of well-known programs carry. One pass over the words of the text. */
export const findLoginFlags: Finder = (text, found) => {
  if (!HINT.test(text)) return;
  let flags: LoginFlag[] = [];
  let awaiting: { flag: LoginFlag; from: number } | undefined;
  for (const { 0: raw, index } of text.matchAll(WORD)) {
    if (/^[|;&\n]/.test(raw)) {
      flags = [];
      awaiting = undefined;
      continue;
    }
    const word = raw.replace(/^[\\"'`$({]+/, '');
    const at = index + raw.length - word.length;
    if (awaiting) {
      take(found, { word, at, from: awaiting.from, after: awaiting.flag.after });
      awaiting = undefined;
      continue;
    }
    if (!word.startsWith('-')) {
      if (HINT.test(word)) flags = [...flags.slice(-8), ...flagsOf(word)];
      continue;
    }
    const flag = flags.find(
      candidate => word === candidate.flag || (candidate.takes !== 'next' && word.startsWith(candidate.flag)),
    );
    if (!flag) continue;
    if (word !== flag.flag) {
      const glued = word.slice(flag.flag.length).replace(/^[="']+/, '');
      take(found, { word: glued, at: at + word.length - glued.length, from: index, after: flag.after });
    } else if (flag.takes !== 'glued') awaiting = { flag, from: index };
  }
};

function flagsOf(word: string): readonly LoginFlag[] {
  const program = word.slice(word.lastIndexOf('/') + 1).replace(/(?<!["'\\])["'\\]+$/, '');
  return FLAGS.find(([programs]) => programs.test(program))?.[1] ?? [];
}

function take(found: Parameters<Finder>[1], place: { word: string; at: number; from: number; after: string | undefined }): void {
  const { word, after } = place;
  const split = after === undefined ? 0 : word.indexOf(after) + after.length;
  if (after !== undefined && split < after.length) return;
  const secret = word.slice(split).replace(/["'\\)}\]]+$/, '');
  if (secret.length < 3 || isMark(secret) || PLAIN.test(secret)) return;
  const start = place.at + split;
  found.push({ from: place.from, start, end: start + secret.length, kind: 'value' });
}
