import { type AwkToken, awkTokens, stringValue } from './awk-lexer.js';

/** What an awk program does beyond printing. */
export interface AwkProgram {
  readonly reads: readonly string[];
  readonly writes: readonly string[];
  /** Shell scripts it starts. */
  readonly runs: readonly string[];
  /** What scripts begin with whose rest is put together. */
  readonly begins: readonly string[];
  /** Those of them that are sent what it prints. */
  readonly feeds: readonly string[];
  /** Things that cannot be followed, each a sentence. */
  readonly doubts: readonly string[];
  readonly printsEnvironment: boolean;
}

/** Reads an awk program. Throws AwkError where it is not certain what awk would do. */
export function readAwkProgram(source: string): AwkProgram {
  return new Reader(awkTokens(source)).read();
}

class Reader {
  readonly #reads: string[] = [];
  readonly #writes: string[] = [];
  readonly #runs: string[] = [];
  readonly #begins: string[] = [];
  readonly #feeds: string[] = [];
  readonly #doubts: string[] = [];
  #printsEnvironment = false;
  /** Depth of brackets at which a print statement began. */
  #print: number | undefined;
  #depth = 0;
  /** A `getline` whose `<` may still come. */
  #getline = false;

  constructor(private readonly tokens: readonly AwkToken[]) {}

  read(): AwkProgram {
    for (let index = 0; index < this.tokens.length; index += 1) this.#token(index);
    return {
      reads: this.#reads,
      writes: this.#writes,
      runs: this.#runs,
      begins: this.#begins,
      feeds: this.#feeds,
      doubts: this.#doubts,
      printsEnvironment: this.#printsEnvironment,
    };
  }

  #token(index: number): void {
    const { kind, text } = this.tokens[index]!;
    if (kind === 'word') this.#word(text, index);
    else if (kind === 'newline') {
      // Behind these a statement goes on in the next line.
      if (!/^(,|&&|\|\||\?|:)$/.test(this.tokens[index - 1]?.text ?? '')) this.#endStatement();
    } else if (kind === 'mark') this.#mark(text, index);
  }

  #word(text: string, index: number): void {
    if (text === 'print' || text === 'printf') this.#print = this.#depth;
    else if (text === 'getline') this.#getline = true;
    else if (text === 'system') this.#system(index);
    else if (text === 'ENVIRON') this.#printsEnvironment = true;
    else if (/^(ARGV|ARGC|SYMTAB|FUNCTAB)$/.test(text))
      this.#doubts.push(`uses ${text}, which can name other files and functions`);
    else if (/^(extension|load)$/.test(text)) this.#doubts.push('may load an extension');
  }

  #endStatement(): void {
    this.#print = undefined;
    this.#getline = false;
  }

  #mark(text: string, index: number): void {
    if (text === '(' || text === '[') this.#depth += 1;
    else if (text === ')' || text === ']') this.#depth -= 1;
    else if (text === ';' || text === '{' || text === '}') this.#endStatement();
    else if (text === '@') this.#doubts.push('loads a file or calls a function by name');
    else if (text === '|&') {
      this.#doubts.push('talks to another process or to the network');
      this.#pipe(index);
    } else if (text === '|') this.#pipe(index);
    else if ((text === '>' || text === '>>') && this.#print === this.#depth) this.#output(index);
    else if (text === '<' && this.#getline) this.#input(index);
  }

  #system(index: number): void {
    const [open, argument, close] = this.tokens.slice(index + 1, index + 4);
    const value = open?.text === '(' && argument?.kind === 'string' && close?.text === ')' ? stringValue(argument) : undefined;
    if (value === undefined) this.#putTogether(argument);
    else this.#runs.push(value);
  }

  #putTogether(first: AwkToken | undefined): void {
    this.#doubts.push('runs a shell command that it puts together');
    const begin = first?.kind === 'string' ? stringValue(first) : undefined;
    if (begin !== undefined) this.#begins.push(begin);
  }

  /** `print | "command"` or `"command" | getline`. */
  #pipe(index: number): void {
    const next = this.tokens[index + 1];
    const toGetline = next?.kind === 'word' && next.text === 'getline';
    const command = toGetline ? this.#literalBefore(index) : this.#literalAfter(index);
    if (command === undefined) this.#putTogether(toGetline ? undefined : next);
    else {
      this.#runs.push(command);
      if (!toGetline) this.#feeds.push(command);
    }
  }

  #output(index: number): void {
    const file = this.#literalAfter(index);
    if (file === undefined) this.#doubts.push('writes to a file whose name it puts together');
    else this.#writes.push(file);
  }

  #input(index: number): void {
    const file = this.#literalAfter(index);
    if (file === undefined) this.#doubts.push('reads a file whose name it puts together');
    else this.#reads.push(file);
  }

  /** The string behind `index`, when it is the whole expression. */
  #literalAfter(index: number): string | undefined {
    const [string, after] = this.tokens.slice(index + 1, index + 3);
    if (string?.kind !== 'string') return undefined;
    const ends = !after || after.kind === 'newline' || /^[;})]$/.test(after.text) || /^(&&|\|\|)$/.test(after.text);
    return ends ? stringValue(string) : undefined;
  }

  /** The string before `index`, when it is the whole expression. */
  #literalBefore(index: number): string | undefined {
    const string = this.tokens[index - 1];
    const before = this.tokens[index - 2];
    if (string?.kind !== 'string') return undefined;
    const begins = !before || before.kind === 'newline' || /^[;{(]$/.test(before.text) || /^(&&|\|\||!)$/.test(before.text);
    return begins ? stringValue(string) : undefined;
  }
}
