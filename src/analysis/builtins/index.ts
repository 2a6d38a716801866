import type { Call } from '../call.js';
import type { DraftProgram } from '../findings.js';
import type { Builtin } from './contract.js';
import * as control from './control.js';
import * as directories from './directories.js';
import * as input from './input.js';
import * as running from './running.js';
import * as settings from './settings.js';
import { test } from './testing.js';
import * as variables from './variables.js';

/** Every builtin of bash 5.2, by name. */
export const BUILTINS: Readonly<Record<string, Builtin>> = {
  ':': control.succeed,
  true: control.succeed,
  false: control.fail,
  exit: control.leave,
  logout: control.leave,
  return: control.returnFrom,
  break: control.breakLoop,
  continue: control.breakLoop,
  wait: control.wait,
  jobs: control.jobs,
  fg: control.job,
  bg: control.job,
  disown: control.job,
  suspend: control.job,
  kill: control.kill,
  times: control.plain,
  caller: control.plain,
  help: control.plain,
  type: control.plain,
  echo: control.prints,
  pwd: control.plain,
  dirs: control.plain,
  cd: directories.cd,
  pushd: directories.pushd,
  popd: directories.popd,
  export: variables.declare,
  declare: variables.declare,
  typeset: variables.declare,
  local: variables.declare,
  readonly: variables.declare,
  unset: variables.unset,
  set: variables.set,
  shift: variables.shift,
  let: variables.letBuiltin,
  read: input.read,
  mapfile: input.mapfile,
  readarray: input.mapfile,
  getopts: input.getopts,
  printf: input.printf,
  eval: running.evaluate,
  '.': running.source,
  source: running.source,
  exec: running.exec,
  command: running.command,
  builtin: running.builtin,
  trap: running.trap,
  alias: running.alias,
  unalias: running.unalias,
  hash: running.hash,
  enable: running.enable,
  shopt: settings.shopt,
  ulimit: settings.ulimit,
  umask: settings.umask,
  bind: settings.bind,
  complete: settings.completion,
  compopt: settings.completion,
  compgen: settings.compgen,
  history: settings.history,
  fc: settings.fc,
  test,
  '[': test,
};

/** Builtins that exist as programs too (`/bin/echo`, `env test`), where they can do no more than inside of the shell. */
const ALSO_PROGRAMS = new Set(['echo', 'printf', 'pwd', 'true', 'false', 'test', '[', 'kill']);

/** How to read such a program where no spec describes it. */
export const standalone = (name: string): ((call: Call, program: DraftProgram) => void) | undefined =>
  ALSO_PROGRAMS.has(name) ? (call, program) => void BUILTINS[name]!(call, program) : undefined;
