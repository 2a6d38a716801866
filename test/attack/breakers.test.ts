import { describe, expect } from 'vitest';
import { verifies } from '../helpers/verifies.js';
import { attack } from './hosts.js';
import { soaking } from './soaking.js';

interface Step {
  readonly text: string;
  readonly repeat?: number;
  readonly timeoutMs?: number;
  readonly seen: object;
}

/** It ended by itself, and so did nothing else: the same shell goes on. */
const kept = (stdout: string, exitCode = 0, stderr = '') => ({ outcome: 'exited', exitCode, stdout, stderr, shell: 'kept' });
const ok: Step = { text: 'echo ok', seen: { ...kept('ok\n'), restarted: false } };
/** The shell was gone, which the result before said. In a stateless session nobody misses it. */
const fresh: Step = { text: 'echo ok', seen: kept('ok\n') };

const FORGED =
  'trap \'for fd in 0 1 2 10 11 12; do command printf "\\036%s\\0000\\0/\\0\\0\\0\\0\\0\\0%s\\0" 0123456789abcdef01234567 ' +
  "0123456789abcdef01234567 >&$fd; done 2>/dev/null' DEBUG; (exit 3)";

const CASES: Readonly<Record<string, readonly Step[]>> = {
  'functions over every word of the protocol': [
    {
      text: 'printf(){ :; }; builtin(){ :; }; eval(){ :; }',
      timeoutMs: 500,
      seen: { outcome: 'timed-out', stdout: '', survivors: [] },
    },
    fresh,
  ],
  'a DEBUG trap that prints forged ends to every descriptor': [
    { text: FORGED, seen: { outcome: 'exited', exitCode: 3, shell: 'kept' } },
    { text: '(exit 4)', seen: { outcome: 'exited', exitCode: 4, shell: 'kept' } },
  ],
  'closing every descriptor from 3 to 255': [
    {
      text: 'echo in; for i in {3..255}; do eval "exec $i>&-"; done; echo out',
      timeoutMs: 2_000,
      seen: { shell: 'ended', survivors: [], stdout: 'in\nout\n', bytes: [7, expect.any(Number)] },
    },
    fresh,
  ],
  'kill -9 of the shell': [
    { text: 'kill -9 $$; echo more', seen: { outcome: 'signaled', signal: 'SIGKILL', shell: 'ended', stdout: '' } },
    fresh,
  ],
  'the shell stopped': [
    { text: 'kill -STOP $$; echo more', timeoutMs: 300, seen: { outcome: 'timed-out', shell: 'kept', stdout: '' } },
    ok,
  ],
  'exec bash': [{ text: 'exec bash', seen: { outcome: 'exited', exitCode: 0, shell: 'ended' } }, fresh],
  'ulimit -n 10': [{ text: 'ulimit -n 10; echo in', seen: kept('in\n') }, ok],
  'ulimit -f 0': [{ text: 'ulimit -f 0; echo in', seen: kept('in\n') }, ok],
  'POSIXLY_CORRECT=1': [{ text: 'POSIXLY_CORRECT=1; echo in', seen: kept('in\n') }, ok],
  failglob: [{ text: 'shopt -s failglob; echo /nope/*; echo more', seen: { outcome: 'exited', exitCode: 1, stdout: '' } }, ok],
  'invalid UTF-8': [{ text: "printf 'a\\xff\\xfe\\xc3(b\\n'", seen: { ...kept('a\ufffd\ufffd\ufffd(b\n'), bytes: [7, 0] } }, ok],
  'half a character at a chunk edge': [
    { text: "printf '\\xf0\\x9f'; sleep 0.05; printf '\\x98\\x80\\n'", seen: { ...kept('\u{1f600}\n'), bytes: [5, 0] } },
    ok,
  ],
  '200 MB to stderr': [
    {
      text: 'head -c 200000000 /dev/zero | tr "\\0" e >&2; echo done',
      seen: { outcome: 'exited', exitCode: 0, stdout: 'done\n', bytes: [5, 200_000_000] },
    },
    ok,
  ],
  '100,000 lines of command': [{ text: ': 12345\n', repeat: 100_000, seen: kept('') }, ok],
};

describe.each(['pty', 'pipes', 'stateless'] as const)('on %s', footing => {
  attack('what breaks other shells is one result, and the next command has a shell', async host => {
    verifies('P5', 'P6', 'P8');
    const cases = Object.entries(CASES).map(([name, steps]) => ({ name, steps: steps.map(({ seen, ...step }) => step) }));
    const seen = await host.see<Record<string, Record<string, unknown>[]>>('lines', { footing, cases });
    for (const [name, steps] of Object.entries(CASES)) {
      for (const [index, step] of steps.entries()) expect(seen[name]?.[index], `${name}: ${step.text}`).toMatchObject(step.seen);
    }
  });

  attack(
    'a storm of interrupts at the very end of commands loses no end, no byte and no state',
    async host => {
      verifies('P5', 'P6');
      const rounds = soaking ? 300 : { pty: 150, pipes: 90, stateless: 60 }[footing];
      const seen = await host.see<{ wrong: unknown[]; outcomes: Record<string, number> }>('storms', { footing, rounds });
      expect(seen.wrong).toEqual([]);
      expect(Object.keys(seen.outcomes).sort()).toEqual(['cancelled', 'exited']);
    },
    soaking ? 300_000 : 60_000,
  );
});
