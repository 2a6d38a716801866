import type { Reason, Word } from '../../contract/analysis.js';
import { isKnown, leadOf } from './paths.js';
import type { OptionRule, Table } from './table.js';

/** An option as it was given. */
export interface Given {
  readonly rule: OptionRule;
  /** As written, abbreviations completed. */
  readonly name: string;
  readonly values: readonly Word[];
}

/** An argv cut into options and operands by one table. */
export interface Arguments {
  readonly options: readonly Given[];
  readonly operands: readonly Word[];
  /** Option words no line of the table describes. */
  readonly unlisted: readonly string[];
  /** Words that may be an option which matters. */
  readonly doubts: readonly Reason[];
  /** File name patterns that may be one only where a file is named like one. */
  readonly patterns: readonly Pattern[];
}

/** Cuts `words` (without the program's name) into options and operands. Total: what it cannot place is a doubt. */
export function readOptions(table: Table, words: readonly Word[], program: string = table.names[0]!): Arguments {
  return new OptionReader({ table, program }, words).read();
}

const MAX_CLUSTER = 200;

/** It may become any number of words, so what follows it in the text may begin a new one. */
const isSeveral = (word: Word): boolean => !isKnown(word) && (word.opaque === 'positional' || word.opaque === 'arguments');

/** Would bash make none or more than one word of it: a glob, an unquoted expansion? */
export const mayBecomeSeveral = (word: Word): boolean => !isKnown(word) && word.single !== true && word.opaque !== 'number';

/** An operand that may turn out to be an option. Digits are none. */
const couldBeOption = (word: Word): boolean =>
  isSeveral(word) || (!isKnown(word) && word.lead === '' && word.opaque !== 'number');

export type Pattern = Extract<Word, { opaque: string }>;

/** Nothing but wildcards: whoever writes `*` means a directory, not files of a kind. */
const EVERYTHING = /^[*?/]*$/;

/** Its matches can be looked up, and one that is named like an option is hardly ever among them. */
const isPattern = (word: Word): word is Pattern =>
  !isKnown(word) &&
  word.opaque === 'glob' &&
  word.pattern !== undefined &&
  !EVERYTHING.test(word.pattern) &&
  word.composed !== true;

class OptionReader {
  readonly #options: Given[] = [];
  readonly #operands: Word[] = [];
  readonly #unlisted: string[] = [];
  readonly #doubts: Reason[] = [];
  readonly #patterns: Pattern[] = [];
  #at = 0;

  constructor(
    private readonly of: { readonly table: Table; readonly program: string },
    private readonly words: readonly Word[],
  ) {}

  read(): Arguments {
    if (this.of.table.firstCluster) this.#firstCluster();
    while (this.#at < this.words.length) {
      const word = this.words[this.#at]!;
      this.#at += 1;
      if (isKnown(word) && word.text === '--') {
        this.#operands.push(...this.words.slice(this.#at));
        break;
      }
      if (this.#isOption(word)) this.#option(word);
      else {
        this.#operands.push(word);
        if (couldBeOption(word)) this.#doubtOperand(word);
        if (this.of.table.stops || this.of.table.commands.size > 0) {
          this.#operands.push(...this.words.slice(this.#at));
          break;
        }
      }
    }
    return {
      options: this.#options,
      operands: this.#operands,
      unlisted: this.#unlisted,
      doubts: this.#doubts,
      patterns: this.#patterns,
    };
  }

  #doubtOperand(word: Word): void {
    const before = this.#doubts.length;
    this.#doubt(word, () => true);
    if (this.#doubts.length === before || !isPattern(word)) return;
    this.#doubts.pop();
    this.#patterns.push(word);
  }

  /** No program has that many letters; a word of them is an attempt on the clock. */
  #tooLong(): void {
    this.#doubts.push({ code: 'too-complex', text: `${this.of.program}: a word of too many option letters` });
  }

  #isOption(word: Word): boolean {
    const lead = leadOf(word);
    if (lead.startsWith('+')) return this.of.table.options.has(lead.slice(0, 2));
    return lead.startsWith('-') && (lead.length > 1 || !isKnown(word));
  }

