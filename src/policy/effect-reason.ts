import type { Effect } from '../contract/analysis.js';
import { baseName } from './binaries.js';
import type { Context } from './context.js';
import { isInside, realPath, targetPath } from './effect-pattern.js';

/** One clause on an effect, for the person: `writes /repo/x (-o)`, `runs the script "test" of package.json: …`. */
export function effectReason({ kind, target, detail = '' }: Effect, { place }: Context): string {
  const what = target === undefined ? '' : 'text' in target ? target.text : unknownText(target.lead);
  if (kind === 'read' || kind === 'write') {
    const real = realPath(place.facts, targetPath(what).path);
    const leads = real !== undefined && real !== targetPath(what).path ? `, a link to ${real}` : '';
    return `${VERBS[kind]} ${what}${leads}${detail === '' ? '' : ` (${detail})`}`;
  }
  if (kind === 'network') {
    const isUnknown = target !== undefined && !('text' in target) && target.lead === '';
    const host =
      target === undefined
        ? 'talks to the network'
        : `${VERBS.network} ${isUnknown ? 'a host that only shows when it runs' : what}`;
    return detail === '' || detail === what ? host : `${host} (${detail})`;
  }
  if (detail === '') return `${VERBS[kind]} ${what}`.replace(/:? *$/, '');
  if (kind === 'code' && what.includes('#')) return `${detail}${scriptText(what, place)}`;
  return what === '' || detail.includes(baseName(what)) ? detail : `${detail}: ${what}`;
}

const unknownText = (lead: string): string =>
  lead === '' ? 'what only shows when it runs' : `${lead}…, the rest only shows when it runs`;

/** Where a named script stands, unless that is the workspace itself, and what it holds: ` of packages/api = vitest run`. */
function scriptText(target: string, { workspace, facts }: Context['place']): string {
  const [path = '', name = ''] = target.split(/#(.*)/s);
  const folder = path.slice(0, path.lastIndexOf('/'));
  const from = folder === workspace ? '' : ` in ${isInside(folder, workspace) ? folder.slice(workspace.length + 1) : folder}`;
  const text = facts.known && Object.hasOwn(facts.hashes, path) ? facts.hashes[path]?.text : undefined;
  const script = path.endsWith('.json') && text !== undefined ? scriptIn(text, name) : undefined;
  return script === undefined ? from : `${from} = ${script.length > 80 ? `${script.slice(0, 79)}…` : script}`;
}

function scriptIn(text: string, name: string): string | undefined {
  try {
    const { scripts } = JSON.parse(text) as { scripts?: Record<string, unknown> };
    const script = scripts && Object.hasOwn(scripts, name) ? scripts[name] : undefined;
    return typeof script === 'string' ? script : undefined;
  } catch {
    return undefined;
  }
}

const VERBS: Readonly<Record<Effect['kind'], string>> = {
  read: 'reads',
  write: 'writes',
  network: 'talks to the network:',
  exec: 'starts another program:',
  code: 'runs code that is not analysed:',
  state: "changes the shell's state:",
  config: 'changes configuration:',
  environment: 'changes the environment:',
  process: 'acts on processes:',
  privilege: 'uses the rights of another user:',
  disclosure: 'discloses',
};
