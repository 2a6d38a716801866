/** What a literal of a language looks like; the rest of its grammar is not looked at. */
export interface Grammar {
  /** Begins a comment that ends with the line. */
  readonly comments: readonly string[];
  /** Quotes of strings; longer ones first. */
  readonly quotes: readonly string[];
  /** A string that holds this is not fixed, in quotes other than `'`. */
  readonly interpolates?: RegExp;
  /** What stands between backticks is run, or is a string. */
  readonly backtick?: 'run' | 'string';
  /** Names that may stand directly before a quote (`r"…"`); those with an `f` make it depend on variables. */
  readonly prefixes?: RegExp;
  /** `q(…)`, `qw[…]` of Perl, `%x{…}` of Ruby. */
  readonly delimited?: 'perl' | 'ruby';
  /** `[[…]]`, `[=[…]=]`. */
  readonly longBrackets?: boolean;
  /** `/…/` where a value is expected. */
  readonly regularExpressions?: boolean;
  /** Slash-star comments. */
  readonly blockComments?: boolean;
  /** Names hold dashes and slashes. */
  readonly dashedNames?: boolean;
}

/**
 * `string`: a literal, undefined where it is not fixed, `lead` being what is fixed of it; `words`: several at once; `run`: a command between backticks;
 * `mark`: anything else, one character or a newline.
 */
export type Token =
  | { readonly kind: 'name' | 'mark'; readonly text: string }
  | { readonly kind: 'string' | 'run'; readonly text: string | undefined; readonly lead?: string }
  | { readonly kind: 'words'; readonly words: readonly string[] };

/** Longer code is not looked into: it stays the opaque thing it is. */
const MOST_CODE = 64 * 1024;

/** Names, literals and marks of a piece of code. Total: what it misreads only hides or shows a name too much. */
export function tokensOf(code: string, grammar: Grammar): readonly Token[] {
  return code.length > MOST_CODE ? [] : new CodeLexer(code, grammar).read();
}

const CLOSING: Readonly<Record<string, string>> = { '(': ')', '[': ']', '{': '}', '<': '>' };
const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', '0': '\0', '\n': '' };

class CodeLexer {
  readonly #tokens: Token[] = [];
  #at = 0;

  constructor(
    private readonly code: string,
    private readonly grammar: Grammar,
  ) {}

