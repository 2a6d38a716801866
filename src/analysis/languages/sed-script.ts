/** What a sed script does beyond editing lines. */
export interface SedScript {
  readonly reads: readonly string[];
  readonly writes: readonly string[];
  /** Commands of `e COMMAND`. */
  readonly runs: readonly string[];
  /** It runs the text it edits (`e` alone, the `e` flag of `s`). */
  readonly runsInput: boolean;
}

/** A script this lexer does not follow to its end. */
export class SedError extends Error {}

/** Reads a GNU sed script. Throws SedError where it is not certain what sed would do. */
export function readSedScript(script: string): SedScript {
  return new Lexer(script).script();
}

const NO_ARGUMENT = 'dDgGhHnNpPxzF=';
const LABEL = 'btT:';
const TO_LINE_END = 'rRwW';

class Lexer {
  readonly #reads: string[] = [];
  readonly #writes: string[] = [];
  readonly #runs: string[] = [];
  #runsInput = false;
  #at = 0;

  constructor(private readonly text: string) {}

  script(): SedScript {
    while (this.#skip(/[\s;]/)) {
      this.#addresses();
      this.#command();
    }
    return { reads: this.#reads, writes: this.#writes, runs: this.#runs, runsInput: this.#runsInput };
  }

  get #char(): string {
    return this.text[this.#at] ?? '';
  }

  /** Skips what matches; false at the end. */
  #skip(pattern: RegExp): boolean {
    while (this.#char !== '' && pattern.test(this.#char)) this.#at += 1;
    return this.#char !== '';
  }

  #fail(problem: string): never {
    throw new SedError(`${problem} at character ${this.#at + 1}`);
  }

  #addresses(): void {
    if (this.#address()) {
      this.#skip(/[ \t]/);
      if (this.#char === ',') {
        this.#at += 1;
        this.#skip(/[ \t]/);
        if (/[+~]/.test(this.#char)) this.#at += 1;
        if (!this.#address()) this.#fail('an address is missing');
      }
    }
    this.#skip(/[ \t]/);
    while (this.#char === '!') {
      this.#at += 1;
      this.#skip(/[ \t]/);
    }
  }

  #address(): boolean {
    if (this.#char === '$') {
      this.#at += 1;
      return true;
    }
    const number = /^\d+([ \t]*~[ \t]*\d+)?/.exec(this.text.slice(this.#at, this.#at + 60));
    if (number) {
      this.#at += number[0].length;
      return true;
    }
    if (this.#char !== '/' && this.#char !== '\\') return false;
    if (this.#char === '\\') this.#at += 1;
    this.#delimited('regex');
    while (/[IM]/.test(this.#char)) this.#at += 1;
    return true;
  }

  #command(): void {
    const name = this.#char;
    this.#at += 1;
    if (name === '') this.#fail('a command is missing');
    if (name === '{') return;
    if (name === '}') this.#end();
    else if (name === '#') this.#line();
    else if (NO_ARGUMENT.includes(name)) this.#end();
    else if ('lLqQ'.includes(name)) {
      this.#skip(/[ \t\d]/);
      this.#end();
    } else if (LABEL.includes(name)) this.#label(name);
    else if ('aic'.includes(name)) this.#appended();
    else if (TO_LINE_END.includes(name)) this.#file(name);
    else if (name === 'e') this.#execute();
    else if (name === 's') this.#substitute();
    else if (name === 'y') {
      this.#delimited('list');
      this.#at -= 1;
      this.#delimited('list');
      this.#end();
    } else this.#fail(`"${name}" is no command`);
  }

  /** Between commands only blanks, `;`, `}`, a comment or a new line. */
  #end(): void {
    this.#skip(/[ \t]/);
    if (this.#char !== '' && !/[;\n}#]/.test(this.#char)) this.#fail('unexpected text behind a command');
  }

  #line(): string {
    const end = this.text.indexOf('\n', this.#at);
    const line = this.text.slice(this.#at, end < 0 ? undefined : end);
    this.#at = end < 0 ? this.text.length : end + 1;
    return line;
  }

  /** Versions differ in whether `;` ends a label; a label of plain characters means the same to all that go on. */
  #label(name: string): void {
    this.#skip(/[ \t]/);
    const label = /^[\w.-]*/.exec(this.text.slice(this.#at))![0];
    if (name === ':' && label === '') this.#fail('a label is missing');
    this.#at += label.length;
    this.#end();
  }

  /** Text up to the end of a line that does not end with a backslash. */
  #appended(): void {
    for (;;) {
      const line = this.#line();
      const backslashes = /\\*$/.exec(line)![0].length;
      if (backslashes % 2 === 0 || this.#char === '') return;
    }
  }

  #file(command: string): void {
    const name = this.#line().trimStart();
    if (name === '') this.#fail('a file name is missing');
    if (name.endsWith('\\')) this.#fail('a file name ends with a backslash');
    (command === 'w' || command === 'W' ? this.#writes : this.#reads).push(name);
  }

  #execute(): void {
    const command = this.#line().trim();
    if (command === '') this.#runsInput = true;
    else if (command.startsWith('}') || command.startsWith(';')) this.#fail('what "e" runs is not certain');
    else this.#runs.push(command);
  }

  #substitute(): void {
    this.#delimited('regex');
    this.#at -= 1;
    this.#delimited('replacement');
    for (;;) {
      const flag = this.#char;
      if (flag === 'w') {
        this.#at += 1;
        this.#file('w');
        return;
      }
      if (flag === 'e') this.#runsInput = true;
      else if (flag === '' || !/[gpIiMm0-9]/.test(flag)) break;
      this.#at += 1;
    }
    this.#end();
  }

  /** From the delimiter at hand to behind the next one. */
  #delimited(kind: 'regex' | 'replacement' | 'list'): void {
    const delimiter = this.#char;
    if (delimiter === '' || delimiter === '\n' || delimiter === '\\') this.#fail('a delimiter is missing');
    const from = this.#at + 1;
    for (let index = from; index < this.text.length; index += 1) {
      const char = this.text[index];
      if (char === '\\') index += 1;
      else if (char === delimiter) {
        // Some versions look for the end with brackets in mind and some without.
        if (kind === 'regex' && insideBrackets(this.text.slice(from, index))) this.#fail('a delimiter inside of brackets');
        this.#at = index + 1;
        return;
      } else if (char === '\n' && kind === 'regex') this.#fail('a line ends inside of a pattern');
    }
    this.#fail('a delimiter is missing');
  }
}

/** Could the end of this pattern be inside of a bracket expression, by any way of reading `\]`? */
function insideBrackets(pattern: string): boolean {
  return opens(pattern, 'literal') || opens(pattern, 'escape');
}

function opens(pattern: string, backslash: 'literal' | 'escape'): boolean {
  let open = -1;
  for (let index = 0; index < pattern.length; index += 1) {
    const char = pattern[index];
    if (open < 0) {
      if (char === '\\') index += 1;
      else if (char === '[') open = pattern[index + 1] === '^' ? index + 1 : index;
    } else if (char === '\\' && backslash === 'escape') index += 1;
    else if (char === '[' && /[:.=]/.test(pattern[index + 1] ?? '')) {
      const end = pattern.indexOf(`${pattern[index + 1]}]`, index + 2);
      if (end >= 0) index = end + 1;
    } else if (char === ']' && index > open + 1) open = -1;
  }
  return open >= 0;
}
