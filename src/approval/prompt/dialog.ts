import type { DeniedHow, Remember } from '../../contract/answer.js';
import type { Suggestion } from '../../contract/policy.js';
import type { Question } from '../../contract/question.js';
import { canRemember, missingLevel } from './question-facts.js';
import type { PromptView } from './question-text.js';

/** What a person said at the terminal. */
export type Said =
  | { readonly outcome: 'approved'; readonly remember?: Remember }
  | { readonly outcome: 'denied'; readonly how: DeniedHow; readonly feedback?: string }
  | { readonly outcome: 'edited'; readonly text: string };

/** What one key asks for. `draw`: the question looks different now, later keys are meant for that. `repaint`: it does not. */
export type Step =
  | { readonly step: 'answer'; readonly said: Said }
  | { readonly step: 'enter'; readonly entry: 'no' | 'edit' | 'rule' }
  | { readonly step: 'draw' | 'repaint' };

/** A rule that `a` would keep, as it stands on the screen. */
export interface ShownRule {
  readonly suggestion: Suggestion;
  readonly isEdited: boolean;
}

const [INTERRUPT, EOF, LINE_FEED, RETURN, ESCAPE, BACKSPACE, DELETE] = [0x03, 0x04, 0x0a, 0x0d, 0x1b, 0x08, 0x7f];
const DRAW: Step = { step: 'draw' };
const REPAINT: Step = { step: 'repaint' };

/** The conversation about one question: where it stands, and what a key that counts does there. Knows no terminal. */
export class Dialog {
  view: PromptView = 'ask';
  /** Wanted; the drawing says which one it became. */
  page = 0;
  /** The last page of the question was on the screen: a yes counts from here on. */
  sawAll = false;
  rule: ShownRule | undefined;
  notice: string | undefined;
  /** Letters of `yes` so far (high risk). */
  typed = '';

  constructor(readonly question: Question) {}

  /** What was drawn; a yes counts once the last page was. */
  shown(page: number, pages: number): void {
    this.page = page;
    if (this.view === 'ask' && !this.rule && page === pages - 1) this.sawAll = true;
  }

  /** Something came that is no key. Returns true when that changes what is shown. */
  noise(): boolean {
    if (this.typed === '') return false;
    this.typed = '';
    this.notice = 'keys count one by one here: type it again';
    return true;
  }

  press(byte: number): Step {
    this.notice = undefined;
    if (byte === INTERRUPT) return no('interrupt');
    if (byte === EOF) return no('eof');
    const key = String.fromCharCode(byte);
    const isEnter = byte === RETURN || byte === LINE_FEED;
    if (this.rule) return isEnter || byte === ESCAPE ? this.show('ask') : this.#ruleKey(key);
    if (this.#turnsPage(key)) return DRAW;
    if (this.view !== 'ask') return isEnter || byte === ESCAPE || key === 'x' || key === 'v' ? this.show('ask') : REPAINT;
    if (byte === ESCAPE) return no('escape');
    if (missingLevel(this.question) !== undefined) return isEnter ? no('enter') : key === 'e' ? REPAINT : this.#commonKey(key);
    if (this.question.evaluation.risk === 'high')
      return this.#typedWord(byte, key) ?? (isEnter ? no('enter') : this.#commonKey(key));
    return isEnter ? no('enter') : (this.#yesKey(key) ?? this.#commonKey(key));
  }

  show(view: PromptView): Step {
    this.rule = undefined;
    this.view = view;
    this.page = 0;
    return DRAW;
  }

  /** A rule was edited by the person. */
  useRule(command: string): void {
    const { suggestion } = this.rule!;
    if (command.trim() === '' || command === suggestion.rule.command) return;
    this.rule = { suggestion: { ...suggestion, rule: { ...suggestion.rule, command } }, isEdited: true };
  }

  #turnsPage(key: string): boolean {
    const to = { ' ': this.page + 1, b: this.page - 1, '<': 0, '>': Number.MAX_SAFE_INTEGER }[key];
    if (to === undefined || this.typed !== '') return false;
    this.page = to;
    return true;
  }

  /** High risk: `yes`, letter by letter, then Enter. Undefined for a key that has no part in it. */
  #typedWord(byte: number, key: string): Step | undefined {
    if ('yes'.startsWith(this.typed + key)) {
      this.typed += key;
      return REPAINT;
    }
    const typed = this.typed;
    if (typed === '') return undefined;
    this.typed = byte === BACKSPACE || byte === DELETE ? typed.slice(0, -1) : '';
    const isEnter = byte === RETURN || byte === LINE_FEED;
    if (!isEnter) return REPAINT;
    return typed === 'yes' ? this.#ifSeen({ outcome: 'approved' }) : undefined;
  }

  #yesKey(key: string): Step | undefined {
    if (key === 'y') return this.#ifSeen({ outcome: 'approved' });
    if ((key !== 's' && key !== 'a') || !canRemember(this.question)) return undefined;
    if (key === 's') return this.#ifSeen({ outcome: 'approved', remember: sessionGrant(this.question) });
    const suggestion = this.question.evaluation.suggestions.find(({ scope }) => scope === 'always');
    if (!suggestion) return undefined;
    if (!this.sawAll) return this.#moreToSee();
    this.rule = { suggestion, isEdited: false };
    return DRAW;
  }

  #commonKey(key: string): Step {
    if (key === 'x') return this.show('explain');
    if (key === 'v') return this.show('text');
    if (key === 'n') return { step: 'enter', entry: 'no' };
    return key === 'e' ? { step: 'enter', entry: 'edit' } : REPAINT;
  }

  #ruleKey(key: string): Step {
    const { rule } = this.rule!.suggestion;
    if (key === 'y') return { step: 'answer', said: { outcome: 'approved', remember: { scope: 'always', rule } } };
    return key === 'e' && rule.command !== undefined ? { step: 'enter', entry: 'rule' } : REPAINT;
  }

  #ifSeen(said: Said): Step {
    return this.sawAll ? { step: 'answer', said } : this.#moreToSee();
  }

  #moreToSee(): Step {
    this.notice = 'there is more: space shows the next page, a yes counts after the last';
    return REPAINT;
  }
}

function no(how: DeniedHow): Step {
  return { step: 'answer', said: { outcome: 'denied', how } };
}

/** What `s` remembers: the rules the policy offers for the session, else exactly this text. */
function sessionGrant(question: Question): Remember {
  const offers = question.evaluation.suggestions.filter(({ scope }) => scope === 'session');
  const [only] = offers;
  if (offers.length !== 1 || !only) return { scope: 'session' };
  return { scope: 'session', rule: only.rule, ...(only.also && { also: only.also }) };
}
