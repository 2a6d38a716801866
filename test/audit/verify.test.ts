import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, renameSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import fc from 'fast-check';
import { beforeEach, describe, expect, test } from 'vitest';
import { verifyAudit } from '../../src/audit/verify.js';
import { temporaryDirectory } from '../helpers/cli.js';
import { verifies } from '../helpers/verifies.js';
import { chainFiles, logDirectory, openLog, recordCommand, recordsOf, request, sealed } from './scratch.js';

let directory: string;
let file: string;
let original: Buffer;

/** Lines of the file with their line feeds. */
const lines = () => original.toString('latin1').match(/[^\n]*\n/g)!;

/** Which record, counted from 1, the byte at `position` belongs to. */
function recordAt(position: number): number {
  return original.subarray(0, position).filter(byte => byte === 0x0a).length + 1;
}

const write = (all: readonly string[]) => writeFileSync(file, all.join(''), 'latin1');

beforeEach(async () => {
  directory = logDirectory();
  const log = await openLog(directory, { config: { policy: 'read-only' } });
  for (const id of ['c1', 'c2', 'c3', 'c4', 'c5']) expect(await recordCommand(log, request(id))).toBeUndefined();
  await log.close();
  [file] = chainFiles(directory) as [string];
  original = readFileSync(file);
});

test('a log that nobody touched is intact, and says how far', async () => {
  verifies('P1', 'I18');
  const verification = await verifyAudit(directory);
  expect(verification).toMatchObject({ intact: true, assurance: 'consistent, not authenticated', chains: 1, problems: [] });
  expect(verification.records).toBe(lines().length);
  const last = recordsOf(file).at(-1)!;
  expect(verification.heads).toEqual([{ chain: last.chain, seq: last.seq, hash: last.hash }]);
});

test('any one byte of any record changed: the record is named', async () => {
  verifies('P1', 'I18');
  const change = fc.tuple(fc.nat(original.length - 1), fc.integer({ min: 1, max: 255 }));
  await fc.assert(
    fc.asyncProperty(change, async ([position, flip]) => {
      const changed = Buffer.from(original);
      changed[position]! ^= flip;
      writeFileSync(file, changed);
      const { intact, problems } = await verifyAudit(directory);
      expect(intact).toBe(false);
      expect(problems.map(problem => problem.record)).toContain(recordAt(position));
      expect(problems.find(problem => problem.file)?.text).toContain(`${basename(file)} record ${recordAt(position)}: `);
    }),
    { numRuns: 150 },
  );
});

test('the changed record has its sentence', async () => {
  const changed = lines().map((line, index) => (index === 7 ? line.replace('echo c2', 'echo c9') : line));
  write(changed);
  const { problems, records } = await verifyAudit(directory);
  expect(problems.map(problem => problem.text)).toEqual([
    `${basename(file)} record 8: content does not match its hash; records 1-7 intact`,
  ]);
  expect(records).toBe(7);
});

test('any record but the last removed: the gap is named', async () => {
  const { length } = lines();
  for (let gone = 0; gone < length - 1; gone++) {
    write(lines().filter((_, index) => index !== gone));
    const { problems } = await verifyAudit(directory);
    expect(problems).toMatchObject([{ kind: 'missing-record', record: gone + 1 }]);
  }
});

describe('records in the wrong place', () => {
  const rearranged: readonly [string, (all: string[]) => string[], object][] = [
    ['two swapped', all => [all[0]!, all[2]!, all[1]!, ...all.slice(3)], { kind: 'missing-record', record: 2 }],
    ['one twice', all => [...all.slice(0, 3), ...all.slice(2)], { kind: 'order', record: 4 }],
    ['one that is none', all => [...all.slice(0, 2), 'hello\n', ...all.slice(2)], { kind: 'unreadable', record: 3 }],
    ['an empty line', all => [...all.slice(0, 2), '\n', ...all.slice(2)], { kind: 'unreadable', record: 3 }],
    ['an unfinished line', all => [...all, all[0]!.slice(0, 40)], { kind: 'torn', record: 23 }],
  ];
  test.each(rearranged)('%s', async (_name, change, problem) => {
    write(change(lines()));
    expect((await verifyAudit(directory)).problems).toMatchObject([problem]);
  });

  test('one of another chain, with a right hash of its own', async () => {
    const record = recordsOf(file)[4]!;
    write(lines().with(4, `${sealed(record, { chain: 'beef' })}\n`));
    expect((await verifyAudit(directory)).problems).toMatchObject([{ kind: 'order', record: 5 }]);
  });

  test('one rewritten with a right hash of its own: the next does not follow', async () => {
    const record = recordsOf(file)[4]!;
    write(lines().with(4, `${sealed(record, { data: { text: 'ls' } })}\n`));
    expect((await verifyAudit(directory)).problems).toMatchObject([{ kind: 'link', record: 6 }]);
  });
});