  #firstCluster(): void {
    const word = this.words[0];
    if (!word || leadOf(word).startsWith('-')) return;
    this.#at = 1;
    if (!isKnown(word)) this.#doubt(word, () => true);
    if (leadOf(word).length > MAX_CLUSTER) {
      this.#tooLong();
      return;
    }
    // In the old form the letters come first and their arguments follow in the same order.
    for (const letter of leadOf(word)) {
      const rule = this.of.table.options.get(`-${letter}`);
      if (rule) this.#give(rule, `-${letter}`);
      else this.#unlisted.push(`-${letter}`);
    }
  }

  #option(word: Word): void {
    const lead = leadOf(word);
    if (this.of.table.numbers && /^-\d+$/.test(lead)) {
      if (!isKnown(word)) this.#doubt(word, () => true);
      return;
    }
    if (lead.startsWith('--') || this.of.table.dashWords) this.#long(word, lead);
    else this.#cluster(word, lead);
  }

  #long(word: Word, lead: string): void {
    const equals = lead.indexOf('=');
    if (equals < 0 && !isKnown(word)) {
      this.#doubt(word, name => name.startsWith(lead));
      return;
    }
    const written = equals < 0 ? lead : lead.slice(0, equals);
    const [name, rule] = this.#find(written) ?? [];
    if (!name || !rule) {
      this.#unlisted.push(written);
      return;
    }
    if (equals < 0) this.#give(rule, name);
    else {
      if (rule.arity === 0 && lead.slice(equals + 1) !== 'true') this.#mayBeOff(rule, lead);
      const value: Word = isKnown(word)
        ? { text: word.text.slice(equals + 1) }
        : { opaque: word.opaque, lead: lead.slice(equals + 1) };
      this.#options.push({ rule, name, values: [value, ...this.#take(this.#wants(rule) - 1)] });
    }
  }

  /** Exact, or the option it may be short for; where several are possible, one that matters. */
  #find(written: string): [string, OptionRule] | undefined {
    const { options } = this.of.table;
    const spellings = this.of.table.dashWords
      ? [written, written.startsWith('--') ? written.slice(1) : `-${written}`]
      : [written];
    for (const name of spellings) {
      const exact = options.get(name);
      if (exact) return [name, exact];
    }
    if (!this.of.table.abbreviates || written.length < 3) return undefined;
    let first: [string, OptionRule] | undefined;
    for (const [name, rule] of options) {
      if (!name.startsWith(written) || !name.startsWith('--')) continue;
      if (rule.dangerous) return [name, rule];
      // `column --table` is an option of its own there, and not short for one that takes a word.
      if (this.of.table.otherOptions.does !== 'harmless') first ??= [name, rule];
    }
    return first;
  }

  #cluster(word: Word, lead: string): void {
    for (let index = 1; index < lead.length; index += 1) {
      if (index > MAX_CLUSTER) {
        this.#tooLong();
        return;
      }
      // zip has options of two letters (`-TT`).
      const double = `${lead[0]}${lead.slice(index, index + 2)}`;
      const name = double.length === 3 && this.of.table.options.has(double) ? double : `${lead[0]}${lead[index]}`;
      const rule = this.of.table.options.get(name);
      index += name.length - 2;
      if (!rule) {
        this.#unlisted.push(name);
        continue;
      }
      const rest = lead.slice(index + 1);
      const attached: Word | undefined = isKnown(word)
        ? rest === ''
          ? undefined
          : { text: rest }
        : { opaque: word.opaque, lead: rest };
      if (rule.arity === 0 && rest.startsWith('=')) {
        if (rest !== '=true') this.#mayBeOff(rule, lead);
        this.#options.push({ rule, name, values: [] });
        return;
      }
      if (rule.arity === 0) this.#options.push({ rule, name, values: [] });
      else if (rule.arity === 'digits') {
        const digits = /^(?:x[\da-fA-F]+|[0-7]*)/.exec(rest)![0];
        this.#options.push({ rule, name, values: digits === '' ? [] : [{ text: digits }] });
        index += digits.length;
      } else if (attached) {
        if (!isKnown(attached) && attached.lead === '') this.#mayBeEmpty(word, name);
        this.#options.push({ rule, name, values: [attached, ...this.#take(this.#wants(rule) - 1)] });
        return;
      } else {
        this.#give(rule, name);
        return;
      }
    }
    if (!isKnown(word)) this.#doubt(word, name => (lead.length > 1 ? !name.startsWith('--') : true));
  }

  /** `-n"$x"` with nothing in x takes the next word for its value, and the command behind it begins one word later. */
  #mayBeEmpty(word: Word, name: string): void {
    if (!this.of.table.stops && !this.of.table.command && this.of.table.commands.size === 0) return;
    this.#doubts.push({
      code: 'opaque-option',
      text: `${this.of.program}: the value of ${name} in "${leadOf(word)}…" is not known; if it is empty, the next word is it`,
    });
  }

  /** `-check=false`, `--ignore-scripts false`: many programs take that for the option's absence, which a condition may hang on. */
  #mayBeOff(rule: OptionRule, shown: string): void {
    if (!rule.listed)
      this.#doubts.push({ code: 'opaque-option', text: `${this.of.program}: "${shown}" may switch the option off` });
  }

  #give(rule: OptionRule, name: string): void {
    const next = this.words[this.#at];
    if (rule.arity === 0 && next && isKnown(next) && /^(false|null|off|no|0)$/.test(next.text) && name.length > 2)
      this.#mayBeOff(rule, `${name} ${next.text}`);
    this.#options.push({ rule, name, values: this.#take(this.#wants(rule)) });
  }

  /** How many words an option wants; `rest` wants all of them. */
  #wants(rule: OptionRule): number {
    if (rule.arity === 'rest') return this.words.length;
    return typeof rule.arity === 'number' ? rule.arity : 0;
  }

  #take(count: number): Word[] {
    for (const word of this.words.slice(this.#at, this.#at + Math.max(0, count)))
      if (isSeveral(word)) this.#doubt(word, () => true);
    // A word that becomes several gives the option one of them; the others stand where operands do.
    for (const word of this.words.slice(this.#at, this.#at + Math.max(0, count)))
      if (mayBecomeSeveral(word)) this.#operands.push(word);
    const taken = this.words.slice(this.#at, this.#at + Math.max(0, count));
    this.#at += taken.length;
    return taken;
  }

  #doubt(word: Word, could: (name: string) => boolean): void {
    for (const [name, rule] of this.of.table.options) {
      if (!rule.dangerous || !could(name)) continue;
      const shown = isKnown(word) ? word.text : `${word.lead}…`;
      this.#doubts.push({
        code: 'opaque-option',
        text: `${this.of.program}: the word "${shown}" is not known and could be ${name}`,
      });
      return;
    }
    if (this.of.table.otherOptions.does !== 'harmless' && this.of.table.options.size === 0 && leadOf(word).startsWith('-'))
      this.#doubts.push({ code: 'opaque-option', text: `${this.of.program}: an option word is not known` });
  }
}
