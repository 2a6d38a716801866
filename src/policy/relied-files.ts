import type { Match } from '../contract/policy.js';
import type { Context } from './context.js';
import { gitConfigProblem } from './git-config.js';

/** A file whose content decides what the line does, as it is now. */
export interface ReliedFile {
  readonly path: string;
  readonly sha256: string;
  /** Why it needs a person; absent: its content is known to be harmless. */
  readonly problem?: string;
}

/** The files behind `query.hashes` that exist, and asks for those nobody could read. */
export function reliedFiles({ analysis, facts, state }: Context): { files: readonly ReliedFile[]; unreadable: readonly Match[] } {
  const files: ReliedFile[] = [];
  const unreadable: Match[] = [];
  if (!facts.known) return { files, unreadable };
  for (const path of analysis.query.hashes) {
    const file = Object.hasOwn(facts.hashes, path) ? facts.hashes[path] : undefined;
    if (file?.sha256 !== undefined) {
      const problem = contentProblem(path, file.text, state.home);
      files.push({ path, sha256: file.sha256, ...(problem !== undefined && { problem }) });
    } else if (file?.problem !== 'missing') {
      const reason = `${path} decides what this does, but ${file?.problem ?? 'its content was not told'}`;
      unreadable.push({ source: 'facts', decision: 'ask', reason });
    }
  }
  return { files, unreadable };
}

/** Content that this engine can read to its end says by itself whether it runs something. */
function contentProblem(path: string, text: string | undefined, home: string): string | undefined {
  // Attributes only name drivers; a driver is a program only where a configuration file says so.
  if (ATTRIBUTES.test(path)) return undefined;
  // Of what is named `.git` the configuration says it.
  if (path.endsWith('/.git/HEAD')) return undefined;
  if (path.endsWith('/HEAD')) return 'makes its folder a repository, whose settings and hooks may run programs';
  if (text === undefined || !GIT_CONFIG.test(path)) return 'decides what this runs';
  return gitConfigProblem(text, { owner: isPersonal(path, home) ? 'person' : 'project' });
}

const ATTRIBUTES = /\/(\.gitattributes|\.git\/info\/attributes)$/;
const GIT_CONFIG = /(^|\/)(\.git\/config(\.worktree)?|\.gitconfig|git\/config|etc\/gitconfig)$/;

const isPersonal = (path: string, home: string): boolean =>
  path === `${home}/.gitconfig` || path === `${home}/.config/git/config`;
