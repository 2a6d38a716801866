/** Where something stands in a source: 1-based line and column (UTF-16 units), and how long it is. */
export interface Position {
  readonly line: number;
  readonly column: number;
  readonly length: number;
}

/** Positions of keys and of array elements by path, joined with dots: `rule.0.command`, `rule.0.match.1`, `rule.0`. */
export type Positions = ReadonlyMap<string, Position>;

/**
 * Finds the keys and array elements of a document that a real parser has already accepted, for messages only. It reads
 * what policies are written in: tables, arrays of tables, dotted and quoted keys, all four kinds of strings, arrays and
 * inline tables. Whatever it does not find has no position; it never throws.
 */
export function tomlPositions(source: string): Positions {
  return new Scanner(source).toml();
}

export function jsonPositions(source: string): Positions {
  const scanner = new Scanner(source);
  scanner.value('');
  return scanner.found;
}

class Scanner {
  readonly found = new Map<string, Position>();
  readonly #counts = new Map<string, number>();
  readonly #starts: number[] = [0];
  #at = 0;

  constructor(readonly source: string) {
    for (let i = source.indexOf('\n'); i !== -1; i = source.indexOf('\n', i + 1)) this.#starts.push(i + 1);
  }

  toml(): Positions {
    let table = '';
    for (;;) {
      this.#space();
      if (this.#at >= this.source.length) return this.found;
      const before = this.#at;
      if (this.#char() === '[') table = this.#header();
      else this.#pair(table, '=');
      if (this.#at === before) this.#at++;
    }
  }

  #header(): string {
    const start = this.#at;
    const isArray = this.source.startsWith('[[', start);
    this.#at += isArray ? 2 : 1;
    const names = this.#key().split('.');
    // `[rule.effects]` belongs to the last `[[rule]]`.
    const path = names.reduce((parent, name, index) => {
      const own = join(parent, name);
      const count = this.#counts.get(own);
      return count === undefined || index === names.length - 1 ? own : `${own}.${count - 1}`;
    }, '');
    const end = this.source.indexOf(']', this.#at);
    this.#at = end === -1 ? this.source.length : end + (isArray ? 2 : 1);
    if (!isArray) {
      this.#mark(path, start, this.#at);
      return path;
    }
    const index = this.#counts.get(path) ?? 0;
    this.#counts.set(path, index + 1);
    this.#mark(`${path}.${index}`, start, this.#at);
    return `${path}.${index}`;
  }

  #pair(table: string, separator: '=' | ':'): void {
    const start = this.#at;
    const path = join(table, this.#key());
    this.#mark(path, start, this.#at);
    this.#space();
    if (this.#char() === separator) this.#at++;
    this.#space();
    this.value(path);
  }

  /** A key with its quotes taken off; dots of a dotted key kept. */
  #key(): string {
    let key = '';
    for (;;) {
      this.#blanks();
      const char = this.#char();
      const start = this.#at;
      if (char === '"' || char === "'") {
        this.#string();
        key += this.source.slice(start + 1, this.#at - 1);
      } else {
        const bare = /[A-Za-z0-9_-]*/y;
        bare.lastIndex = this.#at;
        key += bare.exec(this.source)?.[0] ?? '';
        this.#at = bare.lastIndex;
      }
      const end = this.#at;
      this.#blanks();
      if (this.#char() !== '.') {
        this.#at = end;
        return key;
      }
      key += '.';
      this.#at++;
    }
  }

  value(path: string): void {
    this.#space();
    const start = this.#at;
    const char = this.#char();
    if (char === '[') this.#sequence(']', index => this.value(join(path, String(index))));
    else if (char === '{') this.#sequence('}', () => this.#pair(path, this.source[this.#skipKey()] === ':' ? ':' : '='));
    else if (char === '"' || char === "'") this.#string();
    else while (this.#at < this.source.length && !/[,\]}\n#]/.test(this.#char())) this.#at++;
    if (!this.found.has(path)) this.#mark(path, start, this.#at);
  }

  /** Where the separator behind the key here stands. */
  #skipKey(): number {
    const start = this.#at;
    this.#key();
    this.#space();
    const separator = this.#at;
    this.#at = start;
    return separator;
  }

  #sequence(close: string, item: (index: number) => void): void {
    this.#at++;
    for (let index = 0; ; index++) {
      this.#space();
      if (this.#at >= this.source.length) return;
      if (this.#char() === close) {
        this.#at++;
        return;
      }
      const before = this.#at;
      item(index);
      this.#space();
      if (this.#char() === ',' || this.#at === before) this.#at++;
    }
  }

  #string(): void {
    const quote = this.#char();
    const fence = this.source.startsWith(quote.repeat(3), this.#at) ? quote.repeat(3) : quote;
    let i = this.#at + fence.length;
    while (i < this.source.length && !this.source.startsWith(fence, i)) i += quote === '"' && this.source[i] === '\\' ? 2 : 1;
    this.#at = Math.min(this.source.length, i + fence.length);
  }

  #char(): string {
    return this.source[this.#at] ?? '';
  }

  #blanks(): void {
    while (this.#char() === ' ' || this.#char() === '\t') this.#at++;
  }

  /** White space, line ends and comments. */
  #space(): void {
    for (;;) {
      const char = this.#char();
      if (char === '#') {
        const end = this.source.indexOf('\n', this.#at);
        this.#at = end === -1 ? this.source.length : end;
      } else if (char !== '' && /\s/.test(char)) this.#at++;
      else return;
    }
  }

  #mark(path: string, start: number, end: number): void {
    let low = 0;
    let high = this.#starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.#starts[middle]! <= start) low = middle;
      else high = middle - 1;
    }
    const lineEnd = this.#starts[low + 1] ?? this.source.length + 1;
    const length = Math.max(1, Math.min(end, lineEnd - 1) - start);
    this.found.set(path, { line: low + 1, column: start - this.#starts[low]! + 1, length });
  }
}

const join = (parent: string, name: string): string => (parent === '' ? name : `${parent}.${name}`);
