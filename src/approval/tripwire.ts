import { readdirSync, readFileSync } from 'node:fs';
import { hasProc } from '../platform.js';

/** What a process that wants to answer says of itself. */
export interface Peer {
  readonly pid: number;
  /** The mark that a gated command finds in its environment. */
  readonly marker?: string;
}

export interface GatedShell {
  readonly pid: number;
  readonly session: string;
}

/**
 * Why a process must not answer: it descends from a gated session, or hides what it is. A tripwire, not a boundary: it
 * stops the assistant that runs `shellgate approve` itself, and says so in the log. A process that detaches twice and
 * clears its environment passes it; where that matters, the policy asks for a level that it cannot reach.
 */
export function tripped(peer: Peer, shells: readonly GatedShell[], otherGates: readonly number[]): string | undefined {
  if (peer.marker) return 'this process runs inside a gated command';
  if (!hasProc) return undefined;
  const marked = markerOf(peer.pid);
  if (marked === undefined) return `process ${peer.pid}, which it says it is, is not there`;
  if (marked !== '') return 'this process runs inside a gated command';
  for (const pid of [peer.pid, ...ancestorsOf(peer.pid)]) {
    const shell = shells.find(each => each.pid === pid);
    if (shell) return `this process descends from gated session ${shell.session}`;
    if (otherGates.includes(pid)) return `this process descends from another gate (pid ${pid})`;
  }
  return undefined;
}

/** This process as it must present itself. */
export function ownPeer(): Peer {
  const marker = process.env['SHELLGATE_COMMAND'];
  return { pid: process.pid, ...(marker && { marker }) };
}

/** The mark in a process's environment, '' without one; undefined where the process cannot be read. */
function markerOf(pid: number): string | undefined {
  try {
    const found = readFileSync(`/proc/${pid}/environ`, 'latin1')
      .split('\0')
      .find(entry => entry.startsWith('SHELLGATE_COMMAND='));
    return found?.slice('SHELLGATE_COMMAND='.length) ?? '';
  } catch {
    return undefined;
  }
}

function ancestorsOf(pid: number): number[] {
  const found: number[] = [];
  for (let current = parentOf(pid); current > 1 && !found.includes(current); current = parentOf(current)) found.push(current);
  return found;
}

function parentOf(pid: number): number {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
  } catch {
    return 0;
  }
}

/** `gate-4021-9f3c.sock`: whose it is can be read from the name. */
export const SOCKET_NAME = /^gate-(\d+)-[0-9a-f]+\.sock$/;

/** Processes that have, or had, an answer socket in this directory. */
export function gatePids(directory: string): number[] {
  try {
    return readdirSync(directory)
      .flatMap(name => SOCKET_NAME.exec(name)?.[1] ?? [])
      .map(Number);
  } catch {
    return [];
  }
}