  read(): readonly Token[] {
    while (this.#at < this.code.length) this.#next();
    return this.#tokens;
  }

  #next(): void {
    const { code, grammar } = this;
    const char = code[this.#at]!;
    if (/[^\S\n]/.test(char)) this.#at += 1;
    else if (this.#comment() || this.#longBracket()) return;
    else if (grammar.quotes.some(quote => this.#quoted(quote))) return;
    else if (char === '`' && grammar.backtick) this.#backtick(grammar.backtick);
    else if (char === '%' && grammar.delimited === 'ruby' && this.#rubyLiteral()) return;
    else if (char === '/' && grammar.regularExpressions && this.#expectsValue()) this.#expression();
    else if (/[\p{L}_$@]/u.test(char)) this.#name();
    else {
      this.#tokens.push({ kind: 'mark', text: char });
      this.#at += 1;
    }
  }

  #comment(): boolean {
    const { code, grammar } = this;
    const block = grammar.blockComments === true && code.startsWith('/*', this.#at);
    if (!block && !grammar.comments.some(comment => code.startsWith(comment, this.#at))) return false;
    // `$#x`, `#` inside of a word and the like begin none.
    if (!block && code[this.#at] === '#' && /[$\w]/.test(code[this.#at - 1] ?? '')) return false;
    const end = code.indexOf(block ? '*/' : '\n', this.#at + 1);
    this.#at = end < 0 ? code.length : block ? end + 2 : end;
    return true;
  }

  #longBracket(): boolean {
    const open = this.grammar.longBrackets ? /\[(=*)\[\n?/y : undefined;
    if (!open) return false;
    open.lastIndex = this.#at;
    const match = open.exec(this.code);
    if (!match) return false;
    const from = this.#at + match[0].length;
    const end = this.code.indexOf(`]${match[1]}]`, from);
    this.#tokens.push({ kind: 'string', text: end < 0 ? undefined : this.code.slice(from, end) });
    this.#at = end < 0 ? this.code.length : end + match[1]!.length + 2;
    return true;
  }

  #quoted(quote: string): boolean {
    if (!this.code.startsWith(quote, this.#at)) return false;
    const prefix = this.#prefix();
    this.#at += quote.length;
    const raw = this.#until(quote);
    const varies = prefix.includes('f') ? /\{/ : quote === "'" ? undefined : this.grammar.interpolates;
    this.#tokens.push(
      prefix.includes('r') && !varies?.test(raw) ? { kind: 'string', text: raw } : literal('string', raw, varies),
    );
    return true;
  }

  /** A name that belongs to the quote behind it is taken back. */
  #prefix(): string {
    const last = this.#tokens.at(-1);
    if (!this.grammar.prefixes || last?.kind !== 'name' || !this.grammar.prefixes.test(last.text)) return '';
    if (!this.code.startsWith(last.text, this.#at - last.text.length)) return '';
    this.#tokens.pop();
    return last.text.toLowerCase();
  }

  /** The text up to `close`, backslashes kept; behind it afterwards. */
  #until(close: string, open?: string): string {
    const from = this.#at;
    for (let depth = 1; this.#at < this.code.length; this.#at += 1) {
      if (this.code[this.#at] === '\\') this.#at += 1;
      else if (this.code.startsWith(close, this.#at)) {
        depth -= 1;
        if (depth > 0) continue;
        const text = this.code.slice(from, this.#at);
        this.#at += close.length;
        return text;
      } else if (open !== undefined && this.code[this.#at] === open) depth += 1;
    }
    this.#at = this.code.length;
    return this.code.slice(from);
  }

  #backtick(how: 'run' | 'string'): void {
    this.#at += 1;
    const raw = this.#until('`');
    const last = this.#tokens.at(-1);
    // zx: $`…`
    const tagged = last?.kind === 'name' && /^\$/.test(last.text);
    this.#tokens.push(literal(tagged ? 'run' : how, raw, this.grammar.interpolates));
  }

  #rubyLiteral(): boolean {
    const open = /%([xqQwWi]?)([([{<|!])/y;
    open.lastIndex = this.#at;
    const match = open.exec(this.code);
    if (!match || (match[1] === '' && !this.#expectsValue())) return false;
    this.#at += match[0].length;
    this.#delimited(match[1]!, match[2]!);
    return true;
  }

  #delimited(letter: string, open: string): void {
    const close = CLOSING[open] ?? open;
    const raw = this.#until(close, close === open ? undefined : open);
    if (/^(w|W|i|qw)$/.test(letter)) {
      this.#tokens.push({ kind: 'words', words: raw.split(/\s+/).filter(word => word !== '') });
      return;
    }
    const varies = letter === 'q' ? undefined : this.grammar.interpolates;
    if (/^(x|qx|q|qq|Q|)$/.test(letter)) this.#tokens.push(literal(/x/.test(letter) ? 'run' : 'string', raw, varies));
    else this.#tokens.push({ kind: 'string', text: undefined });
  }

  /** Nothing that a division could follow stands in front. */
  #expectsValue(): boolean {
    const last = this.#tokens.at(-1);
    if (last?.kind === 'name') return /^(?:if|unless|and|or|not|split|grep|map|return|print|when|while|until|x)$/.test(last.text);
    return last === undefined || (last.kind === 'mark' && !/[)\]}]/.test(last.text));
  }

  #expression(): void {
    const match = /\/(?:[^\\/\n[]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/[a-z]*/y;
    match.lastIndex = this.#at;
    const found = match.exec(this.code)?.[0] ?? '/';
    this.#tokens.push({ kind: 'mark', text: '/' });
    this.#at += found.length;
  }

  #name(): void {
    const match = this.grammar.dashedNames ? /[\p{L}_][\p{L}\p{N}_*+!?.<>=/:-]*/uy : /[\p{L}_$@][\p{L}\p{N}_$]*/uy;
    match.lastIndex = this.#at;
    const text = match.exec(this.code)?.[0] ?? this.code[this.#at]!;
    this.#at += text.length;
    const operator =
      this.grammar.delimited === 'perl' && /^(q|qq|qw|qx|m|qr|s|tr|y)$/.test(text) ? this.#perlOpening() : undefined;
    if (operator === undefined) {
      this.#tokens.push({ kind: 'name', text });
      return;
    }
    this.#delimited(text, operator);
    // s{…}{…} and tr have a second half; of s/…/…/e it is code.
    if (/^(s|tr|y)$/.test(text)) this.#secondHalf(operator);
  }

  #perlOpening(): string | undefined {
    const open = /\s*([^\w\s,;=)])/y;
    open.lastIndex = this.#at;
    const match = open.exec(this.code);
    const previous = this.#tokens.at(-1);
    if (!match || (previous?.kind === 'mark' && /[>{]/.test(previous.text) && match[1] === '}')) return undefined;
    this.#at += match[0].length;
    return match[1];
  }

  #secondHalf(open: string): void {
    const close = CLOSING[open];
    const next = close === undefined ? open : this.#perlOpening();
    if (next === undefined) return;
    const raw = this.#until(CLOSING[next] ?? next, CLOSING[next] === undefined ? undefined : next);
    const flags = /[a-z]*/y;
    flags.lastIndex = this.#at;
    const given = flags.exec(this.code)?.[0] ?? '';
    this.#at += given.length;
    if (given.includes('e')) this.#tokens.push(...tokensOf(raw, this.grammar));
  }
}

/** `varies`: what in it makes it depend on more than the text. */
function literal(kind: 'string' | 'run', raw: string, varies: RegExp | undefined): Token {
  const at = varies ? raw.search(varies) : -1;
  return at < 0 ? { kind, text: withoutEscapes(raw) } : { kind, text: undefined, lead: withoutEscapes(raw.slice(0, at)) };
}

/** The escapes most languages share; what is not one of them is the character itself. */
function withoutEscapes(raw: string): string {
  return raw.replace(
    /\\(x[0-9a-fA-F]{2}|x\{[0-9a-fA-F]+\}|u[0-9a-fA-F]{4}|u\{[0-9a-fA-F]+\}|[0-7]{3}|[\s\S])/g,
    (_, escaped: string) => {
      const digits = /^[xu]\{?([0-9a-fA-F]+)\}?$/.exec(escaped)?.[1];
      if (digits !== undefined && escaped.length > 1) return codePoint(Number.parseInt(digits, 16));
      if (/^[0-7]{3}$/.test(escaped)) return codePoint(Number.parseInt(escaped, 8));
      return ESCAPES[escaped] ?? escaped;
    },
  );
}

const codePoint = (code: number): string => (code <= 0x10ffff ? String.fromCodePoint(code) : '\ufffd');
