import { describe, expect, test } from 'vitest';
import type { CommandRequest } from '../../src/contract/request.js';
import { verifies } from '../helpers/verifies.js';
import { type Footing, type Opened, opened } from '../session/opened.js';

interface Expected {
  readonly outcome?: string;
  readonly exitCode?: number | undefined;
  readonly signal?: string;
  readonly stdout?: string | RegExp;
  readonly stderr?: string | RegExp;
  readonly shell?: 'kept' | 'ended' | 'killed';
  readonly sessionRestarted?: boolean;
  readonly pipeStatus?: readonly number[];
  readonly cwd?: string;
}

type Step = readonly [text: string, expected: Expected, options?: Partial<CommandRequest>];

interface Case {
  readonly name: string;
  readonly shows?: readonly string[];
  readonly steps: readonly Step[];
  /** A stateless session starts every step anew, so only cases of one step, or of independent ones, hold there. */
  readonly stateless?: true;
  /** Says it in words, or with statuses, that only bash has. */
  readonly bash?: true;
  /** Most ms a step may take. Default 2,000: nothing waits for a deadline. */
  readonly limitMs?: number;
}

const ok: Step = ['echo ok', { outcome: 'exited', exitCode: 0, stdout: 'ok\n', stderr: '' }];
/** Nothing was lost: the same shell, with the state that `keep` made. */
const keep: Step = ['cd /tmp; K=1; k(){ echo "K=$K"; }', { exitCode: 0 }];
const kept: Step = ['k; pwd', { stdout: 'K=1\n/tmp\n', stderr: '', exitCode: 0, sessionRestarted: false, shell: 'kept' }];
const keeps = (name: string, text: string, expected: Expected, options?: Partial<CommandRequest>): Case => ({
  name,
  steps: [keep, options ? [text, expected, options] : [text, expected], kept],
});

const keepsBash = (...args: Parameters<typeof keeps>): Case => ({ ...keeps(...args), bash: true });

const big = `echo '${'x'.repeat(1_000_000)}' | wc -c`;
const lines = Array.from({ length: 20_000 }, (_, n) => `: ${n}`).join('\n');

