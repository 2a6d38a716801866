import type { Word } from '../../contract/analysis.js';
import { leadOf } from '../specs/paths.js';
import type { ReadingBuilder } from '../specs/reading-builder.js';
import { type Argument, argumentsIn, listIn } from './code-arguments.js';
import { type Token, tokensOf } from './code-lexer.js';
import { type Call, type CodeLanguage, languageOf } from './code-tables.js';
import { markRoots } from './remove.js';

/** Code in strings of code is looked into so deep. */
const MOST_DEPTH = 3;
/** Tokens between `=` and a function that is only named. */
const MOST_BETWEEN = 20;
/** So many findings of one piece of code are enough. */
const MOST_CALLS = 100;

/**
 * Looks into code for calls that start a program or touch a path, with arguments that the text fixes. The code stays
 * what it is, opaque to an allowance; what is found is there for rules that forbid it.
 */
export function noteCalls(into: ReadingBuilder, code: Word | undefined, program = into.program): void {
  const language = languageOf(program);
  if (language && code) new CallScan(into, language, program).scan(leadOf(code), 0);
}

class CallScan {
  #found = 0;
  #looked = 0;
  #moves = false;
  readonly #needs = new Map<RegExp, { readonly code: string; readonly found: boolean }>();

  constructor(
    private readonly into: ReadingBuilder,
    private readonly language: CodeLanguage,
    private readonly program: string,
  ) {}

  scan(code: string, depth: number): void {
    if (depth > MOST_DEPTH) return;
    const tokens = tokensOf(code, this.language.grammar);
    this.#moves ||= /\bch(?:ange_)?dir\b|\bcwd\b|-C\b/.test(code);
    const aliases = this.#aliases(tokens);
    for (const [, line] of this.language.escapes ? code.matchAll(this.language.escapes) : []) this.#script(line);
    for (const [index, token] of tokens.entries()) {
      if (this.#found > MOST_CALLS || this.#looked > MOST_CALLS) return;
      if (token.kind === 'run') this.#script(token.text, token.lead);
      const named = token.kind === 'string' ? memberName(tokens, index) : token.kind === 'name' ? token.text : undefined;
      if (named === undefined) continue;
      const call = this.#callOf(aliases.get(named) ?? named, code);
      if (!call || this.#isDefinition(tokens, index)) continue;
      this.#looked += 1;
      const given = argumentsIn(tokens, token.kind === 'string' ? index + 1 : index, this.language);
      if (given) this.#act(call, given, { depth, receiver: receiverOf(tokens, index) });
    }
  }

  #callOf(name: string, code: string): Call | undefined {
    const last = this.language.lisp ? name.replace(/^.*[/:.](?=.)/, '') : name;
    return this.language.calls.get(last)?.find(({ needs }) => !needs || this.#holds(code, needs));
  }

  /** Each expression is held against each piece of code once, however many names ask. */
  #holds(code: string, needed: RegExp): boolean {
    const known = this.#needs.get(needed);
    if (known?.code === code) return known.found;
    const found = needed.test(code);
    this.#needs.set(needed, { code, found });
    return found;
  }

  #isDefinition(tokens: readonly Token[], index: number): boolean {
    const before = tokens[index - 1];
    return before?.kind === 'name' && /^(def|function|fn|sub|func|class)$/.test(before.text);
  }

