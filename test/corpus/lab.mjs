import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** Where the corpus's own lab stood. Only named in commands; nothing is made there. */
const LAB = '/tmp/lab';
const EVIL = '#!/bin/sh\ntouch "$HOME/evil-ran"\n';

/**
 * A scratch place as the corpus describes it: a fresh git repository with the small files f, g and l, a directory with
 * `evil`, a home. Nothing of a case is run in it but its setup.
 */
export function makeLab() {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'shellgate-corpus-')));
  const bin = join(root, 'bin');
  const home = join(root, 'home');
  for (const directory of [bin, home]) mkdirSync(directory);
  writeFileSync(join(bin, 'evil'), EVIL, { mode: 0o755 });
  const env = {
    PATH: `${bin}:/usr/local/bin:/usr/bin:/bin`,
    HOME: home,
    LANG: 'C.UTF-8',
    TERM: 'dumb',
    GIT_CONFIG_NOSYSTEM: '1',
    // A setup may commit.
    GIT_AUTHOR_NAME: 'corpus',
    GIT_AUTHOR_EMAIL: 'corpus@example.org',
    GIT_COMMITTER_NAME: 'corpus',
    GIT_COMMITTER_EMAIL: 'corpus@example.org',
  };
  const fresh = join(root, 'fresh');
  mkdirSync(join(fresh, 'src'), { recursive: true });
  for (const name of ['f', 'g', 'l']) writeFileSync(join(fresh, name), 'data\n');
  writeFileSync(join(fresh, 'a.ts'), 'export {};\n');
  const made = spawnSync('git', ['init', '-q', '--template='], { cwd: fresh, env });
  if (made.status !== 0) throw new Error(`the lab needs git: ${made.error?.message ?? made.stderr}`);
  mkdirSync(join(fresh, '.git', 'hooks'));
  let count = 0;
  return {
    home,
    env,
    /** A repository of its own for one case. */
    repository(setup) {
      const repo = join(root, `repo-${++count}`);
      cpSync(fresh, repo, { recursive: true });
      if (setup) prepare(setup.replaceAll(LAB, root), { repo, env });
      return repo;
    },
    remove: () => rmSync(root, { recursive: true, force: true }),
  };
}

/**
 * Runs a case's setup. In a process group of its own, which ends with it: what it started in the background must not
 * outlive the case. One that cannot be run to its end is said, for the case was then judged without it.
 */
function prepare(setup, { repo, env }) {
  const script = `set -m; { ${setup}
} & pid=$!; wait $pid; status=$?; kill -KILL -- -$pid 2>/dev/null; exit $status`;
  const { status, signal, error } = spawnSync('/bin/bash', ['-c', script], { cwd: repo, env, timeout: 20_000, stdio: 'ignore' });
  if (error || signal || status === null) throw new Error(`its setup did not end: ${error?.message ?? signal}`);
}

/** What a session in this place would answer to a query: the shell for names, variables and syntax, the file system for the rest. */
export function askFacts(query, { env, cwd }) {
  const globs = globFacts(query.globs ?? [], { env, cwd });
  const matches = Object.values(globs).flatMap(fact => fact.matches);
  return {
    known: true,
    ...askShell(query, { env, cwd }),
    globs,
    paths: Object.fromEntries([...query.paths, ...matches].map(path => [path, pathFact(path)])),
    hashes: Object.fromEntries(query.hashes.map(path => [path, fileFact(path)])),
  };
}

// $1: how many names follow; then names, then variables. The text to check comes on standard input.
const SCRIPT = `
count=$1; shift
for name in "\${@:1:count}"; do printf '%s\\0%s\\0' "$(type -t -- "$name")" "$(type -P -- "$name")"; done
for name in "\${@:count+1}"; do if [[ -v $name ]]; then printf '=%s\\0' "\${!name}"; else printf '\\0'; fi; done
if "$BASH" --noprofile --norc -n 2>/dev/null; then printf accepted; else printf rejected; fi
`;

function askShell({ names, variables: wanted, numeric = [], text }, { env, cwd }) {
  const variables = [...new Set([...wanted, ...numeric])].filter(name => /^[A-Za-z_]\w*$/.test(name));
  const args = ['--noprofile', '--norc', '-c', SCRIPT, 'facts', String(names.length), ...names, ...variables];
  const { stdout } = spawnSync('/bin/bash', args, { cwd, env, input: text, encoding: 'utf8', timeout: 10_000 });
  const fields = (stdout ?? '').split('\0');
  return {
    names: Object.fromEntries(names.map((name, index) => [name, nameFact(name, fields[2 * index], fields[2 * index + 1])])),
    variables: Object.fromEntries(
      variables.map((name, index) => {
        const field = fields[2 * names.length + index] ?? '';
        return [name, field === '' ? null : field.slice(1)];
      }),
    ),
    syntax: text === '' ? 'not-asked' : fields.at(-1),
  };
}

/** What is not installed here counts as installed: a verdict must not hang on the machine that measures it. */
function nameFact(name, kind, path) {
  if (kind === 'file') return { kind, path };
  if (kind === '' || kind === undefined) return { kind: 'file', path: `/usr/bin/${name}` };
  return { kind };
}

function pathFact(path) {
  try {
    const real = realpathSync(path);
    const stat = statSync(real);
    return { real, kind: stat.isFile() ? 'file' : stat.isDirectory() ? 'directory' : 'other' };
  } catch {
    const parent = dirname(path);
    const rest = path.slice(parent === '/' ? 1 : parent.length + 1);
    return { real: parent === path ? path : join(pathFact(parent).real, rest), kind: 'missing' };
  }
}

/** What a pattern meets, as bash itself says. */
function globFacts(globs, { env, cwd }) {
  if (globs.length === 0) return {};
  const script = 'for glob; do compgen -G "$glob"; printf "\\0"; done';
  const args = ['--noprofile', '--norc', '-c', script, 'facts', ...globs];
  const { stdout } = spawnSync('/bin/bash', args, { cwd, env, encoding: 'utf8', timeout: 10_000 });
  const found = (stdout ?? '').split('\0');
  const matchesOf = index => (found[index] ?? '').split('\n').filter(path => path !== '');
  return Object.fromEntries(globs.map((glob, index) => [glob, { matches: matchesOf(index), complete: true }]));
}

function fileFact(path) {
  try {
    if (!statSync(path).isFile()) return { problem: 'no regular file' };
    const content = readFileSync(path);
    return { sha256: createHash('sha256').update(content).digest('hex'), text: content.toString('utf8') };
  } catch (error) {
    return { problem: error.code === 'ENOENT' || error.code === 'ENOTDIR' ? 'missing' : String(error.code) };
  }
}
