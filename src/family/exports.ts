/** What a shell sets by itself, or the protocol for one command. */
const OWN = new Set(['PWD', 'SHLVL', '_', 'SHELLGATE_COMMAND']);
const ENTRY = /(?:export|declare -(\w+)) ([A-Za-z_][A-Za-z0-9_]*)(=?)/y;
/** Pieces of a word: quoted in one of three ways, escaped, or plain. */
const PIECE = /'([^']*)'|\$'((?:[^'\\]|\\[\s\S])*)'|"((?:[^"\\]|\\[\s\S])*)"|\\([\s\S])|([^'"\\\n$]+|\$)/y;
const ANSI: Readonly<Record<string, string>> = {
  a: '\x07',
  b: '\b',
  e: '\x1b',
  E: '\x1b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
};

/**
 * Reads what `export -p` prints, in bash's words and in those of the POSIX shells. It is read, not evaluated: a shell may
 * print anything. Undefined for what is no such listing. Arrays and values that are no UTF-8 are left out.
 */
export function readExports(listing: string): Record<string, string> | undefined {
  const found: [string, string][] = [];
  for (let at = 0; at < listing.length; ) {
    ENTRY.lastIndex = at;
    const entry = ENTRY.exec(listing);
    if (!entry) return undefined;
    const [, attributes = '', name = '', equals] = entry;
    at = ENTRY.lastIndex;
    const word = readWord(listing, at);
    if (listing[word.end] !== '\n') return undefined;
    at = word.end + 1;
    if (equals && !/[aAn]/.test(attributes) && !OWN.has(name) && !word.text.includes('\ufffd')) found.push([name, word.text]);
  }
  return Object.fromEntries(found);
}

function readWord(text: string, from: number): { text: string; end: number } {
  let value = '';
  let end = from;
  for (;;) {
    PIECE.lastIndex = end;
    const piece = PIECE.exec(text);
    if (!piece) return { text: value, end };
    const [, single, ansi, double, escaped, plain] = piece;
    value +=
      single ?? (ansi === undefined ? (double?.replace(/\\([\\"$`\n])/g, '$1') ?? escaped ?? plain ?? '') : readAnsi(ansi));
    end = PIECE.lastIndex;
  }
}

/** Bytes are octal in bash, several of them for one character where the locale has no such character. */
const readAnsi = (text: string): string =>
  text.replace(/((?:\\[0-7]{3})+)|\\([\s\S])/g, (_all, octal: string | undefined, letter: string) => {
    if (octal === undefined) return ANSI[letter] ?? letter;
    return Buffer.from(
      octal
        .slice(1)
        .split('\\')
        .map(digits => Number.parseInt(digits, 8)),
    ).toString('utf8');
  });
