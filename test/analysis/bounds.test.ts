import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { specs } from '../../src/analysis/specs/index.js';
import type { Analysis } from '../../src/contract/analysis.js';
import { LineGrammar } from '../fuzz/grammar.js';
import { verifies } from '../helpers/verifies.js';
import { analyze, reasonCodes } from './analyzing.js';

/** Processor time of one analysis in ms, its thread's included: other work on the machine does not count. */
async function measured(text: string): Promise<{ took: number; analysis: Analysis }> {
  const before = process.cpuUsage();
  const analysis = await analyze(text, { specs });
  const { user, system } = process.cpuUsage(before);
  return { took: (user + system) / 1000, analysis };
}

const nested = (open: string, close: string, depth: number): string => `echo ${open.repeat(depth)}x${close.repeat(depth)}`;

const HEAVY: readonly (readonly [string, string])[] = [
  ['64 KiB of words', 'a '.repeat(32 * 1024)],
  ['1 MB of commands', 'echo aaaa bbbb; '.repeat(62_500)],
  ['1 MB in one word', 'x'.repeat(1_000_000)],
  ['4 MB', 'a '.repeat(2_000_000)],
  ...(['$(', '<(', '(', '"$('] as const).map(
    open => [`10,000 deep ${open}`, nested(open, open === '"$(' ? ')"' : ')', 10_000)] as const,
  ),
  ['10,000 deep $((', nested('$((', '))', 10_000)],
  ['10,000 deep ${', nested('${a:-', '}', 10_000)],
  ['10,000 deep {a,', nested('{a,', '}', 10_000)],
  ['10,000 deep if', `${'if a; then '.repeat(10_000)}b; ${'fi; '.repeat(10_000)}`],
  ['nested loops', `${'for i in a b c d; do '.repeat(30)}x; ${'done; '.repeat(30)}`],
  ['doubling braces', `echo ${'{a,b}'.repeat(40)}`],
  ['huge sequence', 'echo {1..999999999}'],
  ['doubling values', `x=aaaaaaaaaaaaaaaa; ${'x=$x$x; '.repeat(60)} echo $x`],
  ['doubling calls', `${Array.from({ length: 40 }, (_, at) => `f${at}(){ f${at + 1}; f${at + 1}; }`).join('; ')}; f0`],
  ['here-documents', 'cat <<a '.repeat(8000)],
  ['open brackets', `echo ${'['.repeat(60_000)}`],
  ['backticks', '`a`'.repeat(20_000)],
  ['pipes', `${'a|'.repeat(30_000)}a`],
  ['wrappers', `${'env '.repeat(20_000)}x`],
  ['command command', `${'command '.repeat(20_000)}x`],
  ['eval eval', `${'eval '.repeat(20_000)}x`],
  ['assignments', Array.from({ length: 8000 }, (_, at) => `v${at}=${at}`).join(';')],
  ['arithmetic', `((${'a+'.repeat(20_000)}1))`],
];

describe('a verdict comes in time, whatever the text', () => {
  test.each(HEAVY)('%s', { timeout: 10_000 }, async (_, text) => {
    verifies('P3');
    const { took, analysis } = await measured(text);
    expect(took).toBeLessThan(300);
    expect(analysis.query).toBeDefined();
  });

  test('a text that is too long or too deep asks, and what could be seen of it is named', async () => {
    const texts = [
      `${'echo a; '.repeat(20_000)}evil`,
      `${'$('.repeat(10_000)}x${')'.repeat(10_000)}; evil`,
      `${'true && '.repeat(5000)}evil`,
    ];
    for (const text of texts) {
      const { analysis } = await measured(text);
      expect(reasonCodes(analysis)).not.toEqual([]);
      expect(analysis.programs.some(({ name }) => 'text' in name && name.text === 'evil')).toBe(true);
    }
  });

  test('an abandoned analysis of a heavy text ends at once', async () => {
    const abort = new AbortController();
    const started = performance.now();
    const pending = analyze(nested('$(', ')', 9000), { specs, signal: abort.signal });
    abort.abort();
    expect(reasonCodes(await pending)).toContain('too-complex');
    expect(performance.now() - started).toBeLessThan(500);
  });
});

const SPICE = [
  ...['$(', ')', '`', '"', "'", '\\', '{', '}', '${', '<<E\n', ';', '|', '&', '((', '))', '[[', ']]', '\n', '>', '<', '$'],
  ...['=', '*', '!', '#', '~', '\0', '\u200b', '\ud800', '"$@"', ',', '..'],
];

const mutated = fc
  .tuple(
    fc.integer({ min: 0, max: 0xffff }),
    fc.array(fc.tuple(fc.nat(400), fc.nat(3), fc.oneof(fc.constantFrom(...SPICE), fc.string({ unit: 'binary', maxLength: 4 }))), {
      minLength: 1,
      maxLength: 6,
    }),
  )
  .map(([seed, edits]) => {
    let text = new LineGrammar(seed).line();
    for (const [at, remove, insert] of edits) {
      const place = at % (text.length + 1);
      text = text.slice(0, place) + insert + text.slice(place + remove);
    }
    return text;
  });

test('a span ends with its text, also behind a backslash', async () => {
  const text = '${`/o/a}\\\\';
  const { programs } = await analyze(text, { specs });
  expect(programs.map(({ span }) => span.end <= text.length)).not.toContain(false);
});

const MUTATIONS = Number(process.env['MUTATIONS'] ?? 1500);

test('mutated lines never throw, hang or lose their shape', { timeout: 60_000 + MUTATIONS * 20 }, async () => {
  verifies('P3');
  await fc.assert(
    fc.asyncProperty(mutated, async text => {
      const started = performance.now();
      const analysis = await analyze(text, { specs });
      expect(performance.now() - started).toBeLessThan(1000);
      expect(reasonCodes(analysis)).not.toContain('analysis-failed');
      for (const { span, argv } of analysis.programs) {
        expect(argv.length).toBeGreaterThan(0);
        expect(span.start >= 0 && span.start <= span.end && span.end <= text.length).toBe(true);
      }
    }),
    { numRuns: MUTATIONS },
  );
});