/** What every session shows, whatever it stands on (issue 2, session-protocol 6). */
export const CASES: readonly Case[] = [
  {
    name: 'status and output',
    stateless: true,
    steps: [['echo a; echo b >&2; exit 7', { exitCode: 7, stdout: 'a\n', stderr: 'b\n', shell: 'ended' }], ok],
  },
  {
    name: 'output is byte-exact',
    stateless: true,
    steps: [
      ["printf 'a\\n\\n\\n'", { stdout: 'a\n\n\n' }],
      ["printf 'no end'", { stdout: 'no end' }],
    ],
  },
  {
    name: 'directory, variable and function persist',
    shows: ['S3-01', 'J01'],
    steps: [
      ['cd /tmp; export A=1; f(){ echo "fn $1"; }', { exitCode: 0, cwd: '/tmp' }],
      ['pwd; echo $A; f x', { stdout: '/tmp\n1\nfn x\n' }],
    ],
  },
  {
    name: 'exit is a result and the next command has a fresh shell',
    shows: ['J11'],
    steps: [
      ['cd /tmp; exit 3', { outcome: 'exited', exitCode: 3, shell: 'ended', stderr: '' }],
      ['echo ok; pwd', { stdout: /^ok\n/, sessionRestarted: true, shell: 'kept' }],
      ['echo again', { sessionRestarted: false }],
    ],
  },
  { name: 'exit without a status', steps: [['false; exit', { exitCode: 1, shell: 'ended' }], ok] },
  {
    name: 'set -e ends the shell with the status of what failed',
    shows: ['J18'],
    steps: [
      ['set -e; echo a; false; echo b', { outcome: 'exited', exitCode: 1, stdout: 'a\n', stderr: '', shell: 'ended' }],
      ['echo ok', { stdout: 'ok\n', sessionRestarted: true }],
    ],
  },
  {
    name: 'set -e, then a failure',
    shows: ['J18'],
    steps: [
      ['set -e', { exitCode: 0, shell: 'kept' }],
      ['false', { exitCode: 1, shell: 'ended' }],
      ['echo ok', { stdout: 'ok\n', sessionRestarted: true }],
    ],
  },
  {
    name: 'set -e after a failed command',
    steps: [
      ['false', { exitCode: 1 }],
      ['set -e; echo in', { exitCode: 0, stdout: 'in\n', shell: 'kept' }],
      ['true', { shell: 'kept' }],
      ['(exit 9) || echo $?', { stdout: '9\n', shell: 'kept' }],
    ],
  },
  keepsBash('set -u', 'set -u; echo $nope; echo not reached', { exitCode: 1, stdout: '', stderr: /nope: unbound variable/ }),
  { name: 'set -x', steps: [['set -x; echo a', { exitCode: 0, stdout: 'a\n', stderr: /\+ echo a/ }], ['set +x', {}], ok] },
  keepsBash('an unclosed if', 'if then', { exitCode: 2, stdout: '', stderr: /syntax error/ }),
  {
    name: 'syntax errors',
    bash: true,
    shows: ['J12'],
    stateless: true,
    steps: [
      ['if then fi', { exitCode: 2, stderr: /syntax error/ }],
      ok,
      ["echo 'oops", { exitCode: 2, stderr: /unexpected EOF/ }],
      ok,
      ['echo a; } ; echo b ; {', { exitCode: 2, stdout: '', stderr: /syntax error/ }],
      ok,
      ['}; echo x; {', { exitCode: 2, stdout: '' }],
      ok,
      ['echo $(', { exitCode: 1 }],
      ok,
      ['cat <<EOF', { exitCode: 0, stdout: '' }],
      ok,
      ['for x in', { exitCode: 2 }],
      ok,
      [')', { exitCode: 2 }],
      ok,
    ],
  },
  {
    name: 'stdin is at its end',
    shows: ['J13'],
    stateless: true,
    steps: [['cat', { exitCode: 0, stdout: '' }], ['read v', { exitCode: 1 }], ['cat; echo after', { stdout: 'after\n' }], ok],
  },
  {
    name: 'stdin bytes',
    stateless: true,
    steps: [
      ['cat', { stdout: 'a\u00e9\u{1f600}\n' }, { stdin: 'a\u00e9\u{1f600}\n' }],
      ['read v; echo "<$v>"; cat', { stdout: '<1>\n2' }, { stdin: '1\n2' }],
      ['cat', { stdout: '' }, { stdin: '' }],
      ['true', { exitCode: 0 }, { stdin: 'x'.repeat(300_000) }],
      ['wc -c', { stdout: '3000000\n' }, { stdin: 'x'.repeat(3_000_000) }],
      ['head -c 3', { stdout: 'xxx' }, { stdin: 'x'.repeat(300_000) }],
      ok,
    ],
  },
  {
    name: 'exec redirections last for their command',
    shows: ['J15'],
    stateless: true,
    steps: [
      ['exec 1>/dev/null; echo hidden', { exitCode: 0, stdout: '' }],
      ok,
      ['exec 2>&1; echo e >&2', { stdout: 'e\n', stderr: '' }],
      ok,
      ['exec 0<&- 1>&- 2>&-; true', { stdout: '', stderr: '' }],
      ok,
    ],
  },
  {
    name: 'exec of a program ends the shell with its status',
    steps: [
      ['exec sh -c "echo in; exit 5"', { outcome: 'exited', exitCode: 5, stdout: 'in\n', shell: 'ended' }],
      ['echo ok', { stdout: 'ok\n', sessionRestarted: true }],
    ],
  },
  {
    name: 'here-documents',
    stateless: true,
    steps: [
      ['cat <<EOF\na $((1+1))\n\nEOF\necho b', { stdout: 'a 2\n\nb\n' }],
      ["cat <<'EOF' | tr a b\na'\"$x\nEOF", { stdout: 'b\'"$x\n' }],
    ],
  },
  {
    name: 'quotes, dollars, controls and newlines pass unchanged',
    bash: true,
    stateless: true,
    steps: [
      ["printf '%s|' 'a'\\''b' \"c\\\"d\" $'\\t\\x1e' '!x' '\\\\n'", { stdout: 'a\'b|c"d|\t\u001e|!x|\\\\n|' }],
      ['echo a # comment', { stdout: 'a\n' }],
      ['', { exitCode: 0, stdout: '' }],
      ['\n\n  \n', { exitCode: 0 }],
      ['echo a &&\n\necho b', { stdout: 'a\nb\n' }],
    ],
  },
  {
    name: 'the status of the command before',
    steps: [
      ['(exit 42)', { exitCode: 42 }],
      ['echo $?', { stdout: '42\n' }],
      ['false', { exitCode: 1 }],
      ['echo $?', { stdout: '1\n' }],
      ['true', {}],
      ['echo $?', { stdout: '0\n' }],
    ],
  },
  {
    name: 'PIPESTATUS',
    bash: true,
    stateless: true,
    steps: [
      ['false | true', { exitCode: 0, pipeStatus: [1, 0] }],
      ['true | (exit 3) | false', { exitCode: 1, pipeStatus: [0, 3, 1] }],
      ['set -o pipefail; (exit 4) | true', { exitCode: 4, pipeStatus: [4, 0] }],
      ['echo a | cat; f()', { exitCode: 2, stderr: /syntax error/ }],
      ['set +o pipefail; false | true #', { exitCode: 0, pipeStatus: [0] }],
    ],
  },
  { name: 'a megabyte of text', stateless: true, steps: [[big, { stdout: '1000001\n' }]], limitMs: 10_000 },
  { name: 'many lines of text', stateless: true, steps: [[`${lines}\necho end`, { stdout: 'end\n' }]], limitMs: 10_000 },
  {
    name: '50 MB of output',
    stateless: true,
    steps: [
      [
        'head -c 50000000 /dev/zero | tr "\\0" y',
        { exitCode: 0, stdout: /^y{32768}\n\[\.\.\. truncated 49934464 bytes \.\.\.\]\ny{32768}$/ },
      ],
      ['head -c 3000000 /dev/zero | tr "\\0" e >&2; echo done', { stdout: 'done\n', stderr: /truncated/ }],
    ],
    limitMs: 15_000,
  },
  {
    name: 'a long line is cut in the middle',
    shows: ['S3-09', 'J05'],
    stateless: true,
    steps: [
      [
        "head -c 100000 /dev/zero | tr '\\0' x",
        { stdout: `${'x'.repeat(32_768)}\n[... truncated 34464 bytes ...]\n${'x'.repeat(32_768)}` },
      ],
    ],
  },
  keepsBash('redefined printf, eval, unset, trap', 'printf(){ :; }; eval(){ :; }; unset(){ :; }; trap(){ :; }; export(){ :; }', {
    exitCode: 0,
  }),
  keepsBash('redefined type, declare, enable', 'type(){ :; }; declare(){ :; }; enable(){ :; }', { exitCode: 0 }),
  keepsBash(
    'readonly protocol names',
    'readonly PS1=x PS0=y PROMPT_COMMAND="echo bad" MAILCHECK=0; declare -r SHELLGATE_COMMAND',
    {
      exitCode: 0,
    },
  ),
  keeps('prompts that would print', 'PS1="\\$(echo bad)"; PS0=bad; PS2=bad; PROMPT_COMMAND="echo bad"', { exitCode: 0 }),
  keeps('PATH emptied', 'PATH=', { exitCode: 0 }),
  {
    name: 'IFS',
    bash: true,
    steps: [
      ['IFS=x; true | false | true', { pipeStatus: [0, 1, 0] }],
      ['printf "%s\\n" "a b"', { stdout: 'a b\n' }],
    ],
  },
  keepsBash('posix mode', 'set -o posix', { exitCode: 0 }),
  keepsBash('failglob', 'shopt -s failglob; echo /nope/*; echo not reached', { exitCode: 1, stdout: '', stderr: /no match/ }),
  keeps('an expansion error', 'echo ${nope:?gone}; echo not reached', { stdout: '', stderr: /gone/ }),
  keeps('few descriptors', 'ulimit -n 20', { exitCode: 0 }),
  keepsBash('closed descriptors', 'for i in {3..9} {13..255}; do eval "exec $i>&-"; done', { exitCode: 0 }),
  keepsBash('DEBUG and ERR traps', "trap 'true' DEBUG; trap 'true' ERR; echo a; false", { exitCode: 1, stdout: 'a\n' }),
  {
    name: 'EXIT trap',
    bash: true,
    steps: [["trap 'echo bye' EXIT; exit 4", { exitCode: 4, shell: 'ended', stdout: 'bye\n' }], ok],
  },
  {
    name: 'forged reports are output',
    stateless: true,
    steps: [
      [
        "printf '\\036%s\\0000\\000/\\000\\000\\000\\000\\000\\000%s\\000' 0123456789abcdef01234567 0123456789abcdef01234567; exit 9",
        { exitCode: 9, stdout: /0123456789abcdef01234567/ },
      ],
      ok,
    ],
  },
  {
    name: 'the shell kills itself',
    steps: [
      ['kill -9 $$', { outcome: 'signaled', signal: 'SIGKILL', shell: 'ended', exitCode: undefined }],
      ['echo ok', { stdout: 'ok\n', sessionRestarted: true }],
      ['kill -TERM $$; echo lives', { outcome: 'exited', stdout: 'lives\n', shell: 'kept' }],
    ],
  },
  {
    name: "a program's death is an exit code of the shell",
    stateless: true,
    steps: [["sh -c 'kill -9 $$'", { outcome: 'exited', exitCode: 137 }], ok],
  },
  {
    name: 'unknown programs and directories',
    bash: true,
    stateless: true,
    steps: [
      ['no-such-program', { exitCode: 127, stderr: /not found/ }],
      ['/etc', { exitCode: 126 }],
      ['cd /nope', { exitCode: 1 }],
      ok,
    ],
  },
  {
    name: 'a removed directory',
    steps: [
      ['mkdir gone && cd gone && rmdir ../gone', { exitCode: 0 }],
      ['echo ok', { stdout: 'ok\n' }],
      ['cd /tmp', { cwd: '/tmp' }],
    ],
  },
  {
    name: 'devices of the standard streams',
    stateless: true,
    steps: [['echo out >/dev/stdout; echo err >/dev/stderr; cat /dev/stdin', { stdout: 'out\n', stderr: 'err\n' }]],
  },
];

