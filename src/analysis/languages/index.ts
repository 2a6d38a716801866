import type { Parsed } from '../specs/evaluate.js';
import { ar, compress, tar, unzip, zip } from './archives.js';
import { awk } from './awk.js';
import { cmake, java, make } from './build.js';
import { buildWords } from './build-words.js';
import { compiler, rust } from './compilers.js';
import { cloud, dockerCopy, dockerExec, dockerRun, kubectl, kubectlExec, terraform } from './containers.js';
import { copy, folders, install, link, move, permissions, pieces, rename, temporary } from './copy.js';
import { curl } from './curl.js';
import { dd } from './dd.js';
import { env } from './env.js';
import { date, magic, processListing, responseFile } from './filters.js';
import { find } from './find.js';
import { git } from './git.js';
import { gitConfig, gitForeach } from './git-config.js';
import { codeWords, interpreter, scriptRunner } from './interpreter.js';
import { screen, tmux } from './multiplexers.js';
import { httpie, networkSettings, openssl, remoteCopy, rsync, socat, ssh, sshKeys } from './network.js';
import { formatter, npm, npmConfig, npx } from './node-packages.js';
import { pipSources } from './package-sources.js';
import { pager } from './pager.js';
import { patch } from './patch.js';
import { assignedCommand, switchUser } from './privilege.js';
import { python, runsRest, uvTool } from './python.js';
import { remove } from './remove.js';
import {
  ansible,
  behindDashes,
  containerShell,
  corepack,
  fuzzyBindings,
  lldb,
  manifest,
  mountOptions,
  rofiModes,
  salt,
  secretRunner,
  terminal,
  versionExec,
  versionWords,
} from './runners.js';
import { compare, fd, grep, search } from './search.js';
import { sed } from './sed.js';
import { shell, windowsShell } from './shell.js';
import { aptMark, dpkg, firewall, service, settingsVerbs, sysctl } from './system.js';
import { editor, expect, gdb } from './tool-commands.js';
import { calculator, gh, ghApi, jq, sqlite, yq } from './tools.js';
import {
  at,
  capsh,
  chroot,
  crontab,
  daemonStarter,
  entr,
  environmentRunner,
  flock,
  launchctl,
  measured,
  osascript,
  parallel,
  script,
  setarch,
  switchGroup,
  traceOutput,
  watch,
} from './wrappers.js';
import { xargs } from './xargs.js';

/** What a table cannot say: reads the operands of its program and adds what they do. Total; fails closed by `into.ask`. */
export type Language = (parsed: Parsed) => void;

/** By the name a table gives after `language`. */
export const LANGUAGES: Readonly<Record<string, Language>> = {
  ansible,
  'behind-dashes': behindDashes,
  'build-words': buildWords,
  corepack,
  'version-exec': versionExec,
  'windows-shell': windowsShell,
  screen,
  'container-shell': containerShell,
  'fuzzy-bindings': fuzzyBindings,
  lldb,
  manifest,
  'mount-options': mountOptions,
  'rofi-modes': rofiModes,
  salt,
  'secret-runner': secretRunner,
  terminal,
  'version-words': versionWords,
  calculator,
  gh,
  'gh-api': ghApi,
  jq,
  sqlite,
  tmux,
  yq,
  'apt-mark': aptMark,
  cloud,
  'docker-copy': dockerCopy,
  'docker-exec': dockerExec,
  'docker-run': dockerRun,
  dpkg,
  firewall,
  kubectl,
  'kubectl-exec': kubectlExec,
  service,
  'settings-verbs': settingsVerbs,
  sysctl,
  terraform,
  at,
  capsh,
  chroot,
  crontab,
  'daemon-starter': daemonStarter,
  editor,
  expect,
  'switch-group': switchGroup,
  entr,
  'environment-runner': environmentRunner,
  flock,
  gdb,
  launchctl,
  measured,
  osascript,
  parallel,
  script,
  setarch,
  'trace-output': traceOutput,
  watch,
  cmake,
  compiler,
  rust,
  java,
  make,
  interpreter,
  'interpreter-words': codeWords,
  'script-runner': scriptRunner,
  formatter,
  npm,
  'npm-config': npmConfig,
  'pip-sources': pipSources,
  npx,
  python,
  'runs-rest': runsRest,
  'uv-tool': uvTool,
  curl,
  httpie,
  'network-settings': networkSettings,
  openssl,
  'remote-copy': remoteCopy,
  rsync,
  socat,
  ssh,
  'ssh-keys': sshKeys,
  ar,
  compress,
  copy,
  folders,
  install,
  link,
  move,
  patch,
  permissions,
  pieces,
  rename,
  tar,
  temporary,
  unzip,
  zip,
  'assigned-command': assignedCommand,
  awk,
  compare,
  date,
  dd,
  env,
  fd,
  find,
  git,
  'git-config': gitConfig,
  'git-foreach': gitForeach,
  grep,
  magic,
  'process-listing': processListing,
  remove,
  pager,
  'response-file': responseFile,
  search,
  sed,
  shell,
  'switch-user': switchUser,
  xargs,
};
