import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createLifecycle, type Phase, type Step, TRANSITIONS } from '../../src/session/lifecycle.js';

const phases = Object.keys(TRANSITIONS) as Phase[];
const steps = [...new Set(phases.flatMap(phase => Object.keys(TRANSITIONS[phase])))] as Step[];
const walk = fc.array(fc.constantFrom(...steps), { maxLength: 40 });

test('a step happens exactly where the table has it, and nowhere else changes anything', () => {
  fc.assert(
    fc.property(walk, taken => {
      const lifecycle = createLifecycle();
      for (const step of taken) {
        const before = lifecycle.phase;
        const next = TRANSITIONS[before][step];
        expect(lifecycle.take(step)).toBe(next !== undefined);
        expect(lifecycle.phase).toBe(next ?? before);
      }
    }),
  );
});

test('closed is the only end, it is reached from everywhere, and a command runs only in a ready shell', () => {
  for (const phase of phases) {
    const ends = Object.keys(TRANSITIONS[phase]).length === 0;
    expect(ends).toBe(phase === 'closed');
    expect(reachable(phase)).toContain('closed');
    if (TRANSITIONS[phase].started) expect(phase).toBe('ready');
    const live = phase !== 'closed' && phase !== 'closing';
    expect('closing' in TRANSITIONS[phase]).toBe(live);
    expect('lost' in TRANSITIONS[phase]).toBe(live && phase !== 'lost');
  }
});

function reachable(from: Phase, seen = new Set<Phase>([from])): Set<Phase> {
  for (const next of Object.values(TRANSITIONS[from])) {
    if (next && !seen.has(next)) reachable(next, seen.add(next));
  }
  return seen;
}
