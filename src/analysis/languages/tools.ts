import type { Word } from '../../contract/analysis.js';
import type { Parsed } from '../specs/evaluate.js';
import { filePathOf, hostOf } from '../specs/hosts.js';
import { isKnown, leadOf } from '../specs/paths.js';
import { part } from './placeholder.js';

/** jq: a filter, then files. Filters cannot write or run, but they see the environment, and modules are files. */
export function jq(parsed: Parsed): void {
  const { into, operands } = parsed;
  const named = parsed.has('-f', '--from-file');
  // -f takes its file as the first operand where it stands in a cluster.
  const filter = named ? undefined : operands[0];
  const files = named ? operands : operands.slice(1);
  if (named) into.effect('disclosure', 'its filter is in a file and may show the environment');
  if (filter) showsVariables(filter, into);
  if (filter && isKnown(filter) && /\b(import|include|input_line_number_file)\b/.test(filter.text))
    into.ask('jq-module', 'jq: its filter loads a module');
  if (parsed.has('--args', '--jsonargs')) return;
  for (const file of files) into.read(file);
}

/** The filters of jq, which gh knows as well. */
function showsVariables(filter: Word, into: Parsed['into']): void {
  if (!isKnown(filter)) into.effect('disclosure', 'its filter is not known and may show the environment');
  else if (/\$ENV\b|\benv\b/.test(filter.text)) into.effect('disclosure', 'reads the environment');
}

/** yq: an expression, then files; some operators read other files and variables. */
export function yq(parsed: Parsed): void {
  const { into, operands } = parsed;
  const words = /^(e|eval|ea|eval-all)$/.test(operands[0] ? leadOf(operands[0]) : '') ? operands.slice(1) : operands;
  const [expression] = words;
  // Another yq gives -f to jq, where it is the file of the filter.
  for (const mode of parsed.values('-f'))
    if (!isKnown(mode) || !/^(extract|process)$/.test(mode.text))
      into.ask('yq-expression', 'yq: reads its expression from a file');
  if (
    expression &&
    isKnown(expression) &&
    /\b(load\w*|env|strenv|envsubst|eval|import|include)\b|\$ENV|system/.test(expression.text)
  )
    into.ask('yq-expression', 'yq: its expression reads other files or variables');
  for (const [index, word] of words.entries()) {
    if (index === 0 && !(isKnown(word) && /^[\w./-]+\.(ya?ml|json|xml|toml)$|^(\.\.)?\/|^~/.test(word.text))) continue;
    into.read(word);
    if (parsed.has('-i')) into.write(word, { detail: '-i' });
  }
}

const GH_LOOKS = /^(view|list|ls|status|diff|checks|watch|download|clone|verify|help|search|get|token|logs|ports|trace)$/;
const PUBLISHES = /^(create|upload|publish|edit|fork|sync)$/;

/** gh and its kin: an object and a verb. */
export function gh(parsed: Parsed): void {
  const { into, path, operands } = parsed;
  const object = path[1] ?? '';
  const verb = operands[0] ? leadOf(operands[0]) : '';
  if (operands[0] && !isKnown(operands[0])) into.ask('opaque-command', `${path.join(' ')}: what it does is not known`);
  otherHosts(parsed);
  for (const filter of parsed.values('-q')) showsVariables(filter, into);
  if (object === 'search' || object === 'status') return;
  for (const file of parsed.values('-F', '--body-file', '--notes-file', '--env-file', '--recover'))
    into.read(file, { detail: 'sent' });
  if (/^(alias|extension|config)$/.test(object) && !/^(list|get)$/.test(verb)) {
    into.effect('config', `${into.program} ${object} changes what ${into.program} runs`, operands[1]);
    into.tag('persistence');
    return;
  }
  if (object === 'auth') {
    if (verb === 'token') into.effect('disclosure', 'shows a token');
    else if (verb !== 'status') into.effect('config', 'changes who it acts as');
    return;
  }
  const places = parsed.values('-D', '--dir', '--output', '-O', '-o', '--clone-dir');
  for (const place of places) into.write(place, { tree: true });
  if (verb === 'clone') clone(parsed);
  else if (/^(download|checkout|co)$/.test(verb) && places.length === 0) into.write({ text: '.' }, { tree: true });
  if (/^(checkout|co)$/.test(verb)) return;
  if (verb === '' || GH_LOOKS.test(verb)) return;
  into.tag('remote-write');
  if (verb === 'delete' || verb === 'remove') into.tag('delete', 'remote-delete');
  if (object === 'release' && PUBLISHES.test(verb)) into.tag('publish', 'upload');
  if (object === 'gist' || (object === 'repo' && verb === 'create')) into.tag('publish');
  if (/^(release|gist)$/.test(object))
    for (const file of operands.slice(object === 'gist' ? 1 : 2)) into.read(file, { detail: 'sent' });
  if (/^(ssh|jupyter|code|cp|exec)$/.test(verb)) into.tag('remote-exec');
}

