import { describe, expect } from 'vitest';
import { verifies } from '../helpers/verifies.js';
import { attack } from './hosts.js';
import { soaking } from './soaking.js';

interface Swapped {
  readonly wrong: unknown[];
  readonly pwned: boolean;
  readonly last: string;
  readonly rewritten: number;
}

attack(
  'rewriting every file below the runtime directory puts no foreign text into a session',
  async host => {
    verifies('P2');
    const seen = await host.see<Swapped>('swap', { commands: soaking ? 2_000 : 300 });
    expect(seen).toMatchObject({ wrong: [], pwned: false, last: 'kept\n' });
    expect(seen.rewritten).toBeGreaterThan(10);
  },
  soaking ? 300_000 : 60_000,
);

describe.each(['pty', 'pipes'])('a child that hears no signal on %s', footing => {
  attack('sees no nonce and forges no end, while it runs and while it is being ended', async host => {
    verifies('P5', 'P7');
    const seen = await host.see<{ results: object[]; begun: boolean; nonces: number }>('forge', { footing });
    expect(seen).toMatchObject({ begun: true, nonces: 0 });
    expect(seen.results).toHaveLength(footing === 'pty' ? 2 : 1);
    for (const result of seen.results) {
      expect(result).toMatchObject({
        forged: { outcome: 'timed-out', shell: 'kept', survivors: [] },
        more: false,
        next: { outcome: 'exited', exitCode: 3, stdout: 'kept\n', restarted: false },
      });
    }
  });

  attack('is dead at the deadline, whatever its mark says; an older job is not', async host => {
    verifies('P7', 'S3-08');
    const seen = await host.see('markers', { footing });
    expect(seen).toMatchObject({ result: { outcome: 'timed-out', shell: 'kept' }, left: 'spared\n0\n1\n' });
  });
});

attack(
  'no byte of a command line reaches a child, whatever its length',
  async host => {
    verifies('P5');
    const seen = await host.see('lengths', { from: 3_000, to: 9_000, step: soaking ? 1 : 59 });
    expect(seen).toEqual({ checked: soaking ? 6_001 : 102, wrong: [] });
  },
  soaking ? 400_000 : 60_000,
);

attack('a cancel while the shell still reads a line runs no part of it', async host => {
  verifies('P2', 'P7');
  const rounds = soaking ? 60 : 8;
  const seen = await host.see('torn', { rounds });
  expect(seen).toEqual({
    torn: false,
    outcomes: { 'long cancelled kept': rounds, 'quotes cancelled kept': rounds, 'wide cancelled kept': rounds },
    kept: 'kept\n',
  });
});
