import { spawn } from 'node:child_process';

/** The least a persistent bash can cost: pipes, one line a command, the status on descriptor 3, nothing captured apart. */
export async function open() {
  const child = spawn('/bin/bash', ['--noprofile', '--norc'], { stdio: ['pipe', 'pipe', 'pipe', 'pipe'], detached: true });
  let settle = () => {};
  let pending = '';
  child.stdio[3].setEncoding('utf8').on('data', text => {
    pending += text;
    if (!pending.endsWith('\n')) return;
    pending = '';
    settle();
  });
  child.stdout.on('data', () => {});
  child.stderr.on('data', () => {});
  return {
    run: text =>
      new Promise(done => {
        settle = done;
        child.stdin.write(`eval '${text.replaceAll("'", "'\\''")}' </dev/null;printf '%s\\n' "$?" >&3\n`);
      }),
    close: () =>
      new Promise(done => {
        child.on('close', done);
        child.stdin.end();
      }),
  };
}
