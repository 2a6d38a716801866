import type { FactsQuery } from '../contract/analysis.js';
import type { NameFact } from '../contract/facts.js';
import type { NameFacts, RawReport } from '../contract/shell-family.js';

const KINDS: Readonly<Record<string, NameFact['kind']>> = {
  alias: 'alias',
  keyword: 'keyword',
  function: 'function',
  builtin: 'builtin',
  file: 'file',
};

/** The asked-for variables that a shell can have; no other word may stand in `${…}`. */
export const shellVariables = (query: FactsQuery): string[] =>
  query.variables.filter(name => /^[A-Za-z_][A-Za-z0-9_]*$/.test(name));

/**
 * Reads one field a name (`kind` and path on lines of their own), one field a variable (`=value`, empty when unset), and
 * the listing of what is exported.
 */
export function readNames(raw: RawReport, query: FactsQuery): NameFacts | undefined {
  const asked = shellVariables(query);
  if (raw.fields.length !== query.names.length + asked.length + 1) return undefined;
  const names: [string, NameFact][] = query.names.map((name, index) => [name, nameFact(raw.fields[index] ?? '')]);
  const variables: [string, string | null][] = asked.map((name, index) => {
    const value = raw.fields[query.names.length + index] ?? '';
    return [name, value === '' ? null : value.slice(1)];
  });
  return { names: Object.fromEntries(names), variables: Object.fromEntries(variables), exported: raw.fields.at(-1) ?? '' };
}

function nameFact(answer: string): NameFact {
  const cut = answer.indexOf('\n');
  const kind = KINDS[cut < 0 ? answer : answer.slice(0, cut)];
  if (kind === undefined) return { kind: 'missing' };
  const path = cut < 0 ? '' : answer.slice(cut + 1).replace(/\n$/, '');
  return kind === 'file' && path !== '' ? { kind, path } : { kind };
}
