import { expect } from 'vitest';
import { verifies } from '../helpers/verifies.js';
import { attack } from './hosts.js';

interface Seen {
  readonly host: string;
  readonly unread: object;
  readonly moved: object;
  readonly secrets: object;
  readonly fakes: { exitCode: number };
  readonly pipes: { stdout: string; terminal: string };
  readonly escape: { outcome: string; escaped: boolean; named: boolean };
  readonly log: boolean;
}

// docs/threat-model.md says so. When one of these fails, something became better: say it there.
attack('what is not defended: each of it succeeds, and is seen to', async host => {
  verifies('P12', 'P7');
  const seen = await host.see<Seen>('not-defended', {}, { SHOWN_ONLY_TO_THE_HOST: 'yes' });
  expect(seen.fakes, 'code inside of the shell fakes its own status').toEqual({ exitCode: 0 });
  expect(seen.pipes.stdout, 'another process of the user writes into a command’s output').toMatch(/^own\n(foreign\n)+$/);
  expect(seen.pipes.terminal, 'another process of the user prints on a terminal').toMatch(/^own\r\n(foreign\r\n)+$/);
  expect(seen.escape, 'without a control group it lives on, and is named').toEqual({
    outcome: 'timed-out',
    escaped: true,
    named: true,
  });
  expect(seen.log, 'a program of the user reads the log').toBe(true);
  expect(seen.host, 'a program of the user reads the environment of the host').toBe('SHOWN_ONLY_TO_THE_HOST=yes\n');
  expect(seen.unread, 'what a script does inside is not in the analysis').toEqual({
    outcome: 'exited',
    asked: 1,
    said: false,
    made: true,
  });
  expect(seen.moved, 'a file that moves after the start is not judged again').toEqual({ stdout: 'moved\n', shown: ['late.sh'] });
  expect(seen.secrets, 'an unknown secret is in the log, a known one in the raw spool').toEqual({
    unknown: true,
    known: false,
    raw: true,
    mode: '600',
  });
});
