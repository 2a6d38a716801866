import { expect } from 'vitest';
import { REQUIREMENTS } from '../requirements.js';

/** Say which requirements (S…), promises (P…) or acceptance rows a test shows. An unknown requirement id fails. */
export function verifies(...ids: string[]): void {
  for (const id of ids) {
    if (/^S\d/.test(id)) expect(REQUIREMENTS, `requirement ${id} is not in test/requirements.ts`).toHaveProperty(id);
  }
}