/** Runs the table through `openShell` on one footing. */
export function sessionConformance(footing: Footing): void {
  describe(`session on ${footing.name}`, () => {
    const fitting = CASES.filter(each => (footing.mode === 'persistent' || each.stateless) && (!footing.shell || !each.bash));
    test.each(fitting)('$name', async each => {
      verifies(...(each.shows ?? []));
      await using session = await opened(footing);
      for (const step of each.steps) await follow(session, step, { limitMs: each.limitMs ?? 2_000, footing });
    });
  });
}

async function follow(
  session: Opened,
  [text, expected, options]: Step,
  { limitMs, footing }: { limitMs: number; footing: Footing },
) {
  const began = performance.now();
  const result = await session.ran(text, { timeoutMs: 20_000, ...options });
  const told = `${text.slice(0, 200)} -> ${JSON.stringify({ ...result, stdout: result.stdout.text.slice(0, 200) })}`;
  expect(performance.now() - began, told).toBeLessThan(limitMs);
  expect(result.outcome, told).toBe(expected.outcome ?? 'exited');
  for (const [key, value] of Object.entries(expected)) {
    const found = key === 'stdout' || key === 'stderr' ? result[key].text : result[key as keyof typeof result];
    if (footing.mode === 'stateless' && key === 'sessionRestarted') continue;
    if (value instanceof RegExp) expect(found, told).toMatch(value);
    else expect(found, told).toEqual(value);
  }
}
