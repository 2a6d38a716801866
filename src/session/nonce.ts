import { randomBytes } from 'node:crypto';

const BYTES = 12;
const BLOCK = 256;
let block = '';
let next = 0;

/** 24 hex digits that nobody can guess. Cut from a block made in advance: a command needs several and the call is dear. */
export function nonce(): string {
  if (next >= block.length) {
    block = randomBytes(BYTES * BLOCK).toString('hex');
    next = 0;
  }
  next += BYTES * 2;
  return block.slice(next - BYTES * 2, next);
}
