import { randomBytes } from 'node:crypto';
import { chmodSync, rmSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import type { Answer, Approver } from '../contract/answer.js';
import type { AuditType } from '../contract/audit.js';
import { ShellgateError } from '../contract/error.js';
import type { Accepted, Approvals } from '../contract/question.js';
import { privateDirectory, runtimeDirectory } from '../platform.js';
import type { GivenAnswer } from './open-question.js';
import { type AnswerKey, signerOf } from './signature.js';
import { receiveLines, sendLine } from './socket-lines.js';
import { PROTOCOL, requestSchema, type SocketRequest } from './socket-protocol.js';
import { type GatedShell, gatePids, type Peer, tripped } from './tripwire.js';

export interface AnswerSocketOptions {
  readonly approvals: Approvals;
  /** What this process is, for people: `mcp`, `run`, `serve`. */
  readonly label: string;
  /** Default: the runtime directory of the user. Made, and refused where others can enter it (`PLACE_UNSAFE`). */
  readonly directory?: string;
  /** true: a question waits here although nobody watches (`mcp`). Default false: then it needs another channel. */
  readonly keepOpen?: boolean;
  /** The gated shells of this process, for the tripwire. Default: all that descends from this process counts as gated. */
  readonly shells?: () => readonly GatedShell[];
  /** Keys whose signature lifts an answer to `keyed`. */
  readonly keys?: readonly AnswerKey[];
  /** Told of answers that were refused here. Must not throw. */
  readonly onEvent: (type: AuditType, data: unknown) => void;
}

export interface AnswerSocket {
  readonly path: string;
  /** How many watch now. */
  readonly watchers: number;
  close(): Promise<void>;
}

/** What the kernel takes for the path of a socket, less its end mark (Linux; 104 on macOS). */
const LONGEST_PATH = 103;

/**
 * Open the way by which other processes of this user list, watch and answer the questions of this one. The socket lies
 * in a directory that only the user can enter (0700) and is 0600; that is what proves who answers: `same-user`.
 */
export async function openAnswerSocket(options: AnswerSocketOptions): Promise<AnswerSocket> {
  const directory = privateDirectory(options.directory ?? runtimeDirectory());
  const path = join(directory, `gate-${process.pid}-${randomBytes(4).toString('hex')}.sock`);
  if (Buffer.byteLength(path) > LONGEST_PATH) {
    throw new ShellgateError('PLACE_UNAVAILABLE', `${path} is too long for a socket; set XDG_RUNTIME_DIR to a short path`, {
      place: path,
    });
  }
  const { approvals } = options;
  const connections = new Set<Socket>();
  const watchers = new Set<Socket>();
  const leaving = new Set<() => void>();
  const server = createServer(connect);
  await new Promise<void>((resolve, reject) => {
    server.once('error', cause =>
      reject(new ShellgateError('PLACE_UNAVAILABLE', `cannot listen on ${path}: ${cause.message}`, { cause, place: path })),
    );
    server.listen(path, resolve);
  });
  server.removeAllListeners('error').on('error', () => {}); // one that could not be accepted; the others can
  chmodSync(path, 0o600);
  const detach = approvals.attach(socketApprover());

  /** Brings no answers itself, they come through `approvals`; it keeps questions open while somebody is there. */
  function socketApprover(): Approver {
    return {
      name: 'socket',
      reachable: () => options.keepOpen === true || watchers.size > 0,
      request: (question, signal) =>
        new Promise<Answer>(resolve => {
          announce({ asked: question });
          const lastLeft = () => settle('the last `shellgate pending --watch` was closed');
          const ended = () => {
            announce({ ended: question.id, sentence: String(signal.reason) });
            settle(String(signal.reason));
          };
          const settle = (reason: string) => {
            leaving.delete(lastLeft);
            signal.removeEventListener('abort', ended);
            resolve({ outcome: 'unavailable', reason });
          };
          if (signal.aborted) return ended();
          signal.addEventListener('abort', ended, { once: true });
          if (!options.keepOpen) leaving.add(lastLeft);
        }),
    };
  }

  function announce(event: object): void {
    for (const watcher of watchers) sendLine(watcher, event);
  }

  function connect(socket: Socket): void {
    connections.add(socket);
    socket.on('error', () => socket.destroy());
    socket.on('close', () => {
      connections.delete(socket);
      if (watchers.delete(socket) && watchers.size === 0) for (const leave of [...leaving]) leave();
    });
    sendLine(socket, { shellgate: PROTOCOL, pid: process.pid, label: options.label });
    receiveLines(socket, message => {
      const parsed = requestSchema.safeParse(message);
      if (!parsed.success) {
        const id = (message as { id?: unknown } | null)?.id;
        sendLine(socket, { id, error: { code: 'REQUEST_INVALID', message: parsed.error.issues[0]?.message ?? 'not a request' } });
        return;
      }
      void reply(socket, parsed.data).then(result => sendLine(socket, { id: parsed.data.id, result }));
    });
  }

  async function reply(socket: Socket, request: SocketRequest): Promise<unknown> {
    switch (request.method) {
      case 'pending':
        return approvals.pending();
      case 'paused':
        return approvals.paused();
      case 'watch': {
        // A gated command that watches could make questions wait for nobody.
        const refused = refuse(request.peer as Peer, { watch: true });
        if (refused) return { refused };
        watchers.add(socket);
        return { pending: await approvals.pending() };
      }
      case 'answer':
        return answer(request);
      case 'resume': {
        const refused = refuse(request.peer as Peer, { resume: request.principal });
        if (!refused) approvals.resume(request.principal);
        return refused ?? { accepted: true };
      }
    }
  }

  function refuse(peer: Peer, what: object): Accepted | undefined {
    const shells = options.shells?.() ?? [{ pid: process.pid, session: options.label }];
    const others = gatePids(directory).filter(pid => pid !== process.pid);
    const reason = tripped(peer, shells, others);
    if (reason === undefined) return undefined;
    options.onEvent('answer.refused', { code: 'ANSWER_REFUSED', reason, peer, ...what });
    return { accepted: false, code: 'ANSWER_REFUSED', reason };
  }

  async function answer(request: Extract<SocketRequest, { method: 'answer' }>): Promise<Accepted> {
    if (request.answer.outcome === 'unavailable') return { accepted: false, code: 'ANSWER_FOREIGN', reason: 'that is no answer' };
    const given = request.answer as GivenAnswer;
    const refused = refuse(request.peer as Peer, { question: given.questionId, outcome: given.outcome });
    if (refused) return refused;
    const question = (await approvals.pending()).find(each => each.id === given.questionId);
    const signer =
      question && request.signature !== undefined
        ? signerOf(question, { answer: given, signature: request.signature }, options.keys ?? [])
        : undefined;
    // Who answers, how and how surely is what this side knows, never what the other side says.
    const approver = signer
      ? ({ kind: 'person', id: `key ${signer.label}`, label: signer.label } as const)
      : ({ kind: 'person', id: `uid ${process.getuid?.() ?? 0} pid ${request.peer.pid}`, label: request.label } as const);
    return approvals.answer({ ...given, approver, channel: 'socket', level: signer ? 'keyed' : 'same-user' });
  }

  return {
    path,
    get watchers() {
      return watchers.size;
    },
    async close() {
      detach();
      for (const socket of connections) socket.destroy();
      await new Promise<void>(resolve => server.close(() => resolve()));
      rmSync(path, { force: true });
    },
  };
}
