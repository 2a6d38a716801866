import type { Grant, Match, Rule } from '../contract/policy.js';
import { type CompiledRule, compileRule } from './compiled-rule.js';
import type { Context } from './context.js';
import { coverage } from './coverage.js';
import { isInside } from './effect-pattern.js';
import type { Judgement, OpenMatch, PolicyParts } from './evaluate.js';
import { isHighRisk, riskOf } from './risk.js';
import { indexOf } from './rule-index.js';
import { allowsProgram } from './rule-match.js';
import type { Subject } from './subject.js';

/** Where grants are kept: in memory for a session, in a file for always. */
export interface GrantStore {
  /** All that are in force, revoked ones left out. */
  list(): readonly Grant[];
  /** Rejects when it could not be kept. */
  add(grant: Grant): Promise<void>;
  /** false: there is no such grant. */
  revoke(id: string): Promise<boolean>;
  /** Why some that were kept are not in force; undefined while all is well. */
  problem?(): string | undefined;
}

/** A grant with its rules compiled; one that no longer compiles grants nothing. */
interface ActiveGrant {
  readonly grant: Grant;
  readonly compiled: readonly CompiledRule[];
}

export const rulesOf = ({ rule, also = [] }: Grant): readonly Rule[] => (rule ? [rule, ...also] : []);

const compiledGrants = new WeakMap<Grant, ActiveGrant>();

function activate(grant: Grant): ActiveGrant {
  const known = compiledGrants.get(grant);
  if (known) return known;
  let active: ActiveGrant = { grant, compiled: [] };
  try {
    active = { grant, compiled: rulesOf(grant).map(compileRule) };
  } catch {
    // It stays listed so that it can be seen and revoked.
  }
  compiledGrants.set(grant, active);
  return active;
}

/** Bound to who asked, where it runs, and for a session to this very shell. */
function belongsTo({ grant }: ActiveGrant, { request, state }: Context): boolean {
  if (grant.principal !== request.principal.id || grant.executor !== state.executor) return false;
  return grant.scope === 'always' || (grant.sessionId === request.sessionId && grant.generation === state.generation);
}

/** Does every file the answer relied on still have its content, every vouched program its place? */
function stillHolds({ grant }: ActiveGrant, { facts, analysis }: Context): boolean {
  if (!facts.known) return false;
  const files = analysis.query.hashes.every(path => {
    const wanted = Object.hasOwn(grant.hashes, path) ? grant.hashes[path] : undefined;
    return wanted === undefined || facts.hashes[path]?.sha256 === wanted;
  });
  const names = Object.entries(grant.names ?? {}).every(([name, path]) => {
    const asked = Object.hasOwn(facts.names, name) ? facts.names[name] : undefined;
    return asked === undefined || asked.path === path;
  });
  return files && names;
}

/**
 * What grants answer in a judgement. A grant turns an ask of a rule or of the default into allow, per part: never a deny,
 * the floor, what is opaque, what the session says about itself, or a part of high risk. `changed` names files that have
 * another content than the one that was allowed.
 */
export function grantAnswers(
  grants: readonly Grant[],
  parts: PolicyParts,
  judgement: Judgement,
): { answers: (open: OpenMatch) => Match | undefined; changed: readonly Match[] } {
  const { context, open } = judgement;
  const own = grants.map(activate).filter(active => belongsTo(active, context));
  if (own.length === 0 || !open.some(({ answerable }) => answerable)) return { answers: () => undefined, changed: [] };
  const active = own.filter(grant => stillHolds(grant, context));
  const exact = active.find(({ grant }) => isExactly(grant, context));
  if (exact && riskOf(context, 'ask', parts.risks).risk !== 'high') {
    return { answers: ({ match }) => grantMatch(exact.grant, match.part), changed: [] };
  }
  const byRule = active.filter(({ compiled }) => compiled.length > 0);
  const granted = byRule.flatMap(({ compiled }) => compiled);
  const extended = coverage(context, indexOf(parts.rules), granted);
  const covers = (grant: ActiveGrant, subject: Subject) =>
    !isHighRisk(subject.program, parts.risks) && grant.compiled.some(rule => allowsProgram(rule, subject, context));
  const coveringPart = context.subjects.map(subject => byRule.filter(grant => covers(grant, subject)));
  const inUse = [...new Set(coveringPart.flat())];

  const answers = ({ match, answerable }: OpenMatch): Match | undefined => {
    const { part } = match;
    if (answerable?.file) {
      const { path, sha256 } = answerable.file;
      const grant = inUse.find(
        candidate => Object.hasOwn(candidate.grant.hashes, path) && candidate.grant.hashes[path] === sha256,
      );
      return grant && grantMatch(grant.grant, part);
    }
    const covering = part === undefined ? inUse : coveringPart[part]!;
    const place = answerable?.gap?.place;
    // Where a program stands is the same for every line: who vouched for the place once has done so for all of them.
    const vouchers = place && !isInside(place.path, context.state.workspace) ? byRule : covering;
    const vouching = place ? vouchers.filter(({ grant }) => grant.names?.[place.name] === place.path) : covering;
    const left = part === undefined ? extended.line : extended.missing[part]!;
    const isLeft = left.some(gap => gap.reason === match.reason && gap.place === undefined);
    return vouching[0] && !isLeft ? grantMatch(vouching[0].grant, part) : undefined;
  };
  return { answers, changed: changedFiles(own, judgement) };
}

function isExactly(grant: Grant, { request, state }: Context): boolean {
  return grant.text !== undefined && grant.text === request.text && grant.cwd === state.cwd && request.stdin === undefined;
}

const grantMatch = ({ id, scope, rule, also = [], text, by }: Grant, part: number | undefined): Match => ({
  source: 'grant',
  decision: 'allow',
  reason: `${by} allowed ${rule ? [rule, ...also].map(one => one.command).join(', ') : (text ?? 'it')} ${scope === 'session' ? 'for this session' : 'always'}`,
  rule: id,
  ...(part !== undefined && { part }),
});

function changedFiles(own: readonly ActiveGrant[], { open }: Judgement): Match[] {
  return open.flatMap(({ answerable }) => {
    const file = answerable?.file;
    const allowed = file ? own.flatMap(({ grant }) => grant.hashes[file.path] ?? []) : [];
    const before = allowed[0];
    // Whoever allowed the new content saw that it is new.
    if (!file || before === undefined || allowed.includes(file.sha256)) return [];
    const reason = `${file.path} has changed since it was allowed (${before.slice(0, 4)} then, ${file.sha256.slice(0, 4)} now)`;
    return [{ source: 'facts', decision: 'ask', reason } as const];
  });
}

/** Grants that end with this process. */
export function memoryGrants(): GrantStore {
  let grants: readonly Grant[] = [];
  return {
    list: () => grants,
    add: async grant => {
      grants = [...grants.filter(({ id }) => id !== grant.id), grant];
    },
    revoke: async id => {
      const before = grants.length;
      grants = grants.filter(grant => grant.id !== id);
      return grants.length < before;
    },
  };
}