describe('what only a head that is kept elsewhere can show', () => {
  const head = async () => (await verifyAudit(directory)).heads;

  test('a cut tail is NOT found without it', async () => {
    const expected = await head();
    for (const left of [0, 1, 9, lines().length - 1]) {
      write(lines().slice(0, left));
      expect((await verifyAudit(directory)).intact).toBe(true); // known: docs/threat-model.md
      const { problems } = await verifyAudit(directory, { expect: expected });
      expect(problems).toMatchObject([{ kind: 'cut', record: left + 1, namedBy: 'the expected head' }]);
    }
  });

  test('a whole log made anew is NOT found without it', async () => {
    const expected = await head();
    let prev = '0'.repeat(64);
    const forged = recordsOf(file).map(record => {
      const line = sealed(record, { prev, ...(record.type === 'command.started' && { data: { text: 'ls' } }) });
      prev = JSON.parse(line).hash;
      return `${line}\n`;
    });
    write(forged);
    expect((await verifyAudit(directory)).intact).toBe(true); // consistent, not authenticated
    const { problems } = await verifyAudit(directory, { expect: expected });
    expect(problems).toMatchObject([{ kind: 'replaced', record: lines().length, namedBy: 'the expected head' }]);
  });

  test('a chain that nobody names is NOT missed without it', async () => {
    const expected = await head();
    unlinkSync(file);
    expect((await verifyAudit(directory)).intact).toBe(true);
    const { problems } = await verifyAudit(directory, { expect: expected });
    expect(problems).toMatchObject([{ kind: 'missing-chain', namedBy: 'the expected head' }]);
  });
});

describe('a later chain names the earlier one', () => {
  let later: string;
  beforeEach(async () => {
    const log = await openLog(directory);
    later = log.head().chain;
    await log.close();
  });

  test('so its deletion is found', async () => {
    verifies('P1');
    const { chain } = recordsOf(file)[0]!;
    unlinkSync(file);
    const text = `chain ${chain} is missing, named by ${later} record 1`;
    expect((await verifyAudit(directory)).problems).toMatchObject([{ kind: 'missing-chain', chain, text }]);
  });

  test('so a tail cut from it is found', async () => {
    write(lines().slice(0, -3));
    const { problems } = await verifyAudit(directory);
    expect(problems).toMatchObject([{ kind: 'cut', record: lines().length - 2, namedBy: `${later} record 1` }]);
  });

  test('so its replacement by another file under another name is found', async () => {
    renameSync(file, file.replace(/[0-9a-f]+\.jsonl$/, 'beef.jsonl'));
    const kinds = (await verifyAudit(directory)).problems.map(problem => problem.kind);
    expect(kinds).toEqual(expect.arrayContaining(['order', 'missing-chain']));
  });
});

test.each<[string, (path: string) => void]>([
  ['a link', path => symlinkSync('/etc/passwd', path)],
  ['a directory', path => mkdirSync(path)],
])('%s in place of a chain is unreadable, and the rest is verified', async (_name, make) => {
  make(join(directory, '2020-01-01-beef.jsonl'));
  const { problems, records } = await verifyAudit(directory);
  expect(problems).toMatchObject([{ kind: 'unreadable', file: '2020-01-01-beef.jsonl' }]);
  expect(records).toBe(lines().length);
});

test('a named pipe in place of a chain does not hold anybody up', async () => {
  execFileSync('mkfifo', [join(directory, '2020-01-01-beef.jsonl')]);
  expect((await verifyAudit(directory)).records).toBe(lines().length);
});

test('no directory is no log', async () => {
  const nowhere = join(temporaryDirectory(), 'nowhere');
  await expect(verifyAudit(nowhere)).rejects.toMatchObject({ code: 'AUDIT_MISSING', place: nowhere });
});
