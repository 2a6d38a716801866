/** A token of an awk program. */
export interface AwkToken {
  readonly kind: 'word' | 'number' | 'string' | 'regex' | 'mark' | 'newline';
  readonly text: string;
}

/** A program this lexer does not follow to its end. */
export class AwkError extends Error {}

const MARKS = ['|&', '||', '&&', '**=', '**', '+=', '-=', '*=', '/=', '%=', '^=', '==', '<=', '>=', '!=', '!~', '>>', '++', '--'];
/** Behind these a slash divides. */
const ENDS_OPERAND = new Set([']', '$', '++', '--']);
const STATEMENT_WORDS = new Set(['print', 'printf', 'return', 'case']);
const CONDITION_WORDS = new Set(['if', 'while', 'for', 'switch']);

/** Tokens of an awk program, comments and joined lines left out. Throws AwkError where awks may differ. */
export function awkTokens(source: string): AwkToken[] {
  return new Lexer(source).tokens();
}

class Lexer {
  readonly #tokens: AwkToken[] = [];
  /** For each open parenthesis: is it the condition of a statement? */
  readonly #parentheses: boolean[] = [];
  #closedCondition = false;
  #at = 0;

  constructor(private readonly source: string) {}

  tokens(): AwkToken[] {
    while (this.#at < this.source.length) this.#next();
    return this.#tokens;
  }

  #next(): void {
    const rest = this.source.slice(this.#at);
    const char = rest[0]!;
    const skipped = /^(?:[ \t\r\f\v]+|\\\r?\n|#[^\n]*)/.exec(rest);
    if (skipped) this.#at += skipped[0].length;
    else if (char === '\n') this.#push('newline', '\n');
    else if (char === '"') this.#string();
    else if (char === '/') this.#slash();
    else {
      const word = /^[A-Za-z_][\w]*(::[A-Za-z_]\w*)?/.exec(rest);
      const number = /^(0[xX][0-9a-fA-F]+|\d+\.?\d*([eE][+-]?\d+)?|\.\d+([eE][+-]?\d+)?)/.exec(rest);
      if (word) this.#push('word', word[0]);
      else if (number) this.#push('number', number[0]);
      else this.#mark(rest);
    }
  }

  #push(kind: AwkToken['kind'], text: string): void {
    this.#tokens.push({ kind, text });
    this.#at += text.length;
    this.#closedCondition = false;
  }

  #mark(rest: string): void {
    const mark = MARKS.find(candidate => rest.startsWith(candidate)) ?? rest[0]!;
    if (!/^[-+*/%^!~<>=|&?:,;(){}[\]$@]/.test(mark) || mark === '&') throw new AwkError(`unexpected "${mark}"`);
    const previous = this.#tokens.at(-1);
    if (mark === '(') this.#parentheses.push(previous?.kind === 'word' && CONDITION_WORDS.has(previous.text));
    const closed = mark === ')' ? this.#parentheses.pop() : false;
    this.#push('mark', mark);
    this.#closedCondition = closed === true;
  }

  #string(): void {
    for (let index = this.#at + 1; index < this.source.length; index += 1) {
      const char = this.source[index];
      if (char === '\\') index += 1;
      else if (char === '\n') break;
      else if (char === '"') {
        this.#push('string', this.source.slice(this.#at, index + 1));
        return;
      }
    }
    throw new AwkError('a string has no end');
  }

  /** A pattern, or a division. */
  #slash(): void {
    if (this.#divides()) {
      this.#push('mark', this.source.startsWith('/=', this.#at) ? '/=' : '/');
      return;
    }
    let bracket = false;
    for (let index = this.#at + 1; index < this.source.length; index += 1) {
      const char = this.source[index];
      if (char === '\\') index += 1;
      else if (char === '\n') break;
      else if (char === '[') bracket = true;
      else if (char === ']') bracket = false;
      else if (char === '/') {
        if (bracket) throw new AwkError('a slash inside of brackets');
        this.#push('regex', this.source.slice(this.#at, index + 1));
        return;
      }
    }
    throw new AwkError('a pattern has no end');
  }

  #divides(): boolean {
    const previous = this.#tokens.at(-1);
    if (!previous || previous.kind === 'newline') return false;
    if (previous.kind === 'word') {
      if (STATEMENT_WORDS.has(previous.text)) return false;
      if (/^(getline|in|else|do|BEGIN|END|BEGINFILE|ENDFILE|delete|next|exit|function|func)$/.test(previous.text))
        throw new AwkError(`a slash behind "${previous.text}"`);
      return true;
    }
    if (previous.kind !== 'mark') return true;
    if (previous.text === ')') return !this.#closedCondition;
    return ENDS_OPERAND.has(previous.text);
  }
}

/** Value of a string token; undefined when an escape leaves doubt. */
export function stringValue(token: AwkToken): string | undefined {
  const inner = token.text.slice(1, -1);
  if (/\\[^\\"/nt]/.test(inner)) return undefined;
  return inner.replace(/\\(.)/gs, (_, char: string) => ({ n: '\n', t: '\t' })[char] ?? char);
}
