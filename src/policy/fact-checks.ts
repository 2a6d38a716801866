import type { NameFact } from '../contract/facts.js';
import type { Match } from '../contract/policy.js';
import { BUILTINS, baseName, isTrustedBinary } from './binaries.js';
import type { Context } from './context.js';
import { cutReason, dashedReason, unmatchedReason } from './matched-files.js';

/**
 * Helpers that people commonly name in PAGER, EDITOR and their like, with options that are only letters. They show or
 * edit what the program gives them; whether it starts one at all is for its spec to say.
 */
const COMMON_HELPER =
  /^((\/usr)?\/bin\/)?(cat|less|more|most|bat|vi|vim|nvim|nano|pico|emacs|micro|hx|code|subl)( -{1,2}[A-Za-z]+)*$/;
/** Options of less that cannot run or write anything. */
const LESS_OPTIONS = /^[- FRXiISMKQqNeEgGnrswWx0-9]*$/;

const fact = (reason: string, part?: number): Match => ({
  source: 'facts',
  decision: 'ask',
  reason,
  ...(part !== undefined && { part }),
});

/** What the session says about itself can only make the verdict stricter. */
export function factChecks(context: Context): Match[] {
  const { facts, analysis } = context;
  if (!facts.known) return [fact(`the session could not be asked what names mean: ${facts.reason}`)];
  return [
    ...(facts.syntax === 'rejected' ? [fact('the shell itself does not accept this text')] : []),
    ...(facts.syntax === 'not-asked' && analysis.query.text !== ''
      ? [fact('the shell was not asked whether it accepts this text')]
      : []),
    ...nameChecks(context),
    ...variableChecks(context),
    ...pathChecks(context),
    ...globChecks(context),
  ];
}

/** A name that is an alias, a function or nothing at all does not mean the program that was judged. */
function nameChecks({ facts, analysis }: Context): Match[] {
  if (!facts.known) return [];
  const found: Match[] = [];
  const asked = new Set(analysis.query.names);
  const partOf = (name: string) => {
    const index = analysis.programs.findIndex(program => 'text' in program.name && program.name.text === name);
    return index === -1 ? undefined : index;
  };
  for (const name of asked) {
    const problem = nameProblem(name, Object.hasOwn(facts.names, name) ? facts.names[name] : undefined);
    if (problem !== undefined) found.push(fact(problem, partOf(name)));
  }
  return found;
}

function nameProblem(name: string, meaning: NameFact | undefined): string | undefined {
  switch (meaning?.kind) {
    case undefined:
      return `what ${name} means in this session was not told`;
    case 'alias':
    case 'function':
      return `${name} is ${meaning.kind === 'alias' ? 'an alias' : 'a function'} in this session`;
    case 'missing':
      return `${name} is not found in this session`;
    case 'builtin':
      return BUILTINS.has(name) ? undefined : `${name} is a builtin that was added to this session`;
    case 'keyword':
      return undefined;
    case 'file':
      if (meaning.path === undefined) return `where ${name} is was not told`;
      // A remembered or planted location (`hash -p /bin/rm ls`) names another program.
      return baseName(meaning.path) === baseName(name) ? undefined : `${name} runs ${meaning.path} in this session`;
  }
}

/** Where a program really is, when that is not where programs of its name belong. A person may vouch for the place. */
export function strangePlace(name: string, { facts, binaries }: Context): string | undefined {
  if (!facts.known || !Object.hasOwn(facts.names, name)) return undefined;
  const meaning = facts.names[name];
  if (meaning?.kind !== 'file' || meaning.path === undefined || meaning.path === name) return undefined;
  return isTrustedBinary(meaning.path, binaries) ? undefined : meaning.path;
}

/** Certificates to trust beside the system's: harmless while nobody below can write them. */
const CERTIFICATES = new Set([
  'NODE_EXTRA_CA_CERTS',
  'SSL_CERT_FILE',
  'SSL_CERT_DIR',
  'CURL_CA_BUNDLE',
  'REQUESTS_CA_BUNDLE',
  'GIT_SSL_CAINFO',
  'PIP_CERT',
  'AWS_CA_BUNDLE',
]);

