import { createRequestStateCodec, type RequestStateCodec } from '@modelcontextprotocol/server';
import type { Question } from '../contract/question.js';
import type { Calls } from './calls.js';
import type { Client } from './client.js';
import type { Sessions } from './sessions.js';
import type { Limits } from './statuses.js';

/** Which call a question that was returned to the client belongs to. Signed: it comes back from outside. */
export interface CarriedState {
  readonly command: string;
  readonly request: string;
}

/** Everything the shell tools of one client work with. */
export interface Desk {
  readonly sessions: Sessions;
  readonly calls: Calls;
  readonly limits: Limits & { readonly timeoutMs: number; readonly backgroundMs: number; readonly answerWaitMs: number };
  readonly codec: RequestStateCodec<CarriedState>;
  /** Does the user's file trust the program that started us? */
  readonly trusted: boolean;
  /** The program that started us; absent where that cannot be known. */
  readonly program?: string;
  /** Where, what and why, in words for a person. */
  words(question: Question): string;
  /** Told of each client's name, for those who look from outside. */
  met(client: Client): void;
}

export const carriedStateCodec = (key: Uint8Array, ttlSeconds: number): RequestStateCodec<CarriedState> =>
  createRequestStateCodec<CarriedState>({ key, ttlSeconds });
