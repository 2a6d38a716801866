import { readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { spawn } from '@lydell/node-pty';
import { expect, onTestFinished, test } from 'vitest';
import { callbackApprover, type Reply } from '../../src/approval/callback.js';
import { createScreenWriter } from '../../src/approval/screen-writer.js';
import { openAnswerSocket } from '../../src/approval/socket-server.js';
import { terminalApprover } from '../../src/approval/terminal.js';
import type { Approver } from '../../src/contract/answer.js';
import { approverConformance, type Spoken } from '../conformance/approver.js';
import { temporaryDirectory } from '../helpers/cli.js';
import { verifies } from '../helpers/verifies.js';
import { channel, never, question, queueOf } from './fixture.js';

approverConformance('a callback', () => {
  const asked = new Map<string, (reply: Reply) => void>();
  return {
    approver: callbackApprover(({ id }) => new Promise(resolve => asked.set(id, resolve))),
    async say(what, { id }) {
      await sleep(1);
      asked.get(id)!(what === 'yes' ? 'approved' : 'denied');
    },
  };
});

approverConformance('the terminal', async () => {
  const child = spawn('/bin/sleep', ['60'], { env: {} });
  let drawn = '';
  child.onData(data => {
    drawn += data;
  });
  const gone = new Promise<void>(done => child.onExit(() => done()));
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await gone;
  });
  // Before it is sleep, its descriptors are still those of this process.
  while (readFileSync(`/proc/${child.pid}/comm`, 'utf8') !== 'sleep\n') await sleep(2);
  const path = readlinkSync(`/proc/${child.pid}/fd/0`);
  return {
    approver: terminalApprover({ path, writer: createScreenWriter({ write: () => {} }) }),
    async say(what, { id }) {
      while (!drawn.includes(`┌ ${id}`)) await sleep(10);
      await sleep(400); // the prompt's quiet time, and some
      child.write(what === 'yes' ? 'y' : '\r');
    },
  };
});

/** Its answers come through the queue; the channel itself only tells who watches. */
async function socketChannel(): Promise<Spoken> {
  let attached: Approver | undefined;
  const { approvals } = queueOf([]);
  const socket = await openAnswerSocket({
    approvals: {
      ...approvals,
      attach(approver) {
        attached = approver;
        return () => {};
      },
    },
    label: 'test',
    directory: join(temporaryDirectory(), 'run'),
    keepOpen: true,
    onEvent: () => {},
  });
  onTestFinished(() => socket.close());
  return { approver: attached! };
}
approverConformance('the answer socket', socketChannel, { answersItself: false });

approverConformance('a channel of these tests', () => {
  const { approver, say } = channel();
  return {
    approver: {
      ...approver,
      request: (asked, signal) =>
        Promise.race([
          approver.request(asked, signal),
          new Promise<{ outcome: 'unavailable'; reason: string }>(resolve => {
            const told = () => resolve({ outcome: 'unavailable', reason: String(signal.reason) });
            if (signal.aborted) told();
            else signal.addEventListener('abort', told);
          }),
        ]),
    },
    say(what, to) {
      const bound = { questionId: to.id, digest: to.evaluation.digest, channel: 'test', level: 'same-user' };
      const approver = { kind: 'person', id: 'x', label: 'x' };
      const answer = what === 'yes' ? { outcome: 'approved' } : { outcome: 'denied', how: 'answered' };
      say({ ...bound, approver, ...answer }, to.id === 'aaaa' ? 0 : undefined);
    },
  };
});

test.each<[string, string, RegExp]>([
  ['no terminal', '/nowhere/tty', /^no terminal$/],
  ['a file', import.meta.filename, /is not a terminal$/],
])('the terminal is unavailable where there is %s, and says so', async (_name, path, reason) => {
  verifies('S3-06');
  const approver = terminalApprover({ path });
  expect(approver.available()).toBe(false);
  expect(await approver.request(question(), never())).toEqual({ outcome: 'unavailable', reason: expect.stringMatching(reason) });
});

test('a gated command has no terminal to ask at: its session’s is driven by whom it would ask about', async () => {
  verifies('P3');
  process.env['SHELLGATE_COMMAND'] = 'c1';
  onTestFinished(() => void delete process.env['SHELLGATE_COMMAND']);
  const approver = terminalApprover();
  expect(await approver.request(question(), never())).toEqual({
    outcome: 'unavailable',
    reason: 'this process runs inside a gated command',
  });
});
