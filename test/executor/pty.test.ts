import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { TinyShell } from '../conformance/tiny-shell.js';
import { temporaryDirectory } from '../helpers/cli.js';

afterEach(() => {
  vi.doUnmock('node:module');
  vi.doUnmock('../../src/executor/local/launch.js');
  vi.resetModules();
});

async function support() {
  vi.resetModules();
  return (await import('../../src/executor/local/pty.js')).ptySupport();
}
function library(load: () => unknown): void {
  vi.doMock('node:module', () => ({ createRequire: () => load }));
}

test('terminals are there with the library that is installed', async () => {
  expect(await support()).toEqual({ available: true, reason: '' });
});

test('a missing library is named', async () => {
  library(() => {
    throw new Error("Cannot find module '@lydell/node-pty/requireBinary.js'\nRequire stack: …");
  });
  expect(await support()).toEqual({
    available: false,
    reason: "@lydell/node-pty could not be loaded: Cannot find module '@lydell/node-pty/requireBinary.js'",
  });
});

test('without the library a session stands on pipes', async () => {
  library(() => {
    throw new Error('not installed');
  });
  vi.resetModules();
  const { createLocalExecutor } = await import('../../src/executor/local/index.js');
  const place = temporaryDirectory();
  const executor = createLocalExecutor({ runtimeDirectory: join(place, 'run') });
  const shell = await TinyShell.open(executor, { cwd: place });
  expect([shell.channel.footing, shell.channel.terminal]).toEqual(['pipes', undefined]);
  expect((await shell.run('echo here')).out.toString()).toBe('here\n');
  await executor.close();
});

test('a library without the two native functions is not trusted to have them', async () => {
  library(() => ({ requireBinary: () => ({ open: () => ({}) }) }));
  expect((await support()).reason).toContain('lacks open or resize');
});

test('a launcher that cannot close the master of another terminal gets none', async () => {
  vi.doMock('../../src/executor/local/launch.js', () => ({ launcher: () => ({ argv: ['/bin/sh', '-c'], closesAll: false }) }));
  expect((await support()).reason).toContain('cannot close');
});
