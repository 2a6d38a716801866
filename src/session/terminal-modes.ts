import type { Channel } from '../contract/executor.js';

const MODES_MS = 2_000;

/** The words of `stty -a`, `icanon` and `-echo` among them; undefined when there is no terminal or it does not say. */
export async function terminalModes(channel: Channel): Promise<ReadonlySet<string> | undefined> {
  const { terminal } = channel;
  if (!terminal) return undefined;
  const { status, stdout } = await channel.helper(['/bin/sh', '-c', 'stty -a <"$1"', 'sh', terminal.path], '', MODES_MS);
  return status === 0 ? new Set(stdout.split(/[\s;]+/)) : undefined;
}

/** Whole lines are read and nothing typed is shown. Programs that draw for themselves read key by key. */
export const asksForPassword = (modes: ReadonlySet<string>): boolean => modes.has('icanon') && modes.has('-echo');
