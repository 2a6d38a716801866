import { expect, test } from 'vitest';
import type { Desk } from '../../src/mcp/desk.js';
import { shellOutput } from '../../src/mcp/tools/shell-output.js';
import { createCollector } from '../../src/output/collector.js';
import { verifies } from '../helpers/verifies.js';

test('output that was too much to keep: a reader is told, gets past it, and reads the end', async () => {
  verifies('P6', 'P8');
  const collector = createCollector({ limitBytes: 10 });
  collector.write(Buffer.from('aaaaaBBBBBBBzzzzz'));
  collector.end();
  const execution = { output: (_stream: string, from: number, max: number) => collector.read(from, max) };
  const tool = shellOutput({ calls: { find: () => ({ name: 'c1', execution, result: {} }) } } as unknown as Desk);
  const pieces: unknown[] = [];
  for (let from = 0, end = false; !end; ) {
    const said = await tool.call({ command: 'c1', from }, {} as never);
    const piece = said['structuredContent'] as { next: number; end: boolean };
    pieces.push(piece);
    ({ next: from, end } = piece);
  }
  expect(pieces).toMatchObject([
    { text: 'aaaaa', next: 5, end: false, note: 'There is more: go on from 5.' },
    { text: '', next: 12, missingBytes: 7, note: '7 bytes from 5 on were too much to keep. There is more: go on from 12.' },
    { text: 'zzzzz', next: 17, end: true },
  ]);
});
