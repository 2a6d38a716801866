// Turns a corpus row's rule, given in words, into rules of a policy. Mechanical: no row is treated by its id.

const WORKSPACE_WRITES = ['${workspace}/**'];

/** `allow git log *, ls; writes limited to workspace` → rules as a policy file has them. */
export function translate(words) {
  const clauses = words.split(';').map(clause => clause.trim());
  const writes = clauses.some(clause => /^(writes limited to workspace|workspace writable|auto-edit mode)$/.test(clause));
  const allowed = clauses.flatMap(clause => (clause.startsWith('allow ') ? patternsOf(clause.slice(6)) : []));
  const rules = [
    ...allowed.flatMap(pattern => allowRules(pattern, { writes })),
    ...clauses.flatMap(clause =>
      clause.startsWith('deny ') ? patternsOf(clause.slice(5)).map(pattern => denyRule(pattern, allowed)) : [],
    ),
  ];
  return rules.map((rule, index) => ({ id: `rule-${index + 1}`, ...rule }));
}

/** `test, mkdir (workspace)`: what stands in parentheses speaks of every pattern before it. */
function patternsOf(list) {
  const patterns = list.split(/,\s*/).filter(pattern => pattern !== '');
  return patterns.map((pattern, index) => {
    const scope = patterns
      .slice(index)
      .map(later => / (\(.*\))$/.exec(later)?.[1])
      .find(Boolean);
    return scope && !pattern.includes('(') ? `${pattern} ${scope}` : pattern;
  });
}

/** `git log *` and `git log*` are `git log` and anything behind it. */
const glob = pattern => quoteSpecial(pattern.endsWith(' *') ? `${pattern}*` : pattern.endsWith('*') ? `${pattern} **` : pattern);
const quoteSpecial = pattern => pattern.replace(/[{}"']/g, '\\$&');

function allowRules(pattern, { writes }) {
  if (pattern === '(bare assignment)') return [{ decision: 'allow', effects: { state: ['*'], environment: ['*'] } }];
  if (/^[*(]/.test(pattern) && pattern !== '((') return [];
  const scoped = /^(.*?) \((.*)\)$/.exec(pattern);
  const name = scoped ? `${scoped[1].replace(/ \*$/, '')} *` : pattern;
  // A wildcard name would allow every program; no policy may say that.
  if (/[*]/.test(name.split(' ')[0]) && !name.startsWith('* ')) return [];
  const inWorkspace = scoped?.[2] === 'workspace';
  const effects = {
    ...((writes || inWorkspace) && { write: WORKSPACE_WRITES }),
    ...(inWorkspace && { state: WORKSPACE_WRITES }),
  };
  return [{ decision: 'allow', command: glob(name), ...(Object.keys(effects).length > 0 && { effects }) }];
}

function denyRule(pattern, allowed) {
  const touched = /^(read|write)s? (.*)$/.exec(pattern);
  if (touched)
    return { decision: 'deny', effects: { [touched[1]]: [/^[/~]/.test(touched[2]) ? touched[2] : `**/${touched[2]}`] } };
  if (/ \| (ba|z|da)?sh$/.test(pattern)) return { decision: 'deny', tags: ['net-to-shell'] };
  if (pattern.startsWith('-')) {
    const name = allowed[0]?.split(' ')[0] ?? '*';
    return { decision: 'deny', command: `${name} ** ${quoteSpecial(pattern)}* **` };
  }
  return { decision: 'deny', command: pattern.endsWith('*') ? glob(pattern) : `${quoteSpecial(pattern)} **` };
}
