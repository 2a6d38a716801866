import { readdirSync, rmSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import type { Principal } from '../contract/principal.js';
import { type Accepted, type Question, shownId } from '../contract/question.js';
import { privateDirectory, runtimeDirectory } from '../platform.js';
import { displayForm } from './display.js';
import type { GivenAnswer } from './open-question.js';
import { receiveLines, sendLine } from './socket-lines.js';
import { greetingSchema } from './socket-protocol.js';
import { ownPeer, SOCKET_NAME } from './tripwire.js';

/** What watching tells: questions as they come, and how they ended. */
export interface WatchListener {
  asked(question: Question): void;
  ended(questionId: string, sentence: string): void;
  /** The gate is gone, and its questions with it. */
  gone(): void;
}

/** One running process that asks, seen from another. Calls reject with an Error when it goes away. */
export interface GateConnection {
  readonly pid: number;
  readonly label: string;
  readonly path: string;
  pending(): Promise<Question[]>;
  /** `signature`: see signAnswer. Level and channel are the gate's to say. */
  answer(answer: GivenAnswer, signature?: string): Promise<Accepted>;
  /** Principals that were denied three times in a row. */
  paused(): Promise<Principal[]>;
  resume(principalId: string): Promise<Accepted>;
  /** Questions that wait already are told first. Watching keeps further ones open. A gated command may not watch. */
  watch(listener: WatchListener): Promise<Accepted>;
  close(): void;
}

const GREETING_MS = 2_000;

/**
 * Connect to every gate of this user that runs on this machine, but to those at the `known` paths. Sockets of processes
 * that are gone are removed. Errors: `PLACE_UNSAFE` when others could have put one there.
 */
export async function listGates(
  directory: string = runtimeDirectory(),
  known: ReadonlySet<string> = new Set(),
): Promise<GateConnection[]> {
  privateDirectory(directory);
  const names = readdirSync(directory).filter(name => SOCKET_NAME.test(name));
  const paths = names
    .sort()
    .map(name => join(directory, name))
    .filter(path => !known.has(path));
  const gates = await Promise.all(paths.map(connectGate));
  return gates.filter(gate => gate !== undefined);
}

/** A question by what a person typed: `k7qd` or, binding its bytes, `k7qd-3f9a`. More than one: it is ambiguous. */
export async function findQuestion(
  gates: readonly GateConnection[],
  typed: string,
): Promise<{ readonly gate: GateConnection; readonly question: Question }[]> {
  const found = await Promise.all(
    gates.map(async gate => (await gate.pending().catch(() => [])).map(question => ({ gate, question }))),
  );
  return found.flat().filter(({ question }) => typed === question.id || typed === shownId(question));
}

/** Undefined: nobody listens there. */
export async function connectGate(path: string): Promise<GateConnection | undefined> {
  const socket = connect(path);
  const open = new Map<number, { resolve(value: unknown): void; reject(error: Error): void }>();
  let listener: WatchListener | undefined;
  let next = 0;

  const greeting = await new Promise<unknown>(resolve => {
    const late = setTimeout(() => socket.destroy(), GREETING_MS);
    socket.on('error', error => {
      if ((error as NodeJS.ErrnoException).code === 'ECONNREFUSED') removeStale(path);
    });
    socket.on('close', () => {
      clearTimeout(late);
      resolve(undefined);
      for (const call of open.values()) call.reject(new Error('the gate went away'));
      open.clear();
      listener?.gone();
    });
    let greeted = false;
    receiveLines(socket, message => {
      if (greeted) return receive(message as Incoming);
      greeted = true;
      clearTimeout(late);
      resolve(message);
    });
  });
  const parsed = greetingSchema.safeParse(greeting);
  if (!parsed.success) {
    socket.destroy();
    return undefined;
  }

  function receive(message: Incoming): void {
    if (message.asked) listener?.asked(asShown(message.asked));
    if (message.ended !== undefined) listener?.ended(message.ended, message.sentence ?? '');
    const call = message.id === undefined ? undefined : open.get(message.id);
    if (!call || message.id === undefined) return;
    open.delete(message.id);
    if (message.error) call.reject(new Error(message.error.message));
    else call.resolve(message.result);
  }

  function call<T>(request: object): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      if (socket.destroyed) return reject(new Error('the gate went away'));
      const id = ++next;
      open.set(id, { resolve: value => resolve(value as T), reject });
      sendLine(socket, { id, ...request });
    });
  }

  const { pid, label } = parsed.data;
  return {
    pid,
    label,
    path,
    pending: async () => (await call<Question[]>({ method: 'pending' })).map(asShown),
    answer: (answer, signature) =>
      call({
        method: 'answer',
        peer: ownPeer(),
        label: userInfo().username,
        answer,
        ...(signature !== undefined && { signature }),
      }),
    paused: () => call({ method: 'paused' }),
    resume: principal => call({ method: 'resume', peer: ownPeer(), principal }),
    async watch(to) {
      listener = to;
      const { pending = [], refused } = await call<Watching>({ method: 'watch', peer: ownPeer() });
      for (const question of pending) to.asked(asShown(question));
      return refused ?? { accepted: true };
    },
    close() {
      listener = undefined;
      destroy(socket);
    },
  };
}

interface Watching {
  readonly pending?: Question[];
  readonly refused?: Accepted;
}

interface Incoming {
  readonly id?: number;
  readonly result?: unknown;
  readonly error?: { readonly message: string };
  readonly asked?: Question;
  readonly ended?: string;
  readonly sentence?: string;
}

function destroy(socket: Socket): void {
  socket.removeAllListeners('data');
  socket.destroy();
}

/** What a person sees is made here, from the bytes that would run, not taken from the other side. */
function asShown(question: Question): Question {
  return { ...question, display: displayForm(question.request.text) };
}

/** Nobody listens, and whose it was is gone. Its process alive: it may just be about to listen. */
function removeStale(path: string): void {
  const pid = Number(SOCKET_NAME.exec(path.slice(path.lastIndexOf('/') + 1))?.[1]);
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') rmSync(path, { force: true });
  }
}
