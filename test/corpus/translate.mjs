// Turns a corpus row's rule, given in words, into rules of a policy. Mechanical: no row is treated by its id.
import { readFileSync } from 'node:fs';
import { parse } from 'smol-toml';

const WORKSPACE_WRITES = ['${workspace}/**'];
const REPOSITORY_WRITES = ['${workspace}/**', '${workspace}/.git/**'];

/** What a clause may say about the rules beside it or about the place. Two of them grant writes. */
const GRANTS_WRITES = /^(writes limited to workspace|workspace writable|auto-edit mode)$/;
const SAYS_NOTHING_MORE = /^(no (writes|reads|network)|(reads|network) limited to \S+|\S+ frozen|always-deny .*|\(.*\)|)$/;

/**
 * `allow git log *, ls; writes limited to workspace` → rules as a policy file has them. Throws where the words are not
 * understood: a row that was judged by less than its rule says nothing.
 */
export function translate(words) {
  const clauses = words.split(';').map(clause => clause.trim());
  const writes = clauses.some(clause => GRANTS_WRITES.test(clause));
  const allowed = clauses.flatMap(clause => (verbOf(clause) === 'allow' ? patternsOf(clause.slice(6)) : []));
  const rules = [
    ...allowed.flatMap(pattern => allowRules(pattern, { writes })),
    ...clauses.flatMap(clause => otherRules(clause, allowed)),
  ];
  return rules.map((rule, index) => ({ ...rule, id: `rule-${index + 1}` }));
}

const verbOf = clause => /^(allow|ask|deny) /i.exec(clause)?.[1].toLowerCase();

function otherRules(clause, allowed) {
  const verb = verbOf(clause);
  if (verb === 'allow' || GRANTS_WRITES.test(clause) || SAYS_NOTHING_MORE.test(clause)) return [];
  if (verb === undefined) throw new Error(`the rule "${clause}" is not understood`);
  return patternsOf(clause.slice(verb.length + 1)).map(pattern => ({ ...forbidding(pattern, allowed), decision: verb }));
}

/** `test, mkdir (workspace)`: what stands in parentheses speaks of every pattern before it. */
function patternsOf(list) {
  const patterns = list
    .split(/,\s*/)
    .map(pattern => pattern.trim())
    .filter(pattern => pattern !== '');
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
  if (/^(read-only|workspace)( profile)?$/.test(pattern)) return profileRules(pattern.split(' ')[0]);
  if (pattern === '(bare assignment)') return [{ decision: 'allow', effects: { state: ['variables'] } }];
  if (/^[*(]/.test(pattern) && pattern !== '((' && pattern !== '(( *') return [];
  const scoped = /^(.*?) \((.*)\)$/.exec(pattern);
  const name = scoped ? `${scoped[1].replace(/ \*$/, '')} *` : pattern;
  // A wildcard name would allow every program; no policy may say that.
  if (/[*]/.test(name.split(' ')[0]) && !name.startsWith('* ')) return [];
  const inWorkspace = scoped?.[2] === 'workspace';
  const effects = { ...natural(name), ...((writes || inWorkspace) && { write: WORKSPACE_WRITES }) };
  if (inWorkspace) Object.assign(effects, { state: WORKSPACE_WRITES, read: WORKSPACE_WRITES });
  return [{ decision: 'allow', command: glob(name), ...(Object.keys(effects).length > 0 && { effects }) }];
}

/** What a program is allowed for: who may commit may write the repository, who may change directory may go anywhere. */
function natural(name) {
  if (/^git (add|stage|commit|mv|rm|branch|tag|stash|notes|switch|checkout|restore|reset|merge)\b/.test(name))
    return { write: REPOSITORY_WRITES };
  if (/^(mkdir|touch)\b/.test(name)) return { write: WORKSPACE_WRITES };
  return /^(cd|pushd|popd)\b/.test(name) ? { read: ['/**'] } : {};
}

/** A shipped profile by its name; its examples are tested elsewhere. Of `workspace`, the part it adds comes second. */
function profileRules(name) {
  const names = name === 'workspace' ? ['read-only', 'workspace'] : [name];
  return names.flatMap(one => {
    const file = new URL(`../../policies/${one}.toml`, import.meta.url);
    return parse(readFileSync(file, 'utf8')).rule.map(({ match: _, not_match: __, ...rule }) => rule);
  });
}

const SHELL = '{sh,bash,dash,zsh,ksh} **';

/** What a deny or ask speaks of; its decision is set by the caller. */
function forbidding(pattern, allowed) {
  const touched = /^(read|write)s?( of| to)? (.*)$/.exec(pattern);
  if (touched) return { effects: { [touched[1]]: [/^[/~]/.test(touched[3]) ? touched[3] : `**/${touched[3]}`] } };
  if (/^network\b/.test(pattern)) return { effects: { network: [pattern.slice(8).trim() || '*'] } };
  const piped = /^(.*) \| (ba|z|da|k)?sh$/.exec(pattern);
  if (piped) return /^(curl|wget|fetch)\b/.test(piped[1]) ? { tags: ['net-to-shell'] } : { tags: ['shell-code'], command: SHELL };
  if (pattern.startsWith('-')) {
    const name = allowed[0]?.split(' ')[0] ?? '*';
    return { command: `${name} ** ${quoteSpecial(pattern)}* **` };
  }
  return { command: pattern.endsWith('*') ? glob(pattern) : `${quoteSpecial(pattern)} **` };
}
