import {
  appendFileSync,
  copyFileSync,
  linkSync,
  readFileSync,
  renameSync,
  truncateSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { expect, test } from 'vitest';
import { verifies } from '../helpers/verifies.js';
import { logDirectory, openLog, recordCommand, request } from './scratch.js';

/** What another process can do to the file of a log that is being written. */
const DEEDS: readonly [string, (file: string) => void, string][] = [
  ['truncated', file => truncateSync(file, 100), 'bytes long, not'],
  ['emptied', file => writeFileSync(file, ''), 'bytes long, not'],
  ['appended to', file => appendFileSync(file, 'x'), 'bytes long, not'],
  ['deleted', file => unlinkSync(file), 'was deleted'],
  ['moved away', file => renameSync(file, `${file}.old`), 'was moved away'],
  ['hard-linked', file => linkSync(file, `${file}.copy`), 'has another name as well'],
  [
    'replaced by a copy',
    file => {
      copyFileSync(file, `${file}.copy`);
      renameSync(`${file}.copy`, file);
    },
    'was deleted',
  ],
  [
    'replaced, and kept elsewhere',
    file => {
      renameSync(file, `${file}.old`);
      copyFileSync(`${file}.old`, file);
    },
    'was replaced',
  ],
];

test.each(DEEDS)('%s under the log: refused as tampered, for good, and nothing more is written', async (_name, deed, why) => {
  verifies('P1');
  const directory = logDirectory();
  const log = await openLog(directory);
  expect(await recordCommand(log, request('c1'))).toBeUndefined();
  const before = readFileSync(log.file!);
  deed(log.file!);
  const refusal = await recordCommand(log, request('c2'));
  expect(refusal).toMatchObject({ outcome: 'refused', by: 'audit', code: 'AUDIT_TAMPERED' });
  expect(refusal!.reason).toContain(why);
  writeFileSync(log.file!, before);
  expect(await recordCommand(log, request('c3'))).toEqual(refusal);
  await log.close();
  expect(await log.durable()).toEqual(refusal);
  expect(readFileSync(log.file!, 'utf8')).toBe(before.toString());
});

test('an honest log is not taken for a tampered one', async () => {
  const log = await openLog(logDirectory());
  for (let n = 0; n < 20; n++) expect(await recordCommand(log, request(`c${n}`))).toBeUndefined();
  expect(log.failure()).toBeUndefined();
});
