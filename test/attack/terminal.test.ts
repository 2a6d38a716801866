import { spawn } from '@lydell/node-pty';
import { expect, onTestFinished, test } from 'vitest';
import { verifies } from '../helpers/verifies.js';
import { environmentOf, homeOf, programOf, USERS } from './hosts.js';

interface Seen {
  readonly terminal: boolean;
  readonly seen: readonly { name: string; pty: string; shared: boolean; typed: string }[];
  readonly helper: boolean;
  readonly read: string;
}

for (const user of USERS) {
  test(`no gated process has the terminal of its approver, on any footing (${user.name})`, async ({ skip }) => {
    verifies('P2', 'P9');
    if (user.unable !== undefined) skip(user.unable);
    const place = homeOf(user);
    // The program learns the name of its terminal from the shell that starts it.
    const start = `exec '${process.execPath}' '${programOf('shared-terminal')}' '{}' "$(tty)"`;
    const terminal = spawn('/bin/sh', ['-c', start], {
      cwd: `${place}/work`,
      env: environmentOf(place),
      cols: 400,
      rows: 50,
      ...(user.uid !== undefined && { uid: user.uid, gid: user.uid }),
    });
    onTestFinished(() => {
      try {
        terminal.kill('SIGKILL');
      } catch {
        // it has ended
      }
    });
    let output = '';
    terminal.onData(text => {
      output += text;
    });
    await new Promise<void>(done => terminal.onExit(() => done()));
    const json = /\{"terminal".*\}/.exec(output.replaceAll(/\r?\n/g, ''))?.[0];
    if (json === undefined) throw new Error(`it said nothing: ${output}`);
    const seen = JSON.parse(json) as Seen;
    expect(seen).toMatchObject({ terminal: true, helper: false, read: '' });
    expect(seen.seen).toHaveLength(5);
    for (const footing of seen.seen) expect(footing).toMatchObject({ shared: false, typed: '' });
  });
}
