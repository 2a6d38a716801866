import { expect } from 'vitest';
import { verifies } from '../helpers/verifies.js';
import { attack } from './hosts.js';

interface Seen {
  readonly fakes: { exitCode: number };
  readonly pipes: { stdout: string; terminal: string };
  readonly escape: { outcome: string; escaped: boolean; named: boolean };
  readonly log: boolean;
}

// docs/threat-model.md says so. When one of these fails, something became better: say it there.
attack(
  'what is not defended: a shell that lies, pipes of the same user, a program without any trace, the log itself',
  async host => {
    verifies('P12', 'P7');
    const seen = await host.see<Seen>('not-defended');
    expect(seen.fakes, 'code inside of the shell fakes its own status').toEqual({ exitCode: 0 });
    expect(seen.pipes.stdout, 'another process of the user writes into a command’s output').toMatch(/^own\n(foreign\n)+$/);
    expect(seen.pipes.terminal, 'another process of the user prints on a terminal').toMatch(/^own\r\n(foreign\r\n)+$/);
    expect(seen.escape, 'without a control group it lives on, and is named').toEqual({
      outcome: 'timed-out',
      escaped: true,
      named: true,
    });
    expect(seen.log, 'a program of the user reads the log').toBe(true);
  },
);
