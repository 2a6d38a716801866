import type { Question } from '../../contract/question.js';
import { sessionLabel } from '../../contract/request.js';
import { displayForm, oneLine } from '../display.js';
import {
  canRemember,
  effectText,
  homePath,
  intoWhat,
  matchText,
  missingLevel,
  partFacts,
  whyLines,
  wordText,
} from './question-facts.js';
import { clip, flow, hardWrap, padEnd, width, wordWrap } from './text-layout.js';

/** `ask`: the question itself. `explain` and `text`: looked at on the way, no answer is taken there. */
export type PromptView = 'ask' | 'explain' | 'text';

export interface PromptFrame {
  /** Size of the terminal. Lines are at most `columns - 1` cells, never fewer than 39. */
  readonly columns: number;
  readonly rows: number;
  readonly view: PromptView;
  /** Counted from 0; clamped. */
  readonly page: number;
  /** Other questions waiting for this person. */
  readonly waiting: number;
  /** ms since the epoch. */
  readonly now: number;
  /** A line that tells why the last key did not count, or what was typed so far. */
  readonly notice?: string;
  /** How it ended; stands in place of the keys. */
  readonly end?: string;
}

export interface PromptPage {
  readonly lines: readonly string[];
  readonly page: number;
  readonly pages: number;
}

const SECONDS_SHOWN = 60;
const NARROWEST = 39;
const FEWEST_BODY_ROWS = 3;

/** Screens c and d: a question as lines for a terminal. Every line derives from the bytes that will run. */
export function renderQuestion(question: Question, frame: PromptFrame): PromptPage {
  const cells = Math.max(NARROWEST, frame.columns - 1);
  const head = header(question, frame, cells);
  const body = bodyOf(question, frame.view, cells - 2);
  const full = footer(question, frame, { cells, paged: true });
  const room = frame.rows - 1 - head.length - full.length - (frame.notice === undefined ? 0 : 1);
  const size = Math.max(FEWEST_BODY_ROWS, room);
  const pages = Math.max(1, Math.ceil(body.length / size));
  const page = Math.min(Math.max(0, frame.page), pages - 1);
  const lines = [
    ...head,
    ...body.slice(page * size, (page + 1) * size).map(line => `│ ${line}`.trimEnd()),
    ...(frame.notice === undefined ? [] : [clip(`│ ${frame.notice}`, cells)]),
    ...footer(question, frame, { cells, paged: pages > 1 }),
  ];
  const isPart = pages > 1 && frame.end === undefined;
  return { lines: isPart ? withPosition(lines, `page ${page + 1} of ${pages}`, cells) : lines, page, pages };
}

/** The page number stands at the end of the last line of keys, or on a line of its own. */
function withPosition(lines: readonly string[], position: string, cells: number): string[] {
  const last = lines.at(-1)!;
  const rest = lines.slice(0, -1);
  return width(last) + 3 + width(position) <= cells ? [...rest, `${last}   ${position}`] : [...rest, `│ ${position}`, last];
}

function header(question: Question, frame: PromptFrame, cells: number): string[] {
  const { request, state, evaluation } = question;
  const { principal } = request;
  const says = principal.id === principal.label ? '' : ` (${oneLine(principal.id)})`;
  const who = `${question.id}  ${oneLine(principal.label)} asks${says}`;
  const place = [
    `session ${clip(oneLine(sessionLabel(request.sessionId)), 16)}`,
    homePath(state.cwd, state.home),
    state.family,
    ...(state.executor === 'local' ? [] : [oneLine(state.executor)]),
    ...(request.kind === 'input' ? [`types into ${intoWhat(question)}`] : request.tty ? ['on a terminal'] : []),
    ...(request.background ? ['in the background'] : []),
  ].join(' · ');
  const queue = frame.waiting > 0 ? `${frame.waiting} more waiting` : '';
  const high = evaluation.risk === 'high' ? `HIGH: ${oneLine(evaluation.riskReason ?? 'high risk')}` : '';
  const items = [who, place, high, queue].filter(Boolean);
  return flow(items, '   ', cells - 2).map((line, index) => `${index === 0 ? '┌' : '│'} ${line}`);
}

