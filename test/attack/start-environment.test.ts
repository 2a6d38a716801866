import { expect } from 'vitest';
import { verifies } from '../helpers/verifies.js';
import { attack } from './hosts.js';

attack('no variable of the environment runs anything, in any shell or helper that is started', async host => {
  verifies('P11');
  const seen = await host.see<{ faults: string[]; variables: number }>('start-environment');
  expect(seen.faults).toEqual([]);
  expect(seen.variables).toBeGreaterThan(20);
});

attack('TMOUT ends no idle shell: set, inherited, or readonly, which is said', async host => {
  const seen = await host.see('timeout', {});
  expect(seen).toEqual({
    set: { stdout: '1\n', restarted: false },
    inherited: { stdout: '1\n', restarted: false },
    readonly: { stdout: '\n', restarted: true },
    lost: true,
  });
});
