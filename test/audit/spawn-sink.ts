import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { StartSink } from '../../src/audit/followers/command-sink.js';

/** Starts a real program for a command sink. */
export const spawnSink: StartSink = argv => {
  const child = spawn(argv[0]!, argv.slice(1), { stdio: ['pipe', 'ignore', 'inherit'] });
  const gone = once(child, 'close');
  child.stdin.on('error', () => undefined);
  return {
    write: text =>
      new Promise((resolve, reject) => {
        child.stdin.write(text, error => (error ? reject(error) : resolve()));
      }),
    async close() {
      child.stdin.end();
      await gone;
    },
  };
};
