import { spawn } from 'node:child_process';
import { createWriteStream, openSync } from 'node:fs';

/** What a host without sessions does: a new `bash -c` for every command. */
export async function open() {
  return {
    run: text =>
      new Promise(done => {
        const child = spawn('/bin/bash', ['-c', text], { stdio: ['ignore', 'pipe', 'pipe'], detached: true });
        child.stdout.on('data', () => {});
        child.stderr.on('data', () => {});
        child.on('close', done);
      }),
    close: async () => {},
  };
}

/** Plain child_process writing what it reads to a file: the floor for output with a spool. */
export function toFile(text, path) {
  return new Promise(done => {
    const child = spawn('/bin/bash', ['-c', text], { stdio: ['ignore', 'pipe', 'ignore'], detached: true });
    const file = createWriteStream(path, { fd: openSync(path, 'w', 0o600) });
    child.stdout.pipe(file);
    file.on('close', done);
  });
}
