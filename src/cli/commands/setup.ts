import { existsSync, realpathSync } from 'node:fs';
import type { Command } from 'commander';
import { ShellgateError } from '../../contract/error.js';
import { startProblems } from '../../mcp/start-safety.js';
import { currentDirectory, homeDirectory, platform } from '../../platform.js';
import { shortPath } from '../banner.js';
import { say } from '../output.js';
import { RECIPES } from '../setup/clients.js';
import { diffLines } from '../setup/diff.js';
import { editJson } from '../setup/edit-json.js';
import { editToml } from '../setup/edit-toml.js';
import type { FileChange, Places, Recipe, Server } from '../setup/recipe.js';
import { type Replacement, readOrEmpty, replaceFile } from '../setup/write-file.js';

const NAMES = RECIPES.map(recipe => recipe.name);
/** Decide where our sockets, log and configuration are; not every client passes them on. */
const PASSED_ON = ['XDG_RUNTIME_DIR', 'XDG_STATE_HOME', 'XDG_CONFIG_HOME'];

export function register(program: Command): void {
  program
    .command('setup')
    .description('connect an assistant: prints what to add to its configuration')
    .argument('<client>', NAMES.join(' '))
    .option('--write', 'show the difference, keep a backup, and write it')
    .action((name: string, { write = false }: { write?: boolean }) => {
      const recipe = RECIPES.find(each => each.name === name);
      if (!recipe) throw new ShellgateError('UNKNOWN_CLIENT', `"${name}" is none of ${NAMES.join(', ')}`, { place: 'CLIENT' });
      const server = thisServer();
      if (write) writeOut(recipe, server);
      else printOut(recipe, server);
    });
}

/** This very installation, by absolute path; where a gated command could change it, that is said. */
function thisServer(): Server {
  const script = realpathSync(process.argv[1] ?? '');
  const problems = startProblems({ programs: [script], workspace: currentDirectory(), env: {} });
  if (/[\\/]_npx[\\/]/.test(script)) problems.push(`${script} is a copy that npx may delete`);
  for (const problem of problems) {
    say(`shellgate: START_UNSAFE ${problem}; the server will refuse to start there. Better: npm install --global shellgate`);
  }
  const env = Object.fromEntries(
    PASSED_ON.map(name => [name, process.env[name]]).filter((entry): entry is [string, string] => Boolean(entry[1])),
  );
  return { command: process.execPath, args: [script, 'mcp'], env };
}

const places: Places = {
  home: homeDirectory(),
  env: process.env,
  isMac: platform === 'darwin',
  exists: existsSync,
};

const EDITORS = { json: editJson, toml: editToml } as const;
const textAfter = ({ format, edits, path }: FileChange, before: string): string => EDITORS[format](before, edits, path);

function printOut(recipe: Recipe, server: Server): void {
  for (const change of recipe.changes(server, places)) {
    process.stdout.write(`# ${recipe.title}: add to ${shortPath(change.path)}\n\n${textAfter(change, '')}\n`);
  }
  for (const note of recipe.notes) process.stdout.write(`# ${note}\n`);
  process.stdout.write(`# To have it written (with a backup): shellgate setup ${recipe.name} --write\n`);
}

/** Every file is read and edited before the first one is written. */
function writeOut(recipe: Recipe, server: Server): void {
  const replacements = recipe.changes(server, places).map((change): Replacement => {
    const before = readOrEmpty(change.path);
    return { path: change.path, before, after: textAfter(change, before) };
  });
  for (const replacement of replacements) {
    const { path, before, after } = replacement;
    if (before === after) {
      process.stdout.write(`${shortPath(path)} has it already.\n`);
      continue;
    }
    process.stdout.write(`${diffLines(shortPath(path), before, after).join('\n')}\n`);
    const backup = replaceFile(replacement);
    process.stdout.write(`written${backup === undefined ? '' : `; before: ${shortPath(backup)}`}\n`);
  }
  for (const note of recipe.notes) process.stdout.write(`${note}\n`);
}
