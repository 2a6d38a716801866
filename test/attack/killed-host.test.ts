import { describe, expect } from 'vitest';
import { verifies } from '../helpers/verifies.js';
import { attack } from './hosts.js';
import { soaking } from './soaking.js';

const ROUNDS = soaking ? 34 : 4;

describe.each(['pty', 'pipes', 'stateless'])('a host killed in mid-command on %s', footing => {
  attack(
    'leaves nothing to the next start, which says what was lost; the log verifies',
    async host => {
      verifies('P1', 'P7');
      for (let round = 0; round < ROUNDS; round += 1) {
        const doomed = await host.start('doomed', { footing });
        expect(JSON.parse(doomed.said.split('\n')[0]!), `round ${round}`).toEqual({ left: 0 });
        await doomed.kill();
      }
      const seen = await host.see('next-start', { footing });
      expect(seen).toEqual({ left: 0, intact: true, problems: [], lost: ROUNDS, named: true, files: [] });
    },
    soaking ? 300_000 : 60_000,
  );
});
