import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { createSpools, type SpoolOptions, type SpoolWriter } from '../../src/output/spool.js';
import { temporaryDirectory } from '../helpers/cli.js';
import { verifies } from '../helpers/verifies.js';

function spools(options: Partial<SpoolOptions> = {}) {
  const directory = options.directory ?? join(temporaryDirectory(), 'spool');
  const made = createSpools({ directory, keepFreeBytes: 0, ...options });
  onTestFinished(() => made.close());
  return { directory, made };
}

const textAt = (writer: SpoolWriter, from: number, max: number): string => Buffer.from(writer.read(from, max)).toString();
const raw = (directory: string): string[] => readdirSync(directory).filter(name => name.endsWith('.raw'));

test('no file is made before the first byte, and then one that only its user can read', () => {
  verifies('P10');
  const { directory, made } = spools();
  const writer = made.open('r1.stdout');
  expect(existsSync(directory)).toBe(false);
  expect([writer.bytes, textAt(writer, 0, 10), writer.end()]).toEqual([0, '', undefined]);
  const other = made.open('r1.stderr');
  other.write(Buffer.from('x'));
  const [name] = raw(directory);
  expect(name).toMatch(/-r1\.stderr\.raw$/);
  expect([directory, join(directory, name!)].map(path => statSync(path).mode & 0o777)).toEqual([0o700, 0o600]);
});

test('it is read while it is written, past its end and after it, and its digest is that of the file', () => {
  verifies('P8');
  const { made } = spools();
  const writer = made.open('r1.stdout');
  writer.write(Buffer.from('0123456789'));
  expect([textAt(writer, 0, 4), textAt(writer, 8, 100), textAt(writer, 10, 5), textAt(writer, 99, 5)]).toEqual([
    '0123',
    '89',
    '',
    '',
  ]);
  writer.write(Buffer.alloc(100_000, 'z')); // longer than what waits in memory
  writer.write(Buffer.from('end'));
  expect([writer.bytes, textAt(writer, 100_008, 9)]).toEqual([100_013, 'zzend']);
  const full = writer.end()!;
  const file = readFileSync(full.ref);
  expect(full).toEqual({
    ref: full.ref,
    bytes: 100_013,
    sha256: createHash('sha256').update(file).digest('hex'),
    complete: true,
  });
  expect(file.equals(Buffer.from(`0123456789${'z'.repeat(100_000)}end`))).toBe(true);
  expect(textAt(writer, 9, 3)).toBe('9zz');
  writer.write(Buffer.from('too late'));
  expect(writer.end()).toEqual(full);
  expect(statSync(full.ref).size).toBe(100_013);
});

test('the caller may use its bytes again', () => {
  const { made } = spools();
  const writer = made.open('r1.stdout');
  const bytes = Buffer.from('mine');
  writer.write(bytes);
  bytes.fill('x');
  expect(readFileSync(writer.end()!.ref, 'utf8')).toBe('mine');
});

test('both streams of a command share one quota; another command has its own, and a spent one comes back', () => {
  verifies('P8');
  const { made } = spools({ perCommandBytes: 10 });
  const [out, err, other] = [made.open('a.b.stdout'), made.open('a.b.stderr'), made.open('a.c.stdout')];
  out.write(Buffer.from('0123456'));
  err.write(Buffer.from('abcdef'));
  out.write(Buffer.from('789'));
  other.write(Buffer.from('0123456789'));
  expect([out.end(), err.end(), other.end()]).toMatchObject([
    { bytes: 7, complete: false },
    { bytes: 3, complete: false },
    { bytes: 10, complete: true },
  ]);
  const again = made.open('a.b.stdout');
  again.write(Buffer.from('01234'));
  expect(again.end()).toMatchObject({ bytes: 5, complete: true });
});

test('after the first byte that did not fit nothing more is taken: a hole would move every later offset', () => {
  const { made } = spools({ perCommandBytes: 5 });
  const [out, err] = [made.open('a.stdout'), made.open('a.stderr')];
  err.write(Buffer.from('ab'));
  out.write(Buffer.from('0123'));
  out.write(Buffer.from('x'));
  expect([out.bytes, textAt(out, 0, 9)]).toEqual([3, '012']);
  expect(readFileSync(out.end()!.ref, 'utf8')).toBe('012');
});

test('the directory as a whole has a quota, and what other processes left there counts', () => {
  verifies('P8');
  const first = spools();
  const filler = first.made.open('old.stdout');
  filler.write(Buffer.alloc(80_000));
  filler.end();
  const { made } = spools({ directory: first.directory, totalBytes: 100_000 });
  const writer = made.open('new.stdout');
  writer.write(Buffer.alloc(50_000));
  const { bytes, complete } = writer.end()!;
  expect(complete).toBe(false);
  expect(bytes).toBeGreaterThan(19_000); // the leases count a little
  expect(bytes).toBeLessThanOrEqual(20_000);
});

test('it never takes the last space of the file system', () => {
  verifies('P8');
  const { made } = spools({ keepFreeBytes: Number.MAX_SAFE_INTEGER });
  const writer = made.open('r1.stdout');
  writer.write(Buffer.from('text'));
  expect([writer.bytes, writer.end()]).toMatchObject([0, { bytes: 0, complete: false }]);
});

