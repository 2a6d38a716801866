import type { Program, Word } from '../contract/analysis.js';
import { baseName } from './binaries.js';
import type { Mode } from './command-glob.js';

/**
 * Options that stand between a program and its sub-command: `git -C x status` is `git status` for a rule that names it.
 * `flags` stand alone, `values` take the next word (or `=value`). What such an option does is an effect of the program
 * like any other and needs its own grant.
 */
interface GlobalOptions {
  readonly flags: ReadonlySet<string>;
  readonly values: ReadonlySet<string>;
  /** true: also an allow looks past them, because the spec says what each of them does. */
  readonly allow?: true;
}

const words = (text: string): ReadonlySet<string> => new Set(text.split(' '));

const GIT: GlobalOptions = {
  flags: words(
    '-p -P --paginate --no-pager --bare --no-replace-objects --no-lazy-fetch --no-optional-locks --no-advice ' +
      '--literal-pathspecs --glob-pathspecs --noglob-pathspecs --icase-pathspecs',
  ),
  values: words('-C -c --git-dir --work-tree --namespace --exec-path --config-env --attr-source --super-prefix'),
  allow: true,
};
const CONTAINERS: GlobalOptions = {
  flags: words('-D --debug --tls --tlsverify --remote -r'),
  values: words(
    '-H --host -c --context --config -l --log-level --tlscacert --tlscert --tlskey --root --runroot --url --connection',
  ),
};
const COMPOSE: GlobalOptions = {
  flags: words('--all-resources --compatibility --dry-run --verbose'),
  values: words('-f --file -p --project-name --profile --env-file --project-directory --ansi --progress --parallel'),
};
const NODE_PACKAGES: GlobalOptions = {
  flags: words('-s --silent -q --quiet -d -g --global -r --recursive --workspaces --workspace-root --offline'),
  values: words('--prefix -C --dir --cwd --loglevel --userconfig --registry -w --workspace -F --filter'),
};

const MAKE: GlobalOptions = {
  flags: words('-b -m -B -d -e -i -k -n -p -q -r -R -s -S -t -w --always-make --dry-run --keep-going --silent --touch'),
  values: words('-C --directory -f --file --makefile -I --include-dir -j --jobs -l -o -W -E --eval'),
};
const APT: GlobalOptions = {
  flags: words('-y --yes --assume-yes -q -qq --quiet -f -m -s -d --no-install-recommends --purge --allow-downgrades --force-yes'),
  values: words('-o --option -c --config-file -t --target-release -a --host-architecture'),
};

const BY_PROGRAM: Readonly<Record<string, GlobalOptions>> = {
  git: GIT,
  docker: CONTAINERS,
  podman: CONTAINERS,
  npm: NODE_PACKAGES,
  pnpm: NODE_PACKAGES,
  yarn: NODE_PACKAGES,
  'docker-compose': COMPOSE,
  'podman-compose': COMPOSE,
  pip: {
    flags: words('-q --quiet -v --verbose --isolated --no-input --no-cache-dir --disable-pip-version-check --require-virtualenv'),
    values: words('--python --log --proxy --retries --timeout --exists-action --trusted-host --cert --client-cert --cache-dir'),
  },
  apt: APT,
  'apt-get': APT,
  aws: {
    flags: words('--debug --no-verify-ssl --no-paginate --no-sign-request --no-cli-pager'),
    values: words('--profile --region --output --endpoint-url --query --ca-bundle --cli-read-timeout --cli-connect-timeout'),
  },
  gcloud: { flags: words('-q --quiet'), values: words('--project --account --configuration --format --verbosity') },
  helm: { flags: words('--debug'), values: words('-n --namespace --kube-context --kubeconfig --kube-apiserver --kube-token') },
  make: MAKE,
  gmake: MAKE,
  terraform: { flags: words('-help'), values: words('-chdir') },
  kubectl: {
    flags: words('--insecure-skip-tls-verify --match-server-version --warnings-as-errors'),
    values: words(
      '-n --namespace --context --cluster --kubeconfig --user -s --server --token --as --as-group --request-timeout -v --v',
    ),
  },
  gh: { flags: words('--help'), values: words('-R --repo') },
  cargo: { flags: words('-q --quiet -v -vv --verbose --offline --locked --frozen'), values: words('--color --config -Z -C') },
  go: { flags: words('-v'), values: words('-C') },
  systemctl: {
    flags: words('--user --system --global -q --quiet --no-pager --no-block --no-ask-password -f --force --now'),
    values: words('-H --host -M --machine --root -t --type -p --property -o --output'),
  },
};

