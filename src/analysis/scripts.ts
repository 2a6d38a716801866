import type { Span, Word } from '../contract/analysis.js';
import { type Flow, fork, MAX_DEPTH, type Stdin } from './flow.js';
import { parseNow } from './parse.js';
import { rawPrograms } from './raw-scan.js';
import { initialState, type ShellState } from './state.js';
import { isKnown } from './word.js';

/** Shells whose grammar is close enough to bash's for the same walk. */
export const BASH_LIKE: ReadonlySet<string> = new Set(['bash', 'sh', 'dash', 'ash', 'rbash', 'ksh', 'mksh']);

// What bash reads as grammar and other shells of its kind as plain words, or the other way round.
const BASH_ONLY =
  /\$['"]|\{[^\s}]*(?:,|\.\.)|\[\[|(?<!\$)\(\(|<<<|[<>]\(|&>|>&\s*[^\s\d-]|\|&|=\(|(?:^|[\s;&|(])(?:function|select|coproc|time|source|declare|typeset|let)\s|\$\{[^}]*(?:[/^,@]|:[^-=?+])|\$\{!|;;?&|\}[<>]/;

/** Which shell a name like `sh` stands for differs, and with it the grammar: text that depends on it is a reason to ask. */
export function noteDialect(text: string, shell: string, flow: Flow): void {
  if (shell === 'bash' || shell === 'rbash') return;
  // The pattern is quadratic at worst; a longer text is not worth the doubt.
  if (text.length < 4096 && !BASH_ONLY.test(text)) return;
  flow.findings.reason({
    code: 'dialect',
    text: `holds what bash and other shells read differently, and ${shell} may be either`,
    ...(flow.span && { span: flow.span }),
  });
}

export interface ScriptPlace {
  readonly via?: string;
  readonly span: Span;
  readonly stdin?: Stdin;
  /** true: in a shell that is a process of its own. */
  readonly apart?: boolean;
}

/** Walks text that the running shell itself evaluates (`eval`, `trap`, an alias): its state changes are ours. */
export function walkText(text: Word, flow: Flow, place: ScriptPlace): void {
  if (!isKnown(text)) {
    flow.findings.reason({
      // In the session's own shell it may change what every later word means.
      code: flow.beside || place.apart ? 'unknown-code' : 'unseen-code',
      text: `runs shell text that only shows when it runs (${place.via ?? 'eval'})`,
      span: place.span,
    });
    if (text.lead.trim() !== '') walkLead(text.lead, flow, place);
    return;
  }
  // Each level reads the text again.
  if (!flow.findings.step(1 + text.text.length / 32)) return;
  const inner = nested(flow, text.text, place);
  if (!inner) return;
  const { script, reasons } = parseNow(text.text);
  for (const reason of reasons)
    flow.findings.reason({ ...reason, text: `text run by ${place.via ?? 'eval'} ${reason.text}`, span: place.span });
  if (script) inner.walkScript(script, inner);
  else rawPrograms(text.text, inner, place.span);
  flow.state = inner.state;
}

function nested(flow: Flow, source: string, place: ScriptPlace): Flow | undefined {
  if (flow.depth >= MAX_DEPTH) {
    flow.findings.reason({ code: 'too-complex', text: 'nests more texts and wrappers than are analysed' });
    return undefined;
  }
  return fork(flow, {
    source,
    span: place.span,
    depth: flow.depth + 1,
    ...(place.via !== undefined && { via: [...flow.via, place.via] }),
    ...(place.stdin && { stdin: place.stdin }),
  });
}

/** What is known of a script that goes on unknown: its programs are named, so that a deny rule can see them. */
function walkLead(lead: string, flow: Flow, place: ScriptPlace): void {
  const inner = nested(flow, lead, place);
  if (!inner) return;
  const { script } = parseNow(lead);
  if (script) inner.walkScript(script, inner);
}

/** A new shell: what is not exported is gone, functions and aliases with it. */
function freshState(state: ShellState, directories: readonly string[] | undefined): ShellState {
  const variables = new Map([...state.variables].filter(([, variable]) => variable.exported));
  return { ...initialState('/'), directories, variables };
}

/** Walks a script that another shell runs as a process of its own. */
export function walkShell(
  { script, shell, parameters }: { readonly script: Word; readonly shell: string; readonly parameters?: readonly Word[] },
  flow: Flow,
  place: ScriptPlace,
): void {
  const own = fork(flow, {
    state: {
      ...freshState(flow.state, flow.state.directories),
      ...(parameters && { positional: parameters.slice(1) }),
    },
    zero: parameters?.[0],
    loop: undefined,
    call: undefined,
    calling: [],
  });
  if (!BASH_LIKE.has(shell)) {
    own.findings.reason({
      code: 'foreign-grammar',
      text: `runs text in the grammar of ${shell}, which is not analysed`,
      span: place.span,
    });
    const text = isKnown(script) ? script.text : script.lead;
    rawPrograms(text, fork(own, { via: [...own.via, place.via ?? shell] }), place.span);
    return;
  }
  if (isKnown(script)) noteDialect(script.text, shell, fork(flow, { span: place.span }));
  walkText(script, own, { ...place, apart: true });
}
