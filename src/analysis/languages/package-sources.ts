import type { Word } from '../../contract/analysis.js';
import type { Parsed } from '../specs/evaluate.js';
import { filePathOf, hostOf } from '../specs/hosts.js';
import { isKnown, leadOf } from '../specs/paths.js';

/** Where `github:owner/name` and its kin lead. */
const FORGES: Readonly<Record<string, string>> = {
  github: 'github.com',
  gist: 'gist.github.com',
  gitlab: 'gitlab.com',
  bitbucket: 'bitbucket.org',
};

const URL = /^[a-z][a-z0-9+.-]*:\/\//i;
const OVER_SSH = /^[^@/\s]+@[^@:/\s]+:(?!\/\/)/;

/**
 * A package may come from a folder, a URL or a repository instead of the registry: `x@https://host/y`, `x @ git+ssh://host/y`,
 * `owner/name`. `bare`: what a name with a slash in it means.
 */
function cameFrom({ into }: Parsed, name: Word, bare: 'repository' | 'folder'): void {
  if (!isKnown(name)) {
    into.network(name, 'what is installed is not known');
    return;
  }
  const named = OVER_SSH.test(name.text) ? undefined : /^(?:@[^/@\s]+\/)?[^/@:\s]+\s*@\s*(.+)$/.exec(name.text);
  const source = named?.[1] ?? name.text;
  const word = { text: source };
  const path = filePathOf({ text: source.replace(/^(?:git\+|link:|portal:)/, match => (match === 'git+' ? '' : 'file:')) });
  const forge = FORGES[/^(\w+):(?!\/\/)/.exec(source)?.[1] ?? ''];
  if (path !== undefined) into.read(path, { tree: true });
  else if (/^[./~]|\/$/.test(source)) into.read(word, { tree: true });
  else if (forge) into.network({ text: forge }, source);
  else if (URL.test(source) || OVER_SSH.test(source)) into.network(hostOf(word), source);
  else if (/^[\w.-]+\/[\w.-]+(#.*)?$/.test(source)) {
    if (bare === 'repository') into.network({ text: 'github.com' }, source);
    else into.read(word, { tree: true });
  } else if (bare === 'folder' && /\/|\.(whl|zip|tar\.\w+|tgz)$/i.test(source)) into.read(word, { tree: true });
}

/** npm and its kin. */
export function installed(parsed: Parsed, name: Word): void {
  cameFrom(parsed, name, 'repository');
}

/** pip: packages, lists of them and editable ones. */
export function pipSources(parsed: Parsed): void {
  for (const name of parsed.operands) cameFrom(parsed, name, 'folder');
  for (const place of parsed.values('-e', '-r', '-c')) {
    if (!isKnown(place) || URL.test(leadOf(place))) cameFrom(parsed, place, 'folder');
  }
}