const MORE_WITH_SUBCOMMANDS = words(
  'npx bunx bun deno pip pip3 uv poetry brew apt apt-get dnf rustup terraform helm az aws gcloud nx turbo lerna dotnet mix gradle mvn',
);

/** Linters, formatters, type checkers, test runners: they do what the project's configuration says, whatever they are given. */
const PROJECT_TOOLS = words(
  'ava biome black cypress eslint flake8 isort jest mocha mypy playwright prettier pylint pyright pytest rubocop ruff stylelint tsc vitest',
);

/** Is it the project that decides what this program does, more than its own words? */
export const isProjectTool = (name: string): boolean => PROJECT_TOOLS.has(name);

/** Does the second word of this program say which of many programs it is? */
export const hasSubcommands = (name: string): boolean =>
  MORE_WITH_SUBCOMMANDS.has(name) || (Object.hasOwn(BY_PROGRAM, name) && BY_PROGRAM[name] !== MAKE);

/** Sub-commands that only say which of many things is meant by their next word: `npm run deploy` is not `npm run build`. */
const HOLDING_MORE: Readonly<Record<string, ReadonlySet<string>>> = {
  npm: words('run run-script exec x pkg config cache'),
  pnpm: words('run exec dlx'),
  yarn: words('run exec dlx workspace'),
  bun: words('run x'),
  docker: words('compose container image network volume system builder buildx context'),
  podman: words('compose container image network volume system'),
  git: words('stash remote worktree submodule notes bisect lfs'),
  gh: words('pr issue run release repo workflow label auth secret'),
  uv: words('run pip tool'),
  poetry: words('run'),
  kubectl: words('config rollout'),
};

export const holdsMore = (name: string, sub: string): boolean =>
  Object.hasOwn(HOLDING_MORE, name) && HOLDING_MORE[name]!.has(sub);

/** The words without global options in front of the sub-command, or undefined where there are none. */
export function withoutGlobalOptions({ name, argv }: Program, mode: Mode): readonly Word[] | undefined {
  const program = 'text' in name ? baseName(name.text).replace(/^pip[\d.]+$/, 'pip') : '';
  const options = Object.hasOwn(BY_PROGRAM, program) ? BY_PROGRAM[program] : undefined;
  if (!options || (mode === 'allow' && !options.allow)) return undefined;
  const bare = behindOptions(argv, options, 1);
  if (options !== CONTAINERS) return bare;
  // `docker compose -f x down`: those of compose stand behind it.
  const words = bare ?? argv;
  const isCompose = words[1] !== undefined && 'text' in words[1] && words[1].text === 'compose';
  return (isCompose ? behindOptions(words, COMPOSE, 2) : undefined) ?? bare;
}

/** The words without options that stand from `from` on; undefined: none stand there. */
function behindOptions(argv: readonly Word[], options: GlobalOptions, from: number): readonly Word[] | undefined {
  let at = from;
  for (;;) {
    const word = argv[at];
    if (!word) break;
    const text = 'text' in word ? word.text : word.lead;
    const equals = text.startsWith('--') ? text.indexOf('=') : -1;
    if (equals !== -1 && options.values.has(text.slice(0, equals))) at += 1;
    else if ('text' in word && options.flags.has(text)) at += 1;
    else if ('text' in word && options.values.has(text)) at += 2;
    // An attached value: `-j4`.
    else if (options === MAKE && 'text' in word && /^-[A-Za-z]./.test(text) && options.values.has(text.slice(0, 2))) at += 1;
    else break;
  }
  return at === from || at > argv.length ? undefined : [...argv.slice(0, from), ...argv.slice(at)];
}