  /** `from os import system as s`, `{execSync: e}`, `const run = cp.execSync`. */
  #aliases(tokens: readonly Token[]): Map<string, string> {
    const aliases = new Map<string, string>();
    for (const [index, token] of tokens.entries()) {
      if (token.kind !== 'name' || !this.language.calls.has(token.text)) continue;
      const [next, after] = [tokens[index + 1], tokens[index + 2]];
      const renames = next?.kind === 'name' ? next.text === 'as' : isMark(next, ':');
      if (renames && after?.kind === 'name') aliases.set(after.text, token.text);
      if (next?.kind === 'mark' && next.text === '(') continue;
      let at = index - 1;
      while (at > Math.max(0, index - MOST_BETWEEN) && isPathPiece(tokens[at])) at -= 1;
      const target = tokens[at - 1];
      if (isMark(tokens[at], '=') && target?.kind === 'name') aliases.set(target.text, token.text);
    }
    return aliases;
  }

  #script(text: string | undefined, lead = ''): void {
    // Of a text that goes on unknown only whole words count.
    const whole = lead.replace(/\S*$/, '');
    if ((text ?? whole).trim() === '') return;
    this.#found += 1;
    const script: Word = text === undefined ? { opaque: 'variable', lead: whole } : { text };
    this.into.start({ script, shell: 'sh', via: `${this.program} code` });
  }

  #program(words: readonly (string | undefined)[]): void {
    const end = words.indexOf(undefined);
    const known = (end < 0 ? words : words.slice(0, end)).map(text => ({ text: text! }));
    if (known.length === 0) return;
    this.#found += 1;
    this.into.start({ argv: known, via: `${this.program} code`, unknownArguments: end >= 0 });
  }

  #path(text: string | undefined): Word | undefined {
    // After a change of directory a relative path is anywhere.
    return text === undefined || text === '' || (this.#moves && !text.startsWith('/')) ? undefined : { text };
  }

  #act({ act, at = 0 }: Call, given: readonly Argument[], { depth, receiver }: Around): void {
    const first = given[at];
    // An environment may stand before the words, and options behind them.
    const words = given.filter(argument => !argument.object);
    switch (act) {
      case 'script':
        if (first?.list) this.#program(first.list);
        else this.#script(first?.text, first?.lead);
        return;
      case 'list':
        if (words.length === 1 && !words[0]!.list) this.#script(words[0]!.text, words[0]!.lead);
        else this.#program(words.flatMap(listIn));
        return;
      case 'file':
        this.#file(given, at);
        return;
      case 'image':
        this.#program([
          first?.text,
          ...given
            .slice(at + 1)
            .flatMap(listIn)
            .slice(1),
        ]);
        return;
      case 'strings':
        this.#program(given.flatMap(listIn).filter(text => text !== undefined));
        return;
      case 'receiver':
        this.#script(receiver);
        return;
      case 'words':
        this.#program(given.slice(at).flatMap(listIn));
        return;
      case 'pipe':
        this.#pipe(given);
        return;
      case 'code':
        for (const { text } of given) if (text !== undefined) this.scan(text, depth + 1);
        return;
      default:
        this.#touch(
          act,
          given.map(argument => argument.text),
          receiver,
        );
    }
  }

  /** A program and its arguments; a lone string may as well be a shell's. */
  #file(given: readonly Argument[], at: number): void {
    const first = given[at];
    if (first?.text === undefined) {
      if (first?.list) this.#program(first.list);
      else this.#script(undefined, first?.lead);
      return;
    }
    const rest = given
      .slice(at + 1)
      .filter(argument => !argument.object)
      .flatMap(listIn);
    if (/\s/.test(first.text)) this.#script(first.text);
    else this.#program([first.text, ...rest]);
  }

  /** `open(F, "ls |")`, `open(F, "-|", "ls", "-l")`, `open("|ls")`. */
  #pipe(given: readonly Argument[]): void {
    const texts = given.flatMap(listIn);
    const mode = texts.findIndex(text => text === '-|' || text === '|-');
    if (mode >= 0) {
      const words = texts.slice(mode + 1);
      if (words.length === 1) this.#script(words[0]);
      else this.#program(words);
      return;
    }
    for (const text of texts) {
      const command = /^\s*\|\s*([^-].*)$/s.exec(text ?? '') ?? /^([^|]*[^|\s])\s*\|\s*$/s.exec(text ?? '');
      if (command) this.#script(command[1]);
    }
    const [name, how] = [texts.findLast(text => text !== undefined), texts.find(text => /^\s*\+?[<>]/.test(text ?? ''))];
    const path = this.#path(name?.replace(/^\s*\+?[<>]{1,2}\s*/, '').replace(/^\||\|$/, ''));
    if (path && !/\|/.test(name!)) this.into[how?.includes('>') ? 'write' : 'read'](path, { detail: 'code' });
  }

  #touch(act: Call['act'], texts: readonly (string | undefined)[], receiver: string | undefined): void {
    const { into } = this;
    const path = this.#path(/^(?:read|write|delete)$/.test(act) && receiver !== undefined ? receiver : texts[0]);
    if (!path) return;
    this.#found += 1;
    const detail = 'code';
    if (act === 'open') into[/^[^r]|\+/.test(texts[1] ?? 'r') ? 'write' : 'read'](path, { detail });
    if (act === 'read' || act === 'copy') into.read(path, { detail });
    if (act === 'write' || act === 'delete' || act === 'move') into.write(path, { detail });
    if (act === 'delete') into.tag('delete');
    if (act === 'tree') {
      into.write(path, { tree: true, detail });
      into.tag('delete', 'recursive');
      markRoots(into, [path]);
    }
    const target = act === 'copy' || act === 'move' ? this.#path(texts[1]) : undefined;
    if (target) into.write(target, { detail });
  }
}

interface Around {
  readonly depth: number;
  /** The path of `Path("x").read_text()`. */
  readonly receiver: string | undefined;
}

const isMark = (token: Token | undefined, text: string): boolean => token?.kind === 'mark' && token.text === text;

/** What may stand between `=` and a function that is only named: `cp.`, `require("x").`. */
const isPathPiece = (token: Token | undefined): boolean =>
  token?.kind === 'name' || token?.kind === 'string' || (token?.kind === 'mark' && /[.()[\]{:]/.test(token.text));

/** `getattr(os, "system")(…)`, `cp["exec"](…)`. */
function memberName(tokens: readonly Token[], index: number): string | undefined {
  const [token, close] = [tokens[index], tokens[index + 1]];
  const isMember = close?.kind === 'mark' && /^[)\]]$/.test(close.text) && isMark(tokens[index + 2], '(');
  return isMember && token?.kind === 'string' ? token.text : undefined;
}

function receiverOf(tokens: readonly Token[], index: number): string | undefined {
  const literal = tokens[index - 2];
  if (isMark(tokens[index - 1], '.') && literal?.kind === 'string') return literal.text;
  const text = tokens[index - 3];
  const isReceiver = isMark(tokens[index - 1], '.') && isMark(tokens[index - 2], ')') && isMark(tokens[index - 4], '(');
  const maker = tokens[index - 5];
  const isPath = maker?.kind === 'name' && /^(?:Path|PurePath|PosixPath|Pathname|file)$/.test(maker.text);
  return isReceiver && isPath && text?.kind === 'string' ? text.text : undefined;
}
