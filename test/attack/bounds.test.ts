import { expect } from 'vitest';
import { verifies } from '../helpers/verifies.js';
import { attack } from './hosts.js';

interface Odd {
  readonly kind: string;
  readonly text: string;
  readonly outcome: string;
  readonly code: string;
  readonly asked: number;
  readonly ms: number;
}

/** Three times what a busy machine needs; a read that waits would wait for ever. */
const BOUND_MS = 6_000;

attack('no FIFO, device, endless or looping file holds up a verdict, and a question about it still expires', async host => {
  verifies('P3', 'P4');
  const seen = await host.see<Odd[]>('odd-files');
  expect(seen).toHaveLength(20);
  for (const odd of seen) {
    expect(odd.ms, JSON.stringify(odd)).toBeLessThan(BOUND_MS);
    const asks = odd.text === 'npm test' || odd.text.startsWith('git');
    if (asks) expect(odd).toMatchObject({ outcome: 'refused', code: 'APPROVAL_EXPIRED', asked: 1 });
    else expect(odd.code, JSON.stringify(odd)).toMatch(/^POLICY_/);
  }
});
