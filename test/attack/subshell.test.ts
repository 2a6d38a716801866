import { describe, expect } from 'vitest';
import { verifies } from '../helpers/verifies.js';
import { attack } from './hosts.js';

/** What becomes of the next command while somebody else has the shell's streams. */
const SHAPES: Readonly<Record<string, string>> = {
  'a fork that keeps them': 'tainted held-0815\n',
  'a fork that reads command lines': 'refused SHELL_UNAVAILABLE',
  'a fork that waits for command lines, and takes them in passing': 'refused SHELL_UNAVAILABLE',
  'a trap that starts a program': 'refused SHELL_UNAVAILABLE',
  'a trap that starts a reader': 'refused SHELL_UNAVAILABLE',
};

describe.each(['auto', 'off'])('pty %s', pty => {
  attack('whoever has the streams of the protocol is found, and is sent nothing', async host => {
    verifies('P5');
    const seen = await host.see('subshell', { pty });
    expect(seen).toEqual(
      Object.fromEntries(Object.entries(SHAPES).map(([shape, next]) => [shape, { next, taken: '', after: 'after\n' }])),
    );
  });
});