/** The last body of a question: pages of a long text are turned without wrapping it again. */
const bodies = new WeakMap<Question, { readonly key: string; readonly lines: readonly string[] }>();

function bodyOf(question: Question, view: PromptView, cells: number): readonly string[] {
  const key = `${view} ${cells}`;
  const before = bodies.get(question);
  if (before?.key === key) return before.lines;
  const lines = BODIES[view](question, cells);
  bodies.set(question, { key, lines });
  return lines;
}

const BODIES: Readonly<Record<PromptView, (question: Question, cells: number) => string[]>> = {
  ask: (question, cells) => [
    ...question.display.warnings.flatMap(warning => hanging('! ', warning, cells)),
    ...commandLines(question, cells),
    ...stdinLines(question, cells),
    ...partLines(question, cells),
    ...lineEffects(question, cells),
    ...fileLines(question, cells),
    ...taintLines(question, cells),
    ...labelled('why: ', whyLines(question), cells),
    ...descriptionLine(question, cells),
  ],
  text: (question, cells) => [
    ...commandLines(question, cells),
    ...stdinLines(question, cells),
    ...labelled('the assistant says: ', [oneLine(question.request.description ?? '')].filter(Boolean), cells),
  ],
  explain: explainLines,
};

/** The text line by line: `$` starts it, `>` each further line of it, nothing a piece that the edge broke off. */
function commandLines(question: Question, cells: number): string[] {
  const isInput = question.request.kind === 'input';
  return question.display.text.split('\n').flatMap((line, number) => {
    const mark = isInput ? '< ' : number === 0 ? '$ ' : '> ';
    return hardWrap(line, cells - 2).map((piece, index) => (index === 0 ? mark : '  ') + piece);
  });
}

function stdinLines({ request }: Question, cells: number): string[] {
  if (request.stdin === undefined) return [];
  const form = displayForm(request.stdin);
  return [
    `standard input, ${Buffer.byteLength(request.stdin)} bytes:`,
    ...form.warnings.flatMap(warning => hanging('! ', warning, cells)),
    ...form.text.split('\n').flatMap(line => hardWrap(line, cells - 2).map((piece, i) => (i === 0 ? '< ' : '  ') + piece)),
  ];
}

/** One part a line where there is room: number, text, verdict, what it does, what its name means. */
function partLines(question: Question, cells: number): string[] {
  const parts = partFacts(question);
  const textCells = Math.min(Math.max(0, ...parts.map(part => width(part.text))), Math.max(12, Math.floor(cells / 4)));
  const numberCells = String(parts.length).length;
  return parts.flatMap((part, index) => {
    const number = String(index + 1).padStart(numberCells);
    const lead = `  ${number}  ${padEnd(clip(part.text, textCells), textCells)}  ${padEnd(part.verdict, 5)}  `;
    const room = cells - width(lead);
    const does = room >= 20 ? wordWrap(part.does, room) : ['', ...wordWrap(part.does, cells - 6)];
    const indent = ' '.repeat(room >= 20 ? width(lead) : 6);
    const lines = does.map((line, i) => (i === 0 ? lead : indent) + line);
    const last = lines.at(-1)!;
    if (part.meaning === '') return lines;
    if (width(last.trimEnd()) + 2 + width(part.meaning) <= cells) {
      return [...lines.slice(0, -1), padEnd(last.trimEnd(), cells - width(part.meaning)) + part.meaning];
    }
    return [...lines, ...hanging(indent, part.meaning, cells)];
  });
}

/** Redirections, assignments and reasons that concern the whole line. */
function lineEffects({ analysis, state }: Question, cells: number): string[] {
  const effects = analysis.effects.map(effect => effectText(effect, state.home));
  return labelled('also: ', [...effects, ...analysis.opaque.map(reason => oneLine(reason.text))], cells);
}

function fileLines({ files, state }: Question, cells: number): string[] {
  const shown = files.map(file => `${homePath(file.path, state.home)} (content ${file.sha256.slice(0, 8)})`);
  return labelled('relies on: ', shown, cells);
}

function taintLines({ state }: Question, cells: number): string[] {
  return state.lineage === 'clean'
    ? []
    : hanging('! ', `this shell is tainted: ${oneLine(state.taint ?? 'unknown cause')}`, cells);
}

