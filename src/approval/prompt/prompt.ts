import type { Question } from '../../contract/question.js';
import { Dialog, type Said, type Step } from './dialog.js';
import { createKeyReader } from './key-reader.js';
import { type LineEntry, lineEntry } from './line-entry.js';
import { createPainter } from './painter.js';
import { renderQuestion } from './question-text.js';
import { renderRule } from './rule-text.js';
import type { Tty } from './tty.js';

/** The question was answered, expired or cancelled elsewhere, with a sentence that says how. */
export type Ended = { readonly outcome: 'ended'; readonly sentence: string };

export interface PromptContext {
  readonly tty: Tty;
  /** Aborts with a sentence when the question ends elsewhere. */
  readonly signal: AbortSignal;
  /** How many others wait for this person. */
  waiting(): number;
}

/** One question on one terminal, from its first drawing to what the person said. */
export interface Prompt {
  readonly said: Promise<Said | Ended>;
  /** Something beside the question changed. Keys go on counting. */
  refresh(): void;
}

const COUNTDOWN_MS = 60_000;
const LABELS = { no: 'tell the assistant why (Enter: just no): ', edit: 'run instead: ', rule: 'rule: ' };

export function showPrompt(question: Question, { tty, signal, waiting }: PromptContext): Prompt {
  const dialog = new Dialog(question);
  const painter = createPainter(tty);
  let entry: LineEntry | undefined;
  let tick: NodeJS.Timeout | undefined;
  let settle: ((said: Said | Ended) => void) | undefined;
  const said = new Promise<Said | Ended>(resolve => {
    settle = resolve;
  });
  const keys = createKeyReader({
    key: byte => take(dialog.press(byte)),
    noise: () => {
      if (dialog.noise()) refresh();
    },
  });

  function paint(end?: string): void {
    const { columns, rows } = tty;
    const notice = dialog.typed === '' ? dialog.notice : `typed: ${dialog.typed}`;
    const frame = { columns, rows, ...(notice !== undefined && { notice }), ...(end !== undefined && { end }) };
    const drawing = dialog.rule
      ? renderRule(question, dialog.rule, frame)
      : renderQuestion(question, { ...frame, view: dialog.view, page: dialog.page, waiting: waiting(), now: Date.now() });
    painter.paint(drawing.lines);
    dialog.shown(drawing.page, drawing.pages);
  }

  function refresh(): void {
    if (!settle || entry) return;
    paint();
    clearTimeout(tick);
    const left = Date.parse(question.expiresAt) - Date.now();
    const next = left > COUNTDOWN_MS ? Math.min(left - COUNTDOWN_MS, COUNTDOWN_MS) : left % 1_000 || 1_000;
    tick = setTimeout(refresh, next).unref();
  }

  function draw(): void {
    refresh();
    if (settle) keys.drawn();
  }

  function take(step: Step): void {
    if (step.step === 'answer') end(step.said);
    else if (step.step === 'enter') void enter(step.entry, step.entry === 'no' ? '' : textOf(step.entry));
    else if (step.step === 'draw') draw();
    else refresh();
  }

  function textOf(kind: 'edit' | 'rule'): string {
    return kind === 'edit' ? question.request.text : (dialog.rule?.suggestion.rule.command ?? '');
  }

  /** A line below the question. */
  async function enter(kind: 'no' | 'edit' | 'rule', initial: string): Promise<void> {
    painter.enterLineBelow();
    entry = lineEntry(tty, LABELS[kind], initial);
    const left = await entry.end;
    entry = undefined;
    if (!settle) return;
    if (left.outcome === 'entered') {
      entered(kind, left.text);
    } else if (left.outcome === 'interrupt' || left.outcome === 'eof') {
      end({ outcome: 'denied', how: left.outcome });
    } else {
      draw();
      if (left.outcome === 'resized') await enter(kind, left.text);
    }
  }

  function entered(kind: 'no' | 'edit' | 'rule', text: string): void {
    const isBlank = text.trim() === '';
    if (kind === 'no') {
      end({ outcome: 'denied', how: 'answered', ...(!isBlank && { feedback: text.trim() }) });
    } else if (kind === 'edit' && !isBlank && text !== question.request.text) {
      end({ outcome: 'edited', text });
    } else {
      if (kind === 'rule') dialog.useRule(text);
      else dialog.notice = 'nothing was changed';
      draw();
    }
  }

  const endedElsewhere = () => end({ outcome: 'ended', sentence: String(signal.reason) });

  function end(how: Said | Ended): void {
    const tell = settle;
    if (!tell) return;
    settle = undefined;
    clearTimeout(tick);
    keys.close();
    signal.removeEventListener('abort', endedElsewhere);
    void leave(how).finally(() => tell(how));
  }

  /** The question stays on the screen, with its end in place of the keys. */
  async function leave(how: Said | Ended): Promise<void> {
    entry?.stop('closed');
    await entry?.end;
    dialog.show('ask');
    [dialog.notice, dialog.typed] = [undefined, ''];
    paint(sentenceFor(how));
    tty.write('\r\n');
  }

  tty.onRead(bytes => (entry ?? keys).read(bytes));
  tty.onResize(() => (entry ? entry.stop('resized') : draw()));
  tty.onClosed(() => end({ outcome: 'denied', how: 'closed' }));
  signal.addEventListener('abort', endedElsewhere, { once: true });
  draw();
  if (signal.aborted) endedElsewhere();
  return { said, refresh };
}

function sentenceFor(how: Said | Ended): string {
  switch (how.outcome) {
    case 'approved':
      if (!how.remember) return 'allowed once';
      return how.remember.scope === 'session' ? 'allowed, remembered for this session' : 'allowed, remembered always';
    case 'edited':
      return 'edited; the new text is judged now';
    case 'ended':
      return how.sentence;
    case 'denied':
      return how.feedback === undefined ? 'denied' : 'denied, and the assistant is told why';
  }
}