/** `-R HOST/OWNER/NAME` and addresses of repositories and pull requests may lead to another host than the usual one. */
function otherHosts({ into, operands, path, values }: Parsed): void {
  for (const name of values('-R', '--repo')) {
    const lead = leadOf(name);
    const host = /^[^/:@]+\/[^/]+\/[^/]/.test(lead) ? lead.split('/')[0] : undefined;
    if (!isKnown(name)) into.network(undefined, '-R');
    else if (host !== undefined) into.network({ text: host.toLowerCase() }, '-R');
  }
  for (const word of [...operands.slice(1), ...values('-R', '--repo')])
    if (/^[a-z+]+:\/\/|^[^/]*@[^/]*:/i.test(leadOf(word))) into.network(hostOf(word));
  for (const host of values('--hostname')) into.network(hostOf(host));
  // `gh repo view HOST/OWNER/NAME`
  if (path[1] === 'repo')
    for (const word of operands.slice(1)) {
      const host = /^([^/:@]+\.[^/:@]+)\/[^/]+\/[^/]/.exec(leadOf(word))?.[1];
      if (host !== undefined) into.network({ text: host.toLowerCase() });
    }
}

/** `gh repo clone NAME [DIRECTORY] [-- OPTIONS of git]`. */
function clone({ into, operands }: Parsed): void {
  into.write(operands[2] && !leadOf(operands[2]).startsWith('-') ? operands[2] : { text: '.' }, { tree: true });
  if (operands.slice(2).some(word => leadOf(word).startsWith('-')) || operands.length > 3)
    into.ask('git-options', 'gh repo clone: options for git');
}

/** gh api: GET unless a method or fields say otherwise; `@file` in a field is sent. */
export function ghApi(parsed: Parsed): void {
  const { into, operands } = parsed;
  otherHosts(parsed);
  for (const filter of parsed.values('-q')) showsVariables(filter, into);
  const methods = parsed.values('-X');
  const method = methods.at(-1);
  const fields = [...parsed.values('-F'), ...parsed.values('-f')];
  if (method && !isKnown(method)) into.ask('opaque-method', 'gh api: its method is not known');
  const name =
    method && isKnown(method) ? method.text.toUpperCase() : fields.length > 0 || parsed.has('--input') ? 'POST' : 'GET';
  const graph =
    operands.some(word => leadOf(word) === 'graphql') && !fields.some(word => /mutation/i.test(leadOf(word)) || !isKnown(word));
  if (name !== 'GET' && !(graph && name === 'POST')) into.tag('remote-write');
  if (name === 'DELETE') into.tag('delete', 'remote-delete');
  for (const field of parsed.values('-F')) {
    const file = /^[^=]+=@(.*)$/s.exec(leadOf(field));
    if (file && file[1] !== '-') into.read(part(field, file[1]!), { detail: 'sent' });
  }
}

/** sqlite3: a database, then SQL or dot commands. */
export function sqlite(parsed: Parsed): void {
  const { into, operands } = parsed;
  const [database, ...statements] = operands;
  if (database && leadOf(database) !== ':memory:') {
    const path = filePathOf(database);
    const file = path ? part(path, leadOf(path).replace(/[?#].*$/s, '')) : database;
    into.read(file);
    if (!parsed.has('-readonly')) into.write(file);
  }
  const texts = [...statements, ...parsed.values('-cmd')];
  const { stdin } = parsed.invocation;
  if (stdin.kind === 'here' && stdin.text) texts.push(stdin.text);
  else if (statements.length === 0 && !parsed.has('-version', '-help'))
    into.ask('sql-input', 'sqlite3: what it runs is not in the text');
  for (const text of texts) {
    for (const [, command] of isKnown(text) ? text.text.matchAll(/(?:^|\n)[^\S\n]*\.(?:shell|system)\s+([^\n]+)/g) : [])
      into.start({ script: { text: command! }, shell: 'sh', via: 'sqlite3 .shell' });
    for (const [, file] of isKnown(text)
      ? text.text.matchAll(/(?:^|\n)[^\S\n]*\.(?:read|import)\s+(?:-\w+\s+)*['"]?([^|\s'"]+)/g)
      : [])
      into.read({ text: file! });
    const harmless =
      isKnown(text) &&
      !/(^|\n)[^\S\n]*\.(?!(tables|schema|indexes|indices|databases|mode|headers?|width|show|stats|timer|nullvalue|separator|dbinfo|fullschema|lint|help|quit|exit)\b)/.test(
        text.text,
      );
    if (
      !harmless ||
      /\b(load_extension|writefile|readfile|edit|attach|fts3_tokenizer|zipfile|fsdir)\b/i.test(leadOf(text)) ||
      vacuumsInto(leadOf(text))
    )
      into.ask('sqlite-text', 'sqlite3: a command that can run programs or reach other files');
  }
}

/** `VACUUM … INTO 'file'` writes a copy of the database. */
function vacuumsInto(text: string): boolean {
  const at = text.search(/\bvacuum\b/i);
  return at >= 0 && /\binto\b/i.test(text.slice(at));
}

/** bc and dc can run programs by a line that starts with `!`. */
export function calculator(parsed: Parsed): void {
  for (const operand of parsed.operands) parsed.into.read(operand);
  const expressions = parsed.values('-e');
  if (parsed.into.program === 'dc' && expressions.some(word => !isKnown(word) || word.text.includes('!')))
    parsed.into.ask('dc-shell', 'dc: it may run a program');
  if (expressions.length > 0) return;
  const { stdin } = parsed.invocation;
  const text = stdin.kind === 'here' && stdin.text && isKnown(stdin.text) ? stdin.text.text : undefined;
  if (parsed.into.program === 'dc' && text?.includes('!')) parsed.into.ask('dc-shell', 'dc: it may run a program');
  if (stdin.kind === 'pipe' && parsed.into.program === 'bc') return;
  if (text === undefined && parsed.operands.length === 0)
    parsed.into.ask('calculator-input', `${parsed.into.program}: what it reads is not in the text`);
}
