import { expect, test } from 'vitest';
import { ShellgateError } from '../../src/contract/error.js';
import type { Gate } from '../../src/contract/gate.js';
import { Sessions } from '../../src/mcp/sessions.js';

test('at the limit a model is told what it can do, and the session it has goes on', async () => {
  const main = { id: 'main-1' };
  let opened = 0;
  const openSession = async () => {
    opened += 1;
    if (opened === 1) return main;
    throw new ShellgateError('TOO_MANY_SESSIONS', '1 sessions are open; close one, or raise maxSessions');
  };
  const sessions = new Sessions({ openSession } as unknown as Gate);
  expect(await sessions.get()).toBe(main);
  await expect(sessions.get('new')).rejects.toMatchObject({
    code: 'TOO_MANY_SESSIONS',
    message: expect.stringContaining('go on in one you have'),
  });
  expect(await sessions.get()).toBe(main);
});
