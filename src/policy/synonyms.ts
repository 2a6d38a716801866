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

/** Two names of one option, by program. */
const OPTIONS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  curl: {
    '-k': '--insecure',
    '-X': '--request',
    '-d': '--data',
    '-T': '--upload-file',
    '-F': '--form',
    '-u': '--user',
    '-x': '--proxy',
  },
  npm: { '-g': '--global', '-f': '--force' },
  node: { '-e': '--eval', '-p': '--print', '-r': '--require' },
  docker: { '-v': '--volume', '-p': '--publish' },
  podman: { '-v': '--volume', '-p': '--publish' },
  kubectl: { '-f': '--filename', '-n': '--namespace' },
  sed: { '-i': '--in-place' },
  pip: { '-U': '--upgrade' },
  nc: { '-l': '--listen', '-e': '--exec' },
};

/** What these letters stand for wherever the long form exists. */
const USUAL: Readonly<Record<string, string>> = {
  '-f': '--force',
  '-i': '--interactive',
  '-y': '--yes',
  '-g': '--global',
  '-r': '--recursive',
  '-R': '--recursive',
};

/** An option by its other names: alone, out of a cluster of letters, without its value. */
export function optionNames(program: string, text: string): readonly string[] {
  const letters = /^-[A-Za-z]{2,8}$/.test(text) ? [...text.slice(1)].map(letter => `-${letter}`) : [];
  const bare = /^(--[^=]+)=/.exec(text)?.[1];
  const names = [text, ...letters, ...(bare === undefined ? [] : [bare])];
  const table = Object.hasOwn(OPTIONS, program) ? OPTIONS[program]! : {};
  const others = [...Object.entries(table), ...Object.entries(USUAL)].flatMap(([short, long]) =>
    names.includes(short) ? [long] : names.includes(long) ? [short] : [],
  );
  return [...names, ...others];
}

const SIGNALS = new Set(['kill', 'killall', 'pkill']);
const NUMBERS: Readonly<Record<string, string>> = {
  '1': 'HUP',
  '2': 'INT',
  '3': 'QUIT',
  '9': 'KILL',
  '15': 'TERM',
  '19': 'STOP',
};

/** `-9`, `-KILL`, `-s 9`, `--signal=SIGKILL`. */
function signalSpellings(argv: readonly Word[]): readonly (readonly Word[])[] {
  const texts = argv.map(word => ('text' in word ? word.text : ''));
  const at = texts.findIndex((text, index) => index > 0 && text.startsWith('-'));
  const [, attached, joined] = /^(?:-(?![sn]$)([A-Z0-9]+)|--signal=(\S+)|-[sn]|--signal)$/i.exec(texts[at] ?? '') ?? [];
  const separate = /^(-[sn]|--signal)$/.test(texts[at] ?? '');
  const given = (attached ?? joined ?? (separate ? texts[at + 1] : undefined))?.toUpperCase().replace(/^SIG/, '');
  if (given === undefined) return EMPTY;
  const [number, name] = Object.entries(NUMBERS).find(pair => pair.includes(given)) ?? [];
  if (number === undefined) return EMPTY;
  const rest = [...argv.slice(1, at), ...argv.slice(at + (separate ? 2 : 1))];
  const forms = [number, name!, `SIG${name}`].flatMap(signal => [
    [`-${signal}`],
    ['-s', signal],
    ['-n', signal],
    ['--signal', signal],
  ]);
  return forms.map(form => [argv[0]!, ...form.map(text => ({ text })), ...rest]);
}

/** `0777`, `a+rwx`, `-R 777`: the mode as three digits, the options behind it; `a+x` is `+x` and `u+x`. */
function modeSpellings(argv: readonly Word[]): readonly (readonly Word[])[] {
  const at = argv.findIndex((word, index) => index > 0 && 'text' in word && /^(0*[0-7]{3}|[ugoa]*[+=][rwx]+)$/.test(word.text));
  const word = argv[at];
  if (!word || !('text' in word)) return EMPTY;
  const rest = [...argv.slice(1, at), ...argv.slice(at + 1)];
  const { text } = word;
  const everything = /^((a|ugo|)[+=][rwx]{3}|0*777)$/.test(text) && !/(.).*\1/.test(text.replace(/^.*[+=]|^[0-7]+$/, ''));
  const octal = /^0*([0-7]{3})$/.exec(text)?.[1];
  const modes = everything ? ['777', '0777', 'a+rwx', 'ugo+rwx', '+rwx'] : octal ? [octal, `0${octal}`] : [text];
  const runs = /^[ugoa]*\+x$/.test(text) ? ['+x', 'a+x', 'u+x', 'ugo+x'] : [];
  return [...modes, ...runs].map(mode => [argv[0]!, { text: mode }, ...rest]);
}

/**
 * The same act by the other names of its sub-command: whoever denies `docker rm` denies `docker container rm`. For deny
 * and ask only. `argv`: without global options; empty where it has no other name.
 */
export function otherSpellings(program: string, argv: readonly Word[]): readonly (readonly Word[])[] {
  if (SIGNALS.has(program)) return signalSpellings(argv);
  if (program === 'chmod') return modeSpellings(argv);
  // `cargo +nightly build`
  const first = argv[1];
  if (program === 'cargo' && first && 'text' in first && first.text.startsWith('+')) {
    const plain = [argv[0]!, ...argv.slice(2)];
    return [plain, ...otherSpellings(program, plain)];
  }
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
