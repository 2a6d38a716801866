import type { Invocation } from '../spec.js';
import { isKnown } from '../specs/paths.js';
import type { ReadingBuilder } from '../specs/reading-builder.js';

/** Variables whose value is given to a shell or started by the programs that read them. */
const PROGRAM_VARIABLES = new Set(
  (
    'EDITOR VISUAL PAGER MANPAGER BAT_PAGER GIT_PAGER GIT_EDITOR GIT_SEQUENCE_EDITOR GIT_EXTERNAL_DIFF GIT_SSH GIT_SSH_COMMAND ' +
    'GIT_ASKPASS SSH_ASKPASS GIT_PROXY_COMMAND LESSOPEN LESSCLOSE RSYNC_RSH RSYNC_CONNECT_PROG BROWSER GH_PAGER GH_EDITOR ' +
    'GH_BROWSER KUBE_EDITOR SYSTEMD_PAGER SYSTEMD_EDITOR SUDO_ASKPASS SUDO_EDITOR MAKESHELL RUSTC RUSTC_WRAPPER ' +
    'RUSTC_WORKSPACE_WRAPPER RUSTDOC CARGO_BUILD_RUSTC_WRAPPER CC CXX npm_config_script_shell FZF_DEFAULT_COMMAND SHELL'
  ).split(' '),
);
/** Helpers that show or keep a text and start nothing of their own. */
const PLAIN =
  /^(?:cat|less|more|most|true|false|:|bat|delta|vi|vim|nvim|nano|emacs|code|gcc|g\+\+|clang|clang\+\+|cc|c\+\+|sccache|ccache|(?:\/usr)?\/bin\/(?:ba|da|z)?sh|ssh|)(?:\s+-\S+)*$/;

/** What the environment names for a program to start, where the text sets it. */
export function noteVariables(into: ReadingBuilder, names: Iterable<string>, { env }: Invocation): void {
  if (env.size === 0) return;
  for (const name of names) {
    const value = PROGRAM_VARIABLES.has(name) ? env.get(name) : undefined;
    if (!value || !isKnown(value) || PLAIN.test(value.text.trim())) continue;
    // `LESSOPEN='|program %s'`.
    into.start({ script: { text: value.text.replace(/^\s*\|*-?/, '') }, shell: 'sh', via: name });
  }
}
