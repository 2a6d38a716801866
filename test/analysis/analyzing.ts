import { createAnalyzer } from '../../src/analysis/analyzer.js';
import type { SpecLookup } from '../../src/analysis/spec.js';
import type { Analysis, Effect, Program, Word } from '../../src/contract/analysis.js';
import type { CommandRequest } from '../../src/contract/request.js';
import type { SessionState } from '../../src/contract/session-state.js';

export const WORKSPACE = '/home/ana/project';

export const sessionState = (changes: Partial<SessionState> = {}): SessionState => ({
  cwd: WORKSPACE,
  cwdId: '1:1',
  generation: 1,
  options: 'hBc',
  family: 'bash',
  executor: 'local',
  user: 'ana(1000)',
  home: '/home/ana',
  workspace: WORKSPACE,
  lineage: 'clean',
  ...changes,
});

export const commandRequest = (text: string, changes: Partial<CommandRequest> = {}): CommandRequest => ({
  kind: 'command',
  id: 'request',
  sessionId: 'session',
  principal: { kind: 'model', id: 'model', label: 'model' },
  text,
  tty: false,
  ...changes,
});

export interface AnalyzeOptions {
  readonly specs?: SpecLookup;
  readonly state?: Partial<SessionState>;
  readonly request?: Partial<CommandRequest>;
  readonly signal?: AbortSignal;
}

/** Analyses a text, without specs unless they are given: what the core knows by itself. */
export function analyze(text: string, options: AnalyzeOptions = {}): Promise<Analysis> {
  const analyzer = createAnalyzer({ specs: options.specs ?? (() => undefined) });
  const signal = options.signal ?? new AbortController().signal;
  return analyzer.analyze(commandRequest(text, options.request), sessionState(options.state), signal);
}

/** `⟨code:lead⟩` for an opaque word. */
export const shown = (word: Word): string => ('text' in word ? word.text : `⟨${word.opaque}:${word.lead}⟩`);
export const line = (program: Program): string => program.argv.map(shown).join(' ');
export const shownEffect = ({ kind, target }: Effect): string => (target ? `${kind} ${shown(target)}` : kind);

/** Everything that makes the line ask, wherever it is said. */
export const reasonCodes = (analysis: Analysis): string[] => [
  ...analysis.opaque.map(({ code }) => code),
  ...analysis.programs.flatMap(({ opaque }) => opaque.map(({ code }) => code)),
];
