import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { Session } from '../../src/contract/gate.js';
import { createGate, type LocalGate } from '../../src/create-gate.js';

const POLICY = `
default = 'ask'
[[rule]]
id = 'say'
decision = 'allow'
command = 'echo **'
reason = 'prints'
[[rule]]
id = 'wait'
decision = 'allow'
command = 'sleep *'
reason = 'waits'
[[rule]]
id = 'no-shutdown'
decision = 'deny'
command = 'shutdown **'
reason = 'this machine stays on'
tell = true
[[rule]]
id = 'signed'
decision = 'ask'
command = 'uname **'
level = 'keyed'
reason = 'wants a signature'
`;

/**
 * A session knows its shell's options from its first result on. Where a test is about one thing that must void an
 * approval, this runs before, so that nothing else does.
 */
export const FIRST = 'echo first';

export interface Host {
  readonly gate: LocalGate;
  readonly session: Session;
  /** A path in the session's directory. */
  path(name: string): string;
  exists(name: string): boolean;
  /** Types and data of every record of the log so far. */
  records(): { readonly type: string; readonly data: Record<string, unknown> }[];
}

/** A real gate with one session in a directory of its own: echo and sleep run, shutdown is denied, uname wants a signed answer, the rest asks. */
export async function openHost({ pty = 'off' }: { readonly pty?: 'auto' | 'off' } = {}): Promise<Host> {
  const home = mkdtempSync(join(tmpdir(), 'adapters-'));
  const dir = join(home, 'work');
  for (const name of [dir, join(home, 'state'), join(home, 'runtime')]) mkdirSync(name, { mode: 0o700 });
  const before = { state: process.env['XDG_STATE_HOME'], runtime: process.env['XDG_RUNTIME_DIR'] };
  process.env['XDG_STATE_HOME'] = join(home, 'state');
  process.env['XDG_RUNTIME_DIR'] = join(home, 'runtime');
  writeFileSync(join(home, 'policy.toml'), POLICY);
  const audit = join(home, 'audit');
  const gate = await createGate({ policy: join(home, 'policy.toml'), cwd: dir, audit, pty });
  onTestFinished(async () => {
    await gate.close();
    setOrDelete('XDG_STATE_HOME', before.state);
    setOrDelete('XDG_RUNTIME_DIR', before.runtime);
    rmSync(home, { recursive: true, force: true });
  });
  const session = await gate.openSession();
  return {
    gate,
    session,
    path: name => join(dir, name),
    exists: name => existsSync(join(dir, name)),
    records: () =>
      readdirSync(audit)
        .filter(name => name.endsWith('.jsonl'))
        .flatMap(name => readFileSync(join(audit, name), 'utf8').trim().split('\n'))
        .map(line => JSON.parse(line)),
  };
}

function setOrDelete(name: string, value: string | undefined): void {
  if (value === undefined) delete process.env[name];
  else process.env[name] = value;
}