function variableChecks({ facts, analysis, state }: Context): Match[] {
  if (!facts.known) return [];
  const found: Match[] = [];
  const numeric = new Set(analysis.query.numeric);
  for (const name of new Set([...analysis.query.variables, ...numeric])) {
    const value = Object.hasOwn(facts.variables, name) ? facts.variables[name] : undefined;
    if (value === undefined) found.push(fact(`the value of ${name} was not told`));
    else if (value !== null) {
      const problem = numeric.has(name) ? numberProblem(value) : variableProblem(name, value, state.home, state.workspace);
      if (problem !== undefined) found.push(fact(`${name} ${problem}`));
    }
  }
  return found;
}

/** One number, or those of an array. */
const numberProblem = (value: string): string | undefined =>
  /^\s*([-+]?\d{1,18}(\s+|$))*$/.test(value) ? undefined : 'is no plain number in this session; evaluating it could run commands';

function variableProblem(name: string, value: string, home: string, workspace: string): string | undefined {
  if (name === 'HOME') return value === home ? undefined : 'is not the home directory of this session';
  if (name === 'IFS') return value === ' \t\n' ? undefined : 'has been changed in this session';
  if (name === 'PWD' || name === 'OLDPWD' || name === 'BASHOPTS') return undefined;
  if (name === 'PATH') {
    const strange = value.split(':').find(entry => !entry.startsWith('/') || isInside(entry, workspace));
    return strange === undefined
      ? undefined
      : `holds ${strange === '' ? 'an empty entry' : strange}, where anybody's files can stand for programs`;
  }
  if (CERTIFICATES.has(name) && value.startsWith('/') && !isInside(value, workspace)) return undefined;
  if (value === '' || COMMON_HELPER.test(value) || (name === 'LESS' && LESS_OPTIONS.test(value))) return undefined;
  return 'is set in this session and changes what this does';
}

const isInside = (path: string, directory: string): boolean => path === directory || path.startsWith(`${directory}/`);

function globChecks({ facts, analysis }: Context): Match[] {
  const { globs = [], undashed = [], cut = [] } = analysis.query;
  const reasons = [
    ...globs.map(pattern => unmatchedReason(pattern, facts)),
    ...undashed.map(pattern => dashedReason(pattern, facts)),
    ...cut.map(pattern => cutReason(pattern, facts)),
  ];
  return reasons.flatMap(reason => (reason === undefined ? [] : [fact(reason)]));
}

/** Directories that only root fills, with links of its own. */
const SYSTEM = /^\/(usr|bin|sbin|lib|lib32|lib64|opt|etc|nix|snap)(\/|$)/;

/** A link that somebody put into a folder must not lead a pattern out of it. */
function folderProblem(folder: string, { facts, state }: Context): string | undefined {
  const found = facts.known && Object.hasOwn(facts.paths, folder) ? facts.paths[folder] : undefined;
  if (found?.links === undefined || SYSTEM.test(found.real)) return undefined;
  if (found.links === 'too many') return 'holds more than was looked through for links';
  const outside = found.links.find(path => !isInside(path, state.workspace));
  return outside === undefined ? undefined : `holds a link to ${outside}`;
}

function pathChecks(context: Context): Match[] {
  const { facts, analysis } = context;
  if (!facts.known) return [];
  const found: Match[] = [];
  for (const path of analysis.query.paths) {
    if (!Object.hasOwn(facts.paths, path)) found.push(fact(`where ${path} leads was not told`));
  }
  for (const folder of analysis.query.folders ?? []) {
    const problem = folderProblem(folder, context);
    const shown = folder.replace(/(\/\*+)*\/$/, '/');
    if (problem !== undefined) found.push(fact(`${shown} ${problem}, and the text does not say which names it takes there`));
  }
  for (const path of analysis.query.crossed ?? []) {
    const real = Object.hasOwn(facts.paths, path) ? facts.paths[path]?.real : undefined;
    if (real !== undefined && real !== path)
      found.push(fact(`${path} is a link to ${real}, so what stands behind .. is somewhere else`));
  }
  return found;
}
