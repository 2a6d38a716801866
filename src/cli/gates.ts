import { existsSync } from 'node:fs';
import { type GateConnection, listGates } from '../approval/socket-client.js';
import { runtimeDirectory } from '../platform.js';

/**
 * Where gates of this user have their sockets. An assistant may start its server with a poorer environment than that of
 * a terminal, so a gate can be where it would be without XDG_RUNTIME_DIR.
 */
export function gateDirectories(env: NodeJS.ProcessEnv = process.env): string[] {
  const own = runtimeDirectory(env);
  const { XDG_RUNTIME_DIR: _unset, ...poorer } = env;
  const other = runtimeDirectory(poorer);
  return other !== own && existsSync(other) ? [own, other] : [own];
}

/** Every gate of this user that runs on this machine. Errors: `PLACE_UNSAFE`. */
export async function allGates(): Promise<GateConnection[]> {
  const found = await Promise.all(gateDirectories().map(directory => listGates(directory)));
  return found.flat();
}

export function closeAll(gates: readonly GateConnection[]): void {
  for (const gate of gates) gate.close();
}
