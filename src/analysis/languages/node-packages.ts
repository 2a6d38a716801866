import { posix } from 'node:path';
import type { Word } from '../../contract/analysis.js';
import type { Parsed } from '../specs/evaluate.js';
import { ancestors, isKnown, leadOf, resolvePaths } from '../specs/paths.js';
import { installed } from './package-sources.js';

const SCRIPT_VERBS: Readonly<Record<string, string>> = {
  t: 'test',
  tst: 'test',
  test: 'test',
  start: 'start',
  stop: 'stop',
  restart: 'restart',
};
const RUN = new Set(['run', 'run-script', 'rum', 'urn']);
const REGISTRY: Word = { text: 'registry.npmjs.org' };

/** npm, pnpm, yarn: which script of which package.json runs, and what is installed. */
export function npm(parsed: Parsed): void {
  const { into, operands } = parsed;
  const verb = parsed.path[1];
  if (verb === undefined) {
    bare(parsed);
    return;
  }
  if (SCRIPT_VERBS[verb]) runScript(parsed, { text: SCRIPT_VERBS[verb] });
  else if (RUN.has(verb)) {
    if (operands[0]) runScript(parsed, operands[0]);
  } else if (verb === 'audit') {
    if (operands.some(word => leadOf(word) === 'fix')) {
      into.tag('package-install');
      into.write({ text: 'node_modules' }, { tree: true });
      into.effect('code', 'runs the install scripts of packages');
    }
  } else {
    for (const operand of operands) installed(parsed, operand);
    if (parsed.has('-g') || parsed.values('--location').some(word => leadOf(word) !== 'project'))
      into.effect('state', 'changes the programs of all projects', { text: 'global' });
  }
}

/** yarn without a verb installs; a word that is no verb of yarn or pnpm is a script or a program of a package. */
function bare(parsed: Parsed): void {
  const { into, operands } = parsed;
  const [name] = operands;
  if (into.program === 'npm' || parsed.has('-v', '--version', '-h', '--help')) return;
  if (name) {
    runScript(parsed, name);
    return;
  }
  if (into.program !== 'yarn') return;
  into.tag('package-install');
  into.network(REGISTRY);
  into.write({ text: 'node_modules' }, { tree: true });
  into.effect('code', 'runs the install scripts of packages');
}

/** A script is named by its file and its key, so that an allowance can be bound to both. */
function runScript(parsed: Parsed, name: Word): void {
  const { into } = parsed;
  if (!isKnown(name)) {
    into.ask('opaque-script', `${into.program}: which script runs is not known`);
    return;
  }
  const detail = `runs the script "${name.text}" of package.json`;
  if (parsed.has('-w', '-W', '-r', '-F', '--workspaces', '-ws')) {
    into.effect('code', `${detail} in other folders`);
    return;
  }
  for (const file of resolvePaths({ text: 'package.json' }, into.directories)) {
    into.effect('code', detail, isKnown(file) ? { text: `${file.text}#${name.text}` } : file);
  }
  // Where there is none, the next one above decides.
  for (const directory of into.directories ?? [])
    for (const above of ancestors(directory).slice(1))
      into.effect('code', detail, { text: `${posix.join(above, 'package.json')}#${name.text}` });
}

/** npx and its kin: a program of the project, or of a package that is fetched. */
export function npx(parsed: Parsed): void {
  const { into } = parsed;
  const words = /^(init|create|innit)$/.test(parsed.path[1] ?? '') ? [] : parsed.operands;
  const argv = words[0] && isKnown(words[0]) && words[0].text === '--' ? words.slice(1) : words;
  const via = parsed.path.join(' ');
  if (/^(init|innit|create)$/.test(parsed.path[1] ?? '')) into.write({ text: 'package.json' });
  if (words.length === 0 && parsed.operands.length === 0 && !parsed.has('-c')) return;
  into.effect('code', `${via} runs a program of a package`, argv[0] ?? parsed.operands[0]);
  if (!parsed.has('--no', '--no-install') || /^(init|create|dlx)/.test(parsed.path[1] ?? '')) {
    into.network(REGISTRY);
    into.tag('package-install');
  }
  if (argv.length === 0) return;
  const [name, ...rest] = argv;
  // `tsc@5` and `@scope/tool` start a program of the package's choice.
  const program = name && isKnown(name) ? { text: name.text.replace(/(.)@[^/]*$/, '$1') } : name!;
  into.start({ argv: [program, ...rest], via, unknownArguments: false });
}

/** `config` and `pkg`: asking is harmless, changing is not. */
export function npmConfig(parsed: Parsed): void {
  const { into, operands, path } = parsed;
  const verb = path[1] === 'set' || path[1] === 'get' ? path[1] : leadOf(operands[0] ?? { text: 'list' });
  if (/^(get|list|ls)$/.test(verb)) {
    if (operands.some(word => /^\/\/|_auth|_password|token/i.test(leadOf(word))))
      into.effect('disclosure', 'shows what npm signs in with');
    return;
  }
  into.effect('config', `${path.join(' ')} ${verb}`, operands[1]);
  const [first, second] = path[1] === 'set' ? operands : operands.slice(1);
  const pair = first && isKnown(first) ? /^([\w-]+)=(.*)$/s.exec(first.text) : undefined;
  const [key, value] = pair ? [{ text: pair[1]! }, { text: pair[2]! }] : [first, second];
  if (key && value && /^(script-shell|shell|editor|viewer|browser|git|node-gyp|python)$/.test(leadOf(key)))
    into.start({ argv: [value], via: `${into.program} config`, unknownArguments: true });
  if (path[1] === 'pkg') into.write({ text: 'package.json' });
  else into.write({ text: parsed.has('-g') ? '/etc/npmrc' : `${into.home}/.npmrc` });
}

const FIXES = ['--fix', '--write', '-w', '-u', '--fix-type', '--apply', '--apply-unsafe', '--unsafe'];

/** eslint and prettier: what they are told to put right. They know globs and braces of their own. */
export function formatter(parsed: Parsed): void {
  const { into, operands } = parsed;
  if (!parsed.has(...FIXES)) return;
  const patterns = operands.filter(word => isKnown(word) && /[*?[\]{}()!\\]/.test(word.text));
  if (operands.length === 0) into.write({ text: '.' }, { tree: true });
  for (const word of operands) {
    if (!patterns.includes(word)) into.write(word, { tree: true });
    else if (/\.\.|^[/~]|[{,(|][/~]/.test(leadOf(word)))
      into.ask('pattern-outside', `${into.program}: its pattern "${leadOf(word)}" may reach other folders`);
    else into.write({ text: '.' }, { tree: true });
  }
}
