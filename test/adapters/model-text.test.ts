import { expect, test } from 'vitest';
import { modelText } from '../../src/adapters/model-text.js';
import { formatForModel } from '../../src/tools/format-for-model.js';
import { modelResult } from '../../src/tools/model-result.js';
import { openHost } from './fixture.js';

test('says what formatForModel says of the result itself, also after a trip through JSON', async () => {
  const { session } = await openHost();
  for (const text of ['echo out; echo err >&2', 'echo "$(missing"', 'shutdown now', 'touch made', 'sleep 9']) {
    const result = await session.run(text, { timeoutMs: 300 });
    const carried = JSON.parse(JSON.stringify({ status: 'finished', ...modelResult(result, { maxTimeoutMs: 1_000 }) }));
    const said = modelText(carried);
    expect(said.startsWith(formatForModel(result)), `${text}: ${said}`).toBe(true);
    expect(said.slice(formatForModel(result).length)).toMatch(/^(\n\[[\s\S]+\])?$/);
  }
});

test('what is no result of ours is shown as it came', () => {
  expect(modelText({ status: 'running', stdout: 'x' })).toBe('{"status":"running","stdout":"x"}');
  expect(modelText('text')).toBe('"text"');
  expect(modelText(undefined)).toBe('');
});
