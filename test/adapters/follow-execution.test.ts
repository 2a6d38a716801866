import { expect, test } from 'vitest';
import { followExecution, type RunningView } from '../../src/adapters/follow-execution.js';
import type { Execution } from '../../src/contract/execution.js';
import { callback } from '../../src/index.js';
import { openHost } from './fixture.js';

async function viewsOf(execution: Execution): Promise<RunningView[]> {
  const views: RunningView[] = [];
  for await (const view of followExecution(execution)) views.push(view);
  return views;
}

test('a question that waits elsewhere is shown with the words that answer it', async () => {
  const { gate, session } = await openHost();
  const asked = deferred();
  gate.approvals.attach(callback(() => asked.promise.then(() => 'denied' as const)));
  const execution = session.start('touch made');
  const views: RunningView[] = [];
  for await (const view of followExecution(execution)) {
    views.push(view);
    if (view.status === 'pending') asked.resolve();
  }
  const pending = views.find(view => view.status === 'pending');
  expect(pending).toMatchObject({ request: expect.stringMatching(/^[a-z0-9]{4}-[0-9a-f]{4}$/) });
  expect(pending).toMatchObject({
    note: expect.stringContaining(`shellgate approve ${(pending as { request: string }).request}`),
  });
  expect(await execution.result).toMatchObject({ outcome: 'refused', code: 'APPROVAL_DENIED' });
});

test('a long output is shown by its end, from a whole character on', async () => {
  const { session } = await openHost();
  // 3-byte characters do not divide the tail's 4,000 bytes, so a naive cut would begin inside one.
  const views = await viewsOf(session.start(`echo ${'€'.repeat(3_000)}; sleep 0.5`));
  const running = views.findLast(view => view.status === 'running');
  expect(running).toMatchObject({ bytes: { stdout: 9_001 } });
  expect((running as { stdout: string }).stdout).toMatch(/^€+\n$/);
  expect(Buffer.byteLength((running as { stdout: string }).stdout)).toBeLessThanOrEqual(4_000);
});

test('a command that is over at once has no views, and a view comes only with news', async () => {
  const { session } = await openHost();
  const began = performance.now();
  const views = await viewsOf(session.start('echo quick'));
  // A machine that is too busy to be quick has nothing to show here.
  if (performance.now() - began < 150) expect(views).toHaveLength(0);
  const quiet = await viewsOf(session.start('sleep 1'));
  expect(quiet.filter(view => view.status === 'running')).toHaveLength(1);
});

function deferred(): { promise: Promise<void>; resolve(): void } {
  let resolve!: () => void;
  const promise = new Promise<void>(done => {
    resolve = done;
  });
  return { promise, resolve };
}
