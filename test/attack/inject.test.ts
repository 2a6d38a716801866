import { describe, expect } from 'vitest';
import { verifies } from '../helpers/verifies.js';
import { attack } from './hosts.js';

describe.each(['pty', 'pipes'])('inject on %s', footing => {
  attack('nothing that a session runs can put a line, a report or an answer into it', async host => {
    verifies('P2', 'P5');
    const seen = await host.see<Record<string, unknown>>('inject', { footing });
    expect(seen).toMatchObject({
      commands: 5,
      started: 5,
      asked: true,
      stateKept: true,
      pwned: false,
      result: { outcome: 'exited', exitCode: 0 },
    });
  });
});
