import type { Channel, Terminal } from '../contract/executor.js';
import type { LiveShell } from './live-shell.js';

const MODES_MS = 2_000;
const TIDY_MS = 2_000;
/** A key typed shortly before the end may still become a signal. */
const KEYS_MS = 50;

/**
 * A program may leave the terminal raw, and typed bytes unread that nobody judged for the next command. Both end here:
 * what waits is read away without waiting, then the modes are set back.
 */
const TIDY = 'stty -icanon -echo min 0 time 0 <"$1" && cat <"$1" >/dev/null; stty sane <"$1"';

/** The words of `stty -a`, `icanon` and `-echo` among them; undefined when there is no terminal or it does not say. */
export async function terminalModes(channel: Channel): Promise<ReadonlySet<string> | undefined> {
  const { terminal } = channel;
  if (!terminal) return undefined;
  const { status, stdout } = await channel.helper(['/bin/sh', '-c', 'stty -a <"$1"', 'sh', terminal.path], '', MODES_MS);
  return status === 0 ? new Set(stdout.split(/[\s;]+/)) : undefined;
}

/** Whole lines are read and nothing typed is shown. Programs that draw for themselves read key by key. */
export const asksForPassword = (modes: ReadonlySet<string>): boolean => modes.has('icanon') && modes.has('-echo');

/** After this no key typed at the command can reach the next one, neither as a byte nor as the signal of a ^C. */
export function tidy(shell: LiveShell, terminal: Terminal, sinceTypedMs: number): void {
  const tidied = shell.channel.helper(['/bin/sh', '-c', TIDY, 'sh', terminal.path], '', TIDY_MS);
  shell.holdTerminal(tidied);
  if (sinceTypedMs < KEYS_MS) shell.hold(tidied.then(() => shell.sync(TIDY_MS)));
}
