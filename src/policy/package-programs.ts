import type { Word } from '../contract/analysis.js';

const words = (text: string): ReadonlySet<string> => new Set(text.split(' '));

const RUNNING = words('run run-script exec x dlx task');
/** Behind these stands one word, or none, before what runs. */
const AROUND = words('workspace workspaces foreach');
const VALUES = words('-p --package -F --filter --cwd --dir -C --from --include --exclude -c --config --env-file');
/** Sub-commands of yarn and pnpm; any other word is the name of a script or of a program of a package. */
const OWN = words(
  'add approve-builds audit autoclean bin cache check ci clean-install config constraints create dedupe deploy doctor env ' +
    'explain fetch generate-lock-entry global help i import info init install install-test it la licenses link list ll login ' +
    'logout ls node npm outdated owner pack patch patch-commit patch-remove plugin policies prune publish rebuild recursive ' +
    'remove rm rb root search server set setup start stop restart store t tag team test un uninstall unlink unplug up update ' +
    'upgrade upgrade-interactive version versions view why',
);

/**
 * What `yarn run NAME`, `pnpm NAME`, `bun run NAME` and `deno run npm:NAME` may start: a script of package.json, or the
 * program of a package by that name. For deny and ask only. `argv`: without global options.
 */
export function packageProgram(program: string, argv: readonly Word[]): readonly Word[] | undefined {
  if (!/^(yarn|pnpm|bun|deno)$/.test(program)) return undefined;
  let at = next(argv, 1);
  while (AROUND.has(textAt(argv, at))) at = next(argv, at + (textAt(argv, at) === 'workspace' ? 2 : 1));
  const verb = textAt(argv, at);
  if (RUNNING.has(verb)) at = next(argv, at + 1);
  else if (!/^(yarn|pnpm)$/.test(program) || OWN.has(verb)) return undefined;
  const name = argv[at];
  if (!name || !('text' in name) || name.text === '') return undefined;
  // `npm:tool@1` is the program of the package.
  return [{ text: name.text.replace(/^(?:npm|jsr):/, '').replace(/(.)@[^/]*$/, '$1') }, ...argv.slice(at + 1)];
}

/** The next word that is no option. */
function next(argv: readonly Word[], from: number): number {
  let at = from;
  while (textAt(argv, at).startsWith('-')) at += VALUES.has(textAt(argv, at)) ? 2 : 1;
  return at;
}

const textAt = (argv: readonly Word[], at: number): string => {
  const word = argv[at];
  return word && 'text' in word ? word.text : '';
};
