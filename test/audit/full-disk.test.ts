import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { type Disk, realDisk } from '../../src/audit/disk.js';
import { verifyAudit } from '../../src/audit/verify.js';
import { temporaryDirectory } from '../helpers/cli.js';
import { verifies } from '../helpers/verifies.js';
import { failingFrom } from './failing-disk.js';
import { logDirectory, namesIn, openLog, recordCommand, recordsOf, request } from './scratch.js';

/** A disk with room for so many bytes, and for as many as the reserve holds when that is given back. */
function smallDisk(directory: string, bytes: number, code: string): Disk {
  let left = bytes;
  return {
    ...realDisk,
    write(fd, data) {
      const room = left + (namesIn(directory, '.reserve').length === 0 ? 64 * 1024 : 0);
      if (room <= 0) throw Object.assign(new Error(`${code}: write`), { code });
      const written = realDisk.write(fd, data.subarray(0, room));
      left -= written;
      return written;
    },
  };
}

test.each(['ENOSPC', 'EDQUOT'])('%s: the reserve takes the sentence that nothing ran', async code => {
  verifies('P1');
  const directory = logDirectory();
  const log = await openLog(directory, { disk: smallDisk(directory, 3_000, code) });
  let refusal: Awaited<ReturnType<typeof recordCommand>>;
  for (let n = 0; n < 20 && !refusal; n++) refusal = await recordCommand(log, request(`c${n}`));
  expect(refusal).toMatchObject({ by: 'audit', code: 'AUDIT_UNAVAILABLE', reason: expect.stringContaining('no space left') });
  expect(await recordCommand(log, request('later'))).toEqual(refusal);
  await log.close();
  const records = recordsOf(log.file!);
  expect(records.filter(record => record.type === 'command.refused').length).toBeGreaterThanOrEqual(2);
  expect(records.at(-1)).toMatchObject({ type: 'audit.head' });
  expect((await verifyAudit(directory)).intact).toBe(true);
});

test('a disk that stays full when the reserve is given back: refused, nothing thrown', async () => {
  const log = await openLog(logDirectory(), { disk: failingFrom(2, 'ENOSPC') });
  expect(await recordCommand(log, request('c1'))).toMatchObject({ reason: expect.stringContaining('no space left') });
  expect(recordsOf(log.file!)).toHaveLength(1);
});

/** A file system of that size; undefined where nobody may mount one. */
function tmpfs(size: string): string | undefined {
  const path = temporaryDirectory();
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${size},mode=700`, 'tmpfs', path], { stdio: 'ignore' });
  } catch {
    return undefined;
  }
  onTestFinished(() => void execFileSync('umount', ['-l', path]));
  return path;
}

test('a real file system that fills up', async ({ skip }) => {
  verifies('P1');
  const mount = tmpfs('256k') ?? skip('mounting needs root');
  const directory = join(mount, 'audit');
  const log = await openLog(directory);
  const { bavail, bsize } = statfsSync(mount);
  writeFileSync(join(mount, 'filler'), Buffer.alloc(bavail * bsize - 8_192));
  let refusal: Awaited<ReturnType<typeof recordCommand>>;
  for (let n = 0; n < 100 && !refusal; n++) refusal = await recordCommand(log, request(`c${n}`));
  expect(refusal).toMatchObject({ code: 'AUDIT_UNAVAILABLE', reason: expect.stringContaining('no space left') });
  await log.close();
  expect(recordsOf(log.file!).map(record => record.type)).toContain('command.refused');
  expect((await verifyAudit(directory)).intact).toBe(true);
});

test('a real file system without room for the reserve opens no log, and keeps nothing', async ({ skip }) => {
  const mount = tmpfs('32k') ?? skip('mounting needs root');
  const directory = join(mount, 'audit');
  mkdirSync(directory, { mode: 0o700 });
  const log = await openLog(directory);
  expect(await recordCommand(log, request('c1'))).toMatchObject({
    code: 'AUDIT_UNAVAILABLE',
    reason: expect.stringContaining('no space left'),
  });
  expect([...namesIn(directory, '.claim'), ...namesIn(directory, '.reserve'), ...namesIn(directory, '.jsonl')]).toEqual([]);
  expect(existsSync(directory)).toBe(true);
});
