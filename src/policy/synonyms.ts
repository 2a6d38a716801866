import type { Word } from '../contract/analysis.js';

const sets = (...lines: readonly string[]): readonly (readonly string[][])[] =>
  lines.map(line => line.split(' | ').map(phrase => phrase.split(' ')));

const CONTAINERS = sets(
  'rm | container rm | container remove',
  'run | container run',
  'exec | container exec',
  'create | container create',
  'start | container start',
  'stop | container stop',
  'restart | container restart',
  'kill | container kill',
  'cp | container cp',
  'commit | container commit',
  'logs | container logs',
  'inspect | container inspect | image inspect',
  'attach | container attach',
  'rename | container rename',
  'update | container update',
  'export | container export',
  'ps | container ls | container list | container ps',
  'rmi | image rm | image remove',
  'images | image ls | image list',
  'build | image build | buildx build | builder build',
  'push | image push',
  'pull | image pull',
  'tag | image tag',
  'save | image save',
  'load | image load',
  'import | image import',
);
const INSTALL = 'install | i | in | ins | inst | insta | instal | isnt | isnta | isntal | isntall | add';
const NODE_PACKAGES = sets(
  INSTALL,
  'uninstall | remove | rm | r | un | unlink',
  'run | run-script | rum | urn',
  'exec | x',
  'test | t | tst',
  'update | up | upgrade | udpate',
  'ci | clean-install | ic | install-clean | isntall-clean',
  'view | v | info | show',
  'list | ls | la | ll',
);

/** Spellings of one sub-command, by program. */
const BY_PROGRAM: Readonly<Record<string, readonly (readonly string[][])[]>> = {
  docker: CONTAINERS,
  podman: CONTAINERS,
  npm: NODE_PACKAGES,
  pnpm: NODE_PACKAGES,
  yarn: sets('install | add', 'remove | unlink'),
  bun: sets('install | i | add | a', 'remove | rm', 'x | exec'),
  git: sets('add | stage', 'switch | checkout', 'stash | stash push | stash save'),
  cargo: sets('build | b', 'run | r', 'test | t', 'check | c', 'doc | d', 'remove | rm'),
  brew: sets('uninstall | remove | rm', 'list | ls'),
  helm: sets('uninstall | delete | del | un', 'list | ls'),
  gem: sets('install | i'),
  systemctl: sets('poweroff | halt'),
};

const EMPTY: readonly (readonly Word[])[] = [];

/**
 * The same act by the other names of its sub-command: whoever denies `docker rm` denies `docker container rm`. For deny
 * and ask only. `argv`: without global options; empty where it has no other name.
 */
export function otherSpellings(program: string, argv: readonly Word[]): readonly (readonly Word[])[] {
  const known = Object.hasOwn(BY_PROGRAM, program) ? BY_PROGRAM[program] : undefined;
  if (!known) return EMPTY;
  const starts = (phrase: readonly string[]): boolean =>
    phrase.every((name, index) => {
      const word = argv[index + 1];
      return word !== undefined && 'text' in word && word.text === name;
    });
  return known.flatMap(phrases => {
    const said = phrases.filter(starts).sort((a, b) => b.length - a.length)[0];
    if (!said) return [];
    const rest = argv.slice(1 + said.length);
    return phrases.filter(other => other !== said).map(other => [argv[0]!, ...other.map(text => ({ text })), ...rest]);
  });
}
