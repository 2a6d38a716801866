import { spawn, spawnSync } from 'node:child_process';
import {
  accessSync,
  chownSync,
  constants,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';

/** Programs that are a host: they open sessions of the built product, attack them, and print what they saw as JSON. */
const PROGRAMS = resolve(import.meta.dirname, '../fixtures/attack');
export const programOf = (name: string): string => join(PROGRAMS, `${name}.mjs`);
const DIST = resolve(import.meta.dirname, '../../dist/index.js');
const NOBODY = 65_534;

export interface User {
  readonly name: string;
  readonly uid?: number;
  /** Why attacks cannot run as this user here. */
  readonly unable?: string;
}

const me = process.getuid?.() ?? 0;

/** An attack is shown as whoever runs the tests and, where that is root, as an ordinary user too. */
export const USERS: readonly User[] = [
  { name: me === 0 ? 'root' : `uid ${me}` },
  ...(me === NOBODY ? [] : [{ name: `uid ${NOBODY}`, uid: NOBODY, ...unableAs(NOBODY) }]),
];

function unableAs(uid: number): { unable?: string } {
  if (me !== 0) return { unable: 'only root can become another user' };
  const look = `require('fs').accessSync(${JSON.stringify(DIST)}, 4)`;
  const { status } = spawnSync(process.execPath, ['-e', look], { uid, gid: uid, stdio: 'ignore' });
  return status === 0 ? {} : { unable: `uid ${uid} cannot read ${dirname(DIST)}` };
}

/** A directory that the host of this test lives in: home, state, runtime directory, working directory. */
export function homeOf(user: User): string {
  // Beside the test's own temporary directory, which other users cannot enter.
  const place = mkdtempSync(join(dirname(tmpdir()), 'sg-attack-'));
  onTestFinished(async () => {
    for (const pid of livingIn(place)) kill(pid);
    rmSync(place, { recursive: true, force: true, maxRetries: 5 });
  });
  mkdirSync(join(place, 'work'));
  if (user.uid !== undefined) for (const path of [place, join(place, 'work')]) chownSync(path, user.uid, user.uid);
  return place;
}

export const environmentOf = (place: string): Record<string, string> => ({
  PATH: process.env['PATH'] ?? '/usr/bin:/bin',
  HOME: place,
  XDG_STATE_HOME: join(place, 'state'),
  XDG_CONFIG_HOME: join(place, 'config'),
  TMPDIR: place,
  LANG: 'C.UTF-8',
});

export interface Host {
  readonly user: User;
  readonly place: string;
  /** Runs a program to its end and reads what it saw. It must end by itself and leave no process behind. */
  see<Seen>(program: string, input?: object, env?: Readonly<Record<string, string>>): Promise<Seen>;
  /** Starts one that is going to be killed; resolves when it says that it is ready. */
  start(program: string, input?: object): Promise<Started>;
}

export interface Started {
  readonly pid: number;
  /** What it printed until it was ready. */
  readonly said: string;
  kill(): Promise<void>;
}

/** One test a user. A user that cannot be had here is skipped by name, with the reason. */
export function attack(name: string, body: (host: Host) => Promise<void>, timeoutMs = 60_000): void {
  for (const user of USERS) {
    test(`${name} (${user.name})`, { timeout: timeoutMs }, async ({ skip }) => {
      if (user.unable !== undefined) skip(user.unable);
      await body(hostFor(user, timeoutMs));
    });
  }
}

function hostFor(user: User, timeoutMs: number): Host {
  const place = homeOf(user);
  const begin = (program: string, input: object, env: Readonly<Record<string, string>>) =>
    spawn(process.execPath, [programOf(program), JSON.stringify(input)], {
      cwd: join(place, 'work'),
      env: { ...environmentOf(place), ...env },
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
      ...(user.uid !== undefined && { uid: user.uid, gid: user.uid }),
    });
  return {
    user,
    place,
    async see(program, input = {}, env = {}) {
      const child = begin(program, input, env);
      const watchdog = setTimeout(() => child.kill('SIGKILL'), timeoutMs - 2_000);
      const [stdout, stderr] = [textOf(child.stdout), textOf(child.stderr)];
      const status = await new Promise(done => child.once('close', (code, signal) => done(code ?? signal)));
      clearTimeout(watchdog);
      if (status !== 0) throw new Error(`${program} ended with ${status}: ${stderr()}${stdout().slice(-2_000)}`);
      await expect.poll(() => livingIn(place).map(describeProcess), { timeout: 3_000 }).toEqual([]);
      return JSON.parse(stdout().trimEnd().split('\n').at(-1)!);
    },
    async start(program, input = {}) {
      const child = begin(program, input, {});
      const over = new Promise<void>(done => child.once('exit', () => done()));
      const [stdout, stderr] = [textOf(child.stdout), textOf(child.stderr)];
      while (!stdout().includes('ready\n')) {
        if (child.exitCode !== null || child.signalCode !== null) throw new Error(`${program} ended: ${stderr()}`);
        await new Promise(later => setTimeout(later, 5));
      }
      return {
        pid: child.pid!,
        said: stdout(),
        async kill() {
          child.kill('SIGKILL');
          await over;
          // What it left running may hold its output open.
          child.stdout.destroy();
          child.stderr.destroy();
        },
      };
    },
  };
}

function textOf(stream: NodeJS.ReadableStream): () => string {
  let text = '';
  stream.setEncoding('utf8');
  stream.on('data', (piece: string) => {
    text += piece;
  });
  return () => text;
}

/** Every process that began in `place`: by its environment, or by its directory where it cleared that. */
export function livingIn(place: string): number[] {
  return readdirSync('/proc')
    .map(Number)
    .filter(pid => pid > 0 && pid !== process.pid && beganIn(pid, place));
}

function beganIn(pid: number, place: string): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    if (/^[ZX]/.test(stat.slice(stat.lastIndexOf(')') + 2))) return false;
    if (readlinkSync(`/proc/${pid}/cwd`).startsWith(place)) return true;
    return `\0${readFileSync(`/proc/${pid}/environ`, 'utf8')}`.includes(`\0HOME=${place}\0`);
  } catch {
    return false;
  }
}

function describeProcess(pid: number): string {
  try {
    return `${pid} ${readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').slice(0, 200)}`;
  } catch {
    return `${pid}`;
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // gone
  }
}

/** Files below the state directory that a session makes while it runs. */
export function runtimeFiles(place: string): string[] {
  const run = join(place, 'state/shellgate/run');
  try {
    accessSync(run, constants.R_OK);
  } catch {
    return [];
  }
  return readdirSync(run, { recursive: true, encoding: 'utf8' }).filter(name => name !== 'shells');
}
