import { z } from 'zod';
import { answerSchema } from '../contract/answer.js';

/** What is said on an answer socket, one JSON value a line. The gate speaks first. */
export const PROTOCOL = 1;

/** Who this gate is. */
export const greetingSchema = z.object({ shellgate: z.literal(PROTOCOL), pid: z.number().int(), label: z.string() });

const peer = z.object({ pid: z.number().int().positive(), marker: z.string().optional() });
const id = z.number().int();

/** What a client may ask. The level and the channel of an answer are the gate's to say. */
export const requestSchema = z.discriminatedUnion('method', [
  z.object({ id, method: z.literal('pending') }),
  z.object({ id, method: z.literal('paused') }),
  z.object({ id, method: z.literal('watch'), peer }),
  z.object({
    id,
    method: z.literal('answer'),
    peer,
    label: z.string().max(100),
    answer: answerSchema,
    signature: z.string().max(200).optional(),
  }),
  z.object({ id, method: z.literal('resume'), peer, principal: z.string() }),
]);
export type SocketRequest = z.infer<typeof requestSchema>;
