import { expect } from 'vitest';
import { verifies } from '../helpers/verifies.js';
import { attack } from './hosts.js';

attack('no process of a session, and no helper, holds anything of another, and nobody types for somebody else', async host => {
  verifies('P2', 'P9');
  const seen = await host.see('isolation');
  expect(seen).toMatchObject({
    foreign: [],
    masters: [],
    helper: 0,
    helperSockets: [],
    helperTerminal: 0,
    terminals: 3,
    read: 'got:\r\n',
  });
});
