import { once } from 'node:events';
import { commandSink as commandSinkOf, type SinkProcess } from './audit/followers/command-sink.js';
import type { AuditFollower } from './contract/audit.js';
import { spawnHelper } from './executor/local/spawn-helper.js';

/** A sink that does not end by itself is ended so long after its input, in ms. */
const MAY_TAKE_MS = 1_000;

/** Records as JSON lines to any program's standard input, e.g. `['/usr/bin/logger', '-t', 'shellgate']`. */
export function commandSink(argv: readonly string[]): AuditFollower {
  return commandSinkOf(argv, start);
}

function start(argv: readonly string[]): SinkProcess {
  const child = spawnHelper(argv, { input: 'pipe' });
  const gone = once(child, 'close').catch(() => undefined);
  child.stdin!.on('error', () => undefined);
  child.stdout!.resume();
  child.stderr!.resume();
  return {
    write: text =>
      new Promise((resolve, reject) => {
        child.stdin!.write(text, error => (error ? reject(error) : resolve()));
      }),
    async close() {
      child.stdin!.end();
      const timer = setTimeout(() => child.kill('SIGKILL'), MAY_TAKE_MS);
      await gone;
      clearTimeout(timer);
    },
  };
}