test('a place that is unsafe or cannot be made costs the copy, not the command', () => {
  verifies('P8');
  const open = join(temporaryDirectory(), 'open');
  mkdirSync(open, { mode: 0o755 });
  for (const directory of [open, '/proc/nowhere/spool']) {
    const writer = spools({ directory }).made.open('r1.stdout');
    writer.write(Buffer.from('text'));
    expect([writer.bytes, textAt(writer, 0, 9), writer.end()]).toEqual([0, '', undefined]);
  }
  expect(readdirSync(open)).toEqual([]);
});

test('a disk that fails in the middle leaves an incomplete copy that says so', async () => {
  verifies('P8');
  vi.resetModules();
  let full = false;
  vi.doMock('node:fs', async load => {
    const fs = await load<typeof import('node:fs')>();
    const writeSync = (...args: Parameters<typeof fs.writeSync>): number => {
      if (full) throw Object.assign(new Error('ENOSPC'), { code: 'ENOSPC' });
      return fs.writeSync(...args);
    };
    return { ...fs, writeSync };
  });
  onTestFinished(() => {
    vi.doUnmock('node:fs');
    vi.resetModules();
  });
  const { createSpools: create } = await import('../../src/output/spool.js');
  const made = create({ directory: join(temporaryDirectory(), 'spool'), keepFreeBytes: 0 });
  const writer = made.open('r1.stdout');
  writer.write(Buffer.alloc(70_000, 'a'));
  full = true;
  writer.write(Buffer.alloc(70_000, 'b'));
  writer.write(Buffer.alloc(70_000, 'c'));
  full = false;
  writer.write(Buffer.from('d'));
  const result = writer.end()!;
  const file = readFileSync(result.ref);
  expect(result.complete).toBe(false);
  expect(file.subarray(0, 70_000).equals(Buffer.alloc(70_000, 'a'))).toBe(true);
  expect([file.includes('c'), file.includes('d')]).toEqual([false, false]);
  await made.close();
});

test('a name of a request makes no path', () => {
  const { directory, made } = spools();
  const writer = made.open('../../etc/x y\n.stdout');
  writer.write(Buffer.from('x'));
  const { ref } = writer.end()!;
  expect(dirname(ref)).toBe(directory);
  expect(basename(ref)).toMatch(/^\d+-[0-9a-f]{8}-1-[\w.-]+\.raw$/);
});

test('old files go: our finished ones and those of the dead, never one in use or that is not a spool', async () => {
  verifies('P10');
  const clock = { now: Date.now() };
  const { directory, made } = spools({ maxAgeMs: 1_000, now: () => clock.now });
  const [done, writing] = [made.open('done.stdout'), made.open('writing.stdout')];
  for (const writer of [done, writing]) writer.write(Buffer.from('x'));
  done.end();
  const alive = `${process.pid}-00000001`;
  const dead = `${spawnSync('/bin/true').pid}-00000002`;
  writeFileSync(join(directory, `${alive}.lock`), JSON.stringify({ pid: process.pid, started: '' }));
  writeFileSync(join(directory, `${alive}-1-a.stdout.raw`), 'in use by another');
  writeFileSync(join(directory, `${dead}.lock`), JSON.stringify({ pid: Number.parseInt(dead, 10), started: '1' }));
  writeFileSync(join(directory, `${dead}-1-a.stdout.raw`), 'of a dead process');
  writeFileSync(join(directory, 'notes.txt'), 'of the user');
  symlinkSync(join(directory, 'notes.txt'), join(directory, `${dead}-2-link.raw`));
  const before = readdirSync(directory).length;
  expect(await made.sweep()).toBe(0); // nothing is old yet
  for (const name of readdirSync(directory)) utimesSync(join(directory, name), clock.now / 1_000, clock.now / 1_000);
  clock.now += 5_000;
  expect(await made.sweep()).toBe(3);
  const left = readdirSync(directory);
  expect(left).toHaveLength(before - 3);
  expect(left).toContain(`${alive}-1-a.stdout.raw`);
  expect(left.some(name => name.includes('-writing.'))).toBe(true);
  expect(left.filter(name => name.startsWith(dead))).toEqual([`${dead}-2-link.raw`]);
  expect(left).toContain('notes.txt');
  expect(textAt(writing, 0, 9)).toBe('x');
  expect(await spools({ directory: '/no/such/place' }).made.sweep()).toBe(0);
});

test('a lease of a process whose number lives again under another start time is not held', async () => {
  const { directory, made } = spools({ maxAgeMs: 1_000, now: () => Date.now() + 60_000 });
  made.open('a.stdout').write(Buffer.from('x'));
  const reused = `${process.pid}-00000003`;
  writeFileSync(join(directory, `${reused}.lock`), JSON.stringify({ pid: process.pid, started: '1' }));
  writeFileSync(join(directory, `${reused}-1-a.raw`), 'x');
  const unread = `${process.pid}-00000004`;
  writeFileSync(join(directory, `${unread}.lock`), '{');
  writeFileSync(join(directory, `${unread}-1-a.raw`), 'x');
  await made.sweep();
  expect(raw(directory).map(name => name.slice(0, -6))).not.toContain(`${reused}-1`);
  expect(raw(directory)).toContain(`${unread}-1-a.raw`); // what cannot be read counts as held
});

test('close ends every writer and gives up the lease', async () => {
  const { directory, made } = spools();
  const writer = made.open('a.stdout');
  writer.write(Buffer.from('text'));
  expect(readdirSync(directory).filter(name => name.endsWith('.lock'))).toHaveLength(1);
  await made.close();
  expect(readdirSync(directory).filter(name => name.endsWith('.lock'))).toEqual([]);
  writer.write(Buffer.from('more'));
  expect(writer.end()).toMatchObject({ bytes: 4, complete: true });
});
