import { createLocalExecutor } from '../../dist/executor/local/index.js';
import { chooseFamily } from '../../dist/family/families.js';
import { createSpools } from '../../dist/output/spool.js';
import { openShell } from '../../dist/session/session.js';

const watch = { judging() {}, pending() {}, started() {} };
const never = new AbortController().signal;
const principal = { kind: 'program', id: 'bench', label: 'bench' };

/** The session protocol alone: captured output, status, directory; no policy, no facts, no log. Measuring needs the back door. */
export async function open({ directory }) {
  const executor = createLocalExecutor({ runtimeDirectory: `${directory}/run` });
  const shell = ['/bin/bash', '--noprofile', '--norc'];
  const session = await openShell({
    id: 'bench',
    executor,
    family: chooseFamily(shell),
    shell,
    cwd: directory,
    env: { PATH: process.env.PATH, HOME: directory },
    mode: 'persistent',
    home: directory,
    workspace: directory,
    size: { cols: 80, rows: 24 },
    spools: createSpools({ directory: `${directory}/spool` }),
    onEvent() {},
  });
  let count = 0;
  return {
    run: async text => {
      const request = { kind: 'command', id: `b${count++}`, sessionId: 'bench', text, tty: false, principal };
      const turn = await session.turn(request, never);
      return turn.start({ request, evaluation: {}, authority: {} }, watch, never);
    },
    facts: async query => {
      const turn = await session.turn({ text: '' }, never);
      try {
        return await turn.facts(query, never);
      } finally {
        turn[Symbol.dispose]();
      }
    },
    close: async () => {
      await session.close();
      await executor.close();
    },
  };
}
