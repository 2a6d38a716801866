import type { Analysis, Analyzer, Effect, FactsQuery, Program, Word } from '../../src/contract/analysis.js';
import type { Approved } from '../../src/contract/answer.js';
import type { SessionFacts } from '../../src/contract/facts.js';
import type { Evaluation, Grant, Policy, Risk } from '../../src/contract/policy.js';
import type { CommandRequest } from '../../src/contract/request.js';
import type { SessionState } from '../../src/contract/session-state.js';
import { createPolicy, type PolicyEngine } from '../../src/policy/create-policy.js';
import type { PolicyParts } from '../../src/policy/evaluate.js';
import { exampleFacts } from '../../src/policy/example-world.js';
import { combine } from '../../src/policy/layers.js';
import { loadPolicy } from '../../src/policy/load.js';

export const STATE: SessionState = {
  cwd: '/repo',
  cwdId: '1:2',
  generation: 1,
  options: 'himBHs',
  family: 'bash',
  executor: 'local',
  user: 'ana(1000)',
  home: '/home/ana',
  workspace: '/repo',
  lineage: 'clean',
};

export const request = (text: string, more: Partial<CommandRequest> = {}): CommandRequest => ({
  kind: 'command',
  id: 'r1',
  sessionId: 's1',
  principal: { kind: 'model', id: 'm1', label: 'a model' },
  text,
  tty: false,
  ...more,
});

export const RISKS: Readonly<Record<string, Risk>> = {
  delete: 'medium',
  recursive: 'low',
  'force-push': 'high',
  'answers-gate': 'high',
};

const word = (text: string): Word => (text.startsWith('?') ? { opaque: 'variable', lead: text.slice(1) } : { text });

/** A program from words; `?lead` is a word nobody knows. */
export function program(words: string, more: Partial<Program> = {}): Program {
  const argv = words.split(' ').map(word);
  return {
    name: argv[0]!,
    argv,
    span: { start: 0, end: words.length },
    via: [],
    effects: [],
    tags: [],
    opaque: [],
    specified: true,
    ...more,
  };
}

export const effect = (kind: Effect['kind'], target?: string): Effect => ({
  kind,
  ...(target !== undefined && { target: word(target) }),
});

/** An analysis that asks for the facts its programs and effects need. */
export function analysis(
  programs: readonly Program[],
  more: Omit<Partial<Analysis>, 'query'> & { readonly query?: Partial<FactsQuery> } = {},
): Analysis {
  const effects = [...programs.flatMap(one => one.effects), ...(more.effects ?? [])];
  const paths = effects.flatMap(({ kind, target }) =>
    (kind === 'read' || kind === 'write') && target && 'text' in target ? [target.text.replace(/\/\*\*$/, '') || '/'] : [],
  );
  const names = programs.flatMap(one => ('text' in one.name && !one.name.text.includes('/') ? [one.name.text] : []));
  const query = { names, variables: [], paths, hashes: [], text: '', ...more.query };
  return { programs, effects: [], opaque: [], ...more, query };
}

export const factsFor = (of: Analysis, more: Partial<Extract<SessionFacts, { known: true }>> = {}): SessionFacts => {
  const facts = exampleFacts(of.query);
  return facts.known ? { ...facts, ...more } : facts;
};

/** Knows one program a line, by splitting at spaces; good enough for rules' examples in these tests. */
export const splitting: Analyzer = {
  analyze: async ({ text }) => analysis(text.split(/ *[;|&]+ */).map(part => program(part))),
};

export async function partsOf(toml: string, analyzer: Analyzer = splitting): Promise<PolicyParts> {
  const policy = await loadPolicy({ texts: [{ name: 'test.toml', text: toml }], analyzer });
  return combine([{ name: 'user', policies: [policy], authority: 'full' }], { risks: RISKS });
}

export async function engineOf(toml: string): Promise<PolicyEngine> {
  return createPolicy(await partsOf(toml));
}

/** Judge hand-made programs where nothing is special. */
export function evaluate(policy: Policy, made: Analysis | readonly Program[], text = 'x'): Evaluation {
  const of = 'programs' in made ? made : analysis(made);
  return policy.evaluate(request(text), STATE, of, factsFor(of));
}

/** A person's yes. */
export const YES = {
  outcome: 'approved',
  questionId: 'q',
  digest: 'd',
  approver: { kind: 'person', id: 'p', label: 'ana' },
  channel: 'terminal',
  level: 'same-user',
} as const satisfies Approved;

export const grant = (more: Partial<Grant>): Grant => ({
  id: 'g1',
  scope: 'session',
  principal: 'm1',
  executor: 'local',
  sessionId: 's1',
  generation: 1,
  hashes: {},
  createdAt: '2026-11-20T00:00:00Z',
  by: 'ana',
  ...more,
});
