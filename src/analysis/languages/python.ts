import type { Parsed } from '../specs/evaluate.js';
import { readOptions } from '../specs/options.js';
import { isKnown, leadOf } from '../specs/paths.js';
import { noteCalls } from './code-calls.js';
import { interpreter } from './interpreter.js';

/** Modules that are programs with a spec of their own. */
const PROGRAM_MODULES = new Set([
  'pytest',
  'pip',
  'black',
  'isort',
  'mypy',
  'ruff',
  'flake8',
  'pylint',
  'coverage',
  'pydoc',
  'poetry',
  'tox',
  'nox',
  'bandit',
]);
/** Modules that only look at their arguments; a module of the same name in the directory would be run instead. */
const READING_MODULES = new Set([
  'json.tool',
  'tokenize',
  'ast',
  'dis',
  'tabnanny',
  'py_compile',
  'calendar',
  'this',
  'platform',
  'sysconfig',
  'site',
]);

/** python: `-m` names a module, the rest is an interpreter like others. */
export function python(parsed: Parsed): void {
  const { into } = parsed;
  const [module, ...rest] = parsed.values('-m');
  if (!module) {
    interpreter(parsed);
    return;
  }
  into.tag('foreign-code');
  const name = leadOf(module);
  if (isKnown(module) && PROGRAM_MODULES.has(name)) {
    into.start({ argv: [module, ...rest], via: 'python -m', unknownArguments: false });
    into.effect('code', 'python -m runs a module', module);
    return;
  }
  if (READING_MODULES.has(name)) for (const file of rest) if (!leadOf(file).startsWith('-')) into.read(file);
  if (name === 'json.tool' && rest.filter(word => !leadOf(word).startsWith('-')).length > 1) into.write(rest.at(-1)!);
  if (name === 'http.server') into.network({ text: '*' }, 'serves the directory');
  if (name === 'venv')
    for (const directory of rest) if (!leadOf(directory).startsWith('-')) into.write(directory, { tree: true });
  if (/^(?:timeit|pdb|cProfile|profile|trace)$/.test(name)) for (const word of rest) noteCalls(into, word);
  into.effect('code', 'python -m runs a module', module);
}

/** uv run, poetry run: a command in an environment of its own. */
export function runsRest(parsed: Parsed): void {
  if (parsed.operands.length > 0)
    parsed.into.start({ argv: parsed.operands, via: parsed.path.join(' '), unknownArguments: false });
}

/** uvx, pipx run, uv tool run: fetches a package and runs its program. */
export function uvTool(parsed: Parsed): void {
  const { into, operands } = parsed;
  const [verb, ...rest] = operands;
  const direct = into.program === 'uvx';
  if (!verb) return;
  if (!direct && /^(list|dir|environment)$/.test(leadOf(verb))) return;
  into.network({ text: 'pypi.org' });
  into.tag('package-install');
  into.effect('code', `${parsed.path.join(' ')} runs or installs a package`, direct ? verb : rest[0]);
  // pipx goes on reading options behind its verb.
  const behind = direct ? operands : leadOf(verb) === 'run' ? readOptions(parsed.table, rest).operands : [];
  const argv = behind.length > 0 && !direct ? rest.slice(rest.indexOf(behind[0]!)) : behind;
  const program = argv[0];
  if (program)
    into.start({
      argv: [isKnown(program) ? { text: program.text.replace(/(.)(?:@|[=<>~!]=).*$/, '$1') } : program, ...argv.slice(1)],
      via: parsed.path.join(' '),
      unknownArguments: false,
    });
}