function descriptionLine({ request }: Question, cells: number): string[] {
  return request.description ? [clip(`the assistant says: ${oneLine(request.description)}`, cells)] : [];
}

function explainLines(question: Question, cells: number): string[] {
  const { evaluation, analysis } = question;
  const several = analysis.programs.length > 1;
  const risk = `risk ${evaluation.risk}${evaluation.riskReason ? `: ${oneLine(evaluation.riskReason)}` : ''}`;
  const programs = partFacts(question).flatMap((part, index) => {
    const program = analysis.programs[index]!;
    return [
      ...hanging(`${index + 1}  `, part.text, cells),
      ...labelled('   runs: ', [oneLine(program.argv.map(wordText).join(' '))], cells),
      ...labelled('   inside: ', program.via.map(oneLine), cells),
      ...labelled('   does: ', part.does === '' ? [] : [part.does], cells),
      ...labelled('   tags: ', program.tags.length > 0 ? [program.tags.map(oneLine).join(', ')] : [], cells),
      ...labelled('   is: ', part.meaning === '' ? [] : [part.meaning], cells),
    ];
  });
  const matches = evaluation.matches.map(match =>
    matchText(
      match,
      `${match.decision} by ${match.source}${several && match.part !== undefined ? ` for ${match.part + 1}` : ''}: `,
    ),
  );
  return [
    ...hanging('', risk, cells),
    ...programs,
    ...labelled('verdicts: ', matches, cells),
    ...hanging('', `digest ${evaluation.digest}`, cells),
  ];
}

/** The keys of this moment, then what silence means. */
function footer(question: Question, frame: PromptFrame, { cells, paged }: { cells: number; paged: boolean }): string[] {
  if (frame.end !== undefined)
    return wordWrap(oneLine(frame.end), cells - 4).map((line, i) => (i === 0 ? `└ → ${line}` : `    ${line}`));
  const left = Math.ceil((Date.parse(question.expiresAt) - frame.now) / 1_000);
  const countdown = left <= SECONDS_SHOWN ? [`${Math.max(0, left)} s left`] : [];
  const turn = paged ? ['space next page', 'b back'] : [];
  const keys =
    frame.view === 'ask' ? [...answerKeys(question), ...turn, ...countdown] : [...turn, ...countdown, 'Enter = back, ^C = no'];
  return flow(keys, '   ', cells - 2).map((line, index, all) => `${index === all.length - 1 ? '└' : '│'} ${line}`);
}

function answerKeys(question: Question): string[] {
  const missing = missingLevel(question);
  if (missing !== undefined) return [missing, 'n no + why', 'x explain', 'v full text', 'Enter, Esc, ^C = no'];
  if (question.evaluation.risk === 'high') {
    return ['type yes to run it once', 'e edit', 'n no + why', 'x explain', 'v full text', 'Enter, Esc, ^C = no'];
  }
  const offers = canRemember(question) ? question.evaluation.suggestions : [];
  return [
    'y once',
    ...(canRemember(question) ? [`s session: ${clip(sessionOffer(question), 40)}`] : []),
    ...(offers.some(({ scope }) => scope === 'always') ? ['a always…'] : []),
    'e edit',
    'n no + why',
    'x explain',
    'v full text',
    'Enter = no',
  ];
}

/** What `s` would remember: the rules the policy offers for the session, else exactly this text. */
function sessionOffer(question: Question): string {
  const offers = question.evaluation.suggestions.filter(({ scope }) => scope === 'session');
  const [only] = offers;
  if (offers.length !== 1 || !only) return 'exactly this';
  return oneLine([only.rule, ...(only.also ?? [])].map(({ command, id }) => command ?? id).join(', '));
}

function labelled(label: string, items: readonly string[], cells: number): string[] {
  return items.flatMap((item, index) => hanging(index === 0 ? label : ' '.repeat(label.length), item, cells));
}

function hanging(lead: string, text: string, cells: number): string[] {
  return wordWrap(text, Math.max(10, cells - lead.length)).map((line, i) => (i === 0 ? lead : ' '.repeat(lead.length)) + line);
}
