import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Executor } from '../../src/contract/executor.js';
import { verifies } from '../helpers/verifies.js';
import { isRunning, processesWith, TinyShell } from './tiny-shell.js';

const FIXTURES = resolve(import.meta.dirname, '../fixtures');

export interface ExecutorUnderTest {
  readonly name: string;
  /** A fresh executor; `place` is a private directory that the shells see under the same path. */
  make(place: string): Promise<Executor> | Executor;
  readonly footing: 'pty' | 'pipes';
}

/** What every executor must do, shown with a real bash. */
export function executorConformance(subject: ExecutorUnderTest): void {
  describe(`executor ${subject.name}`, () => {
    let place: string;
    let executor: Executor;

    beforeEach(async () => {
      place = realpathSync(mkdtempSync(join(tmpdir(), 'shellgate-executor-')));
      executor = await subject.make(place);
    });
    afterEach(async () => {
      await executor.close();
      rmSync(place, { recursive: true, force: true });
    });
    const open = (spec: Parameters<typeof TinyShell.open>[1] = {}) => TinyShell.open(executor, { cwd: place, ...spec });

    captures(open);
    processes(open);
    endings(open, () => executor);
    looks(open, () => place);
    if (subject.footing === 'pty') terminals(open);

    test('starts in the directory it was given, without what would subvert the shell', async () => {
      verifies('P11');
      writeFileSync(join(place, 'evil'), `echo ran >>${join(place, 'ran')}\n`);
      const shell = await open({
        env: {
          PATH: '/usr/local/bin:/usr/bin:/bin',
          BASH_ENV: join(place, 'evil'),
          ENV: join(place, 'evil'),
          PROMPT_COMMAND: `. ${join(place, 'evil')}`,
          PS0: `$(. ${join(place, 'evil')})`,
          'BASH_FUNC_ls%%': '() { . ./evil; }',
          SHELLOPTS: 'xtrace',
          LD_LIBRARY_PATH: place,
          SHELLGATE_TOKEN: 'secret',
          KEPT: 'yes',
        },
      });
      const seen = await shell.run(
        'pwd; ls >/dev/null; bash -c :; sh -c :; echo "[$KEPT$LD_LIBRARY_PATH$SHELLGATE_TOKEN$BASH_ENV]"; type -t ls',
      );
      expect(seen.out.toString()).toBe(`${place}\n[yes]\nfile\n`);
      expect(seen.err.toString()).toBe('');
      expect(() => readFileSync(join(place, 'ran'))).toThrow('ENOENT');
      expect(shell.channel.footing).toBe(subject.footing);
    });

    test('gives its programs nothing but their three standard streams', async () => {
      verifies('P2', 'P5');
      await open();
      const shell = await open();
      const seen = await shell.run(`${FIXTURES}/proc-descriptors.sh`);
      const open_ = seen.out.toString().split('\n')[0]!.split(' ');
      // 255 is that bash's own script
      expect(open_.map(path => path.split('/')[4]).filter(fd => fd !== '255' && fd !== '3')).toEqual(['0', '1', '2']);
      expect(seen.out.toString()).toContain(subject.footing === 'pty' ? '\nterminal' : 'no terminal');
    });

    test('keeps shells apart', async () => {
      const shells = await Promise.all(Array.from({ length: 12 }, () => open()));
      const results = await Promise.all(shells.flatMap((shell, n) => [shell.run(`N=${n}; sleep 0.05; echo $N; echo e$N >&2`)]));
      expect(results.map(result => [result.out.toString(), result.err.toString()])).toEqual(
        shells.map((_, n) => [`${n}\n`, `e${n}\n`]),
      );
      expect(new Set(shells.map(shell => shell.channel.pid)).size).toBe(12);
    });
  });
}

type Open = (spec?: Parameters<typeof TinyShell.open>[1]) => Promise<TinyShell>;

function captures(open: Open): void {
  test('captures both streams apart, and programs can open /dev/stdout and /dev/stderr', async () => {
    const shell = await open();
    const seen = await shell.run('echo out; echo err >&2; echo a >/dev/stdout; echo b >/dev/stderr; (exit 7)');
    expect(seen).toMatchObject({ status: 7, held: [] });
    expect([seen.out.toString(), seen.err.toString()]).toEqual(['out\na\n', 'err\nb\n']);
  });

  test('loses no byte of 2 MB on each stream, whatever their order', async () => {
    verifies('P8');
    const shell = await open();
    const seen = await shell.run(
      'for i in {1..20}; do head -c 100000 /dev/zero | tr "\\0" o; head -c 100000 /dev/zero | tr "\\0" e >&2; done',
    );
    expect([seen.out.length, seen.err.length]).toEqual([2_000_000, 2_000_000]);
    expect(seen.out.every(byte => byte === 111)).toBe(true);
    expect(seen.err.every(byte => byte === 101)).toBe(true);
  });

  test('keeps the order of what comes in a flood, up to its very end', async () => {
    verifies('P8');
    const shell = await open();
    const numbers = Buffer.from(Array.from({ length: 200_000 }, (_, n) => `${n + 1}\n`).join(''));
    for (let round = 0; round < 5; round += 1) {
      const seen = await shell.run('seq 1 200000; seq 1 200000 >&2');
      expect(seen.out.equals(numbers)).toBe(true);
      expect(seen.err.equals(numbers)).toBe(true);
    }
  });

  test('is right for hundreds of quick commands in a row', async () => {
    const shell = await open();
    for (let n = 0; n < 300; n += 1) {
      const seen = await shell.run(`echo ${n}; echo e${n} >&2`);
      if (seen.out.toString() !== `${n}\n` || seen.err.toString() !== `e${n}\n`) {
        expect.fail(`${n}: ${seen.out.toString()} ${seen.err.toString()}`);
      }
    }
  });

  test.each([0, 1, 65_536, 65_537, 3_000_000])('gives a program %i bytes of stdin and then the end', async length => {
    const shell = await open();
    const stdin = Buffer.alloc(length, Buffer.from([0, 255, 10, 13, 27]));
    const seen = await shell.run('cat', { stdin });
    expect(seen.out.equals(stdin)).toBe(true);
  });

  test('does not wait for a program that leaves its stdin unread, and tells the next one nothing of it', async () => {
    const shell = await open();
    expect((await shell.run('true', { stdin: Buffer.alloc(1_000_000, 'x') })).status).toBe(0);
    expect((await shell.run('head -c 5', { stdin: Buffer.alloc(1_000_000, 'y') })).out.toString()).toBe('yyyyy');
    expect((await shell.run('cat; wc -c </dev/stdin')).out.toString().trim()).toBe('0');
  });

  test('tells late output of a background writer from that of later commands', async () => {
    const shell = await open();
    const first = await shell.run('{ sleep 0.15; echo late; echo later >&2; } & echo now');
    expect(first.out.toString()).toBe('now\n');
    expect([...first.held].sort()).toEqual(['err', 'out']);
    const second = await shell.run('sleep 0.25; echo second');
    expect([second.out.toString(), second.held]).toEqual(['second\n', []]);
    await until(() => first.late.err !== '');
    expect(first.late).toEqual({ out: 'late\n', err: 'later\n' });
  });

  test('ends although a background program writes for ever, and lets go of it', async () => {
    const shell = await open();
    const seen = await shell.run('yes & echo $!');
    expect(seen.held).toContain('out');
    seen.pair.release();
    await until(() => !seen.tree.list().some(process => process.command === 'yes'));
  });
}

function processes(open: Open): void {
  const shapes: Record<string, string> = {
    'a plain child': 'sleep @ &',
    'a session of its own': 'setsid sleep @ &',
    nohup: 'nohup sleep @ >/dev/null 2>&1 &',
    'a double fork': '((sleep @ &) &)',
    'a daemon': `${FIXTURES}/proc-double-fork.sh @`,
    'one that ignores INT, TERM and HUP': `${FIXTURES}/proc-deaf.sh @ &`,
    'a grandchild of a pipeline': '(sh -c "sleep @; :" | cat) &',
    'a stopped one': 'sleep @ & sleep 0.02; kill -STOP $!',
    'one that cleared its environment': '(env -i sleep @ &)',
    'one with a false marker': 'SHELLGATE_COMMAND=0000.1 setsid sleep @ &',
  };

  test.each(Object.entries(shapes))('finds and ends %s; the shell lives on', async (_, text) => {
    verifies('P7', 'S3-08', 'J08');
    const shell = await open();
    const seconds = uniqueSeconds();
    await sleep(30); // within the clock tick of the last command an orphan without a marker gets the benefit of the doubt
    const seen = await shell.run(`KEPT=yes
${text.replace('@', seconds)}
sleep 0.02`);
    await until(() => isRunning(`sleep ${seconds}`));
    expect(seen.tree.list().some(process => process.command.includes(seconds))).toBe(true);
    expect(await seen.tree.kill(20)).toEqual([]);
    expect(isRunning(`sleep ${seconds}`)).toBe(false);
    expect(seen.tree.list()).toEqual([]);
    expect((await shell.run('echo $KEPT')).out.toString()).toBe('yes\n');
  });

  test('asks first: a program that hears TERM may clean up', async () => {
    const shell = await open();
    const program = 'trap "echo cleaned; exit" TERM; echo ready; while :; do sleep 0.02; done';
    const started = await shell.start(`bash -c '${program}'`);
    await until(() => started.chunks.out.length > 0);
    expect(await started.tree.kill(500)).toEqual([]);
    expect((await started.result).out.toString()).toBe('ready\ncleaned\n');
  });

  test('ends what is never the same process for long', async () => {
    verifies('P7');
    const shell = await open();
    const name = uniqueSeconds();
    const seen = await shell.run(`${FIXTURES}/proc-hydra.sh 500 ${name}`);
    await sleep(60);
    expect(await seen.tree.kill(0)).toEqual([]);
    await sleep(100);
    expect(processesWith(name)).toEqual([]);
  });

  test('spares the jobs of earlier commands and what they start', async () => {
    verifies('P7');
    const shell = await open();
    const [older, newer, grandchild] = [uniqueSeconds(), uniqueSeconds(), uniqueSeconds()];
    await shell.run(`sleep ${older} & (sleep 0.1; sleep ${grandchild}; :) &`);
    const seen = await shell.run(`sleep ${newer} & sleep 0.3`, { recordChildren: true });
    expect(seen.tree.list().map(process => process.command)).toEqual([`sleep ${newer}`]);
    expect(await seen.tree.kill(0)).toEqual([]);
    expect([older, newer, grandchild].map(seconds => isRunning(`sleep ${seconds}`))).toEqual([true, false, true]);
  });

  test('of a subshell that was started before only its own programs belong to the command', async () => {
    const shell = await open();
    const [below, beside] = [uniqueSeconds(), uniqueSeconds()];
    const first = await shell.run(`(sleep ${below}; :) & echo $!; sleep ${beside} &`);
    const root = Number(first.out.toString());
    await until(() => isRunning(`sleep ${below}`) && isRunning(`sleep ${beside}`));
    const tree = shell.channel.processes('fedcba9876543210.1', false, root);
    expect(tree.list().map(process => process.command)).toEqual(expect.arrayContaining([`sleep ${below}`]));
    expect(tree.list().some(process => process.pid === root)).toBe(true);
    expect(await tree.kill(0)).toEqual([]);
    expect([below, beside].map(seconds => isRunning(`sleep ${seconds}`))).toEqual([false, true]);
    expect(shell.channel.processes('fedcba9876543210.2', false, root).list()).toEqual([]); // it is gone: nothing is below it
  });

  test('spares an older job also where nothing was recorded', async () => {
    const shell = await open();
    const [older, newer] = [uniqueSeconds(), uniqueSeconds()];
    await shell.run(`sleep ${older} &`);
    await sleep(40);
    const seen = await shell.run(`sleep ${newer} &`);
    expect(await seen.tree.kill(0)).toEqual([]);
    expect([older, newer].map(seconds => isRunning(`sleep ${seconds}`))).toEqual([true, false]);
  });

  test('names what may have escaped it', async () => {
    verifies('P7');
    const shell = await open();
    const seconds = uniqueSeconds();
    const seen = await shell.run(`(env -i /usr/bin/setsid /bin/sleep ${seconds} &) ; sleep 0.05`);
    const suspects = seen.tree.suspects().filter(process => process.command.includes(seconds));
    expect(suspects.map(process => process.reason)).toEqual(['suspect']);
    process.kill(suspects[0]!.pid, 'SIGKILL');
    await until(() => !isRunning(seconds));
  });

  test('signals the shell or its group; a SIGINT ends the command and keeps the state', async () => {
    const shell = await open();
    const started = await shell.start('KEPT=yes; sleep 300');
    await until(() => started.tree.list().some(process => process.command === 'sleep 300'));
    let back = false;
    const synced = shell.sync('\n').then(() => {
      back = true;
    });
    // A signal may hit bash between two commands, where it is lost.
    while (!back) {
      shell.channel.shell.signal('SIGINT', 'group');
      await Promise.race([synced, sleep(100)]);
    }
    expect((await shell.run('echo $KEPT')).out.toString()).toBe('yes\n');
    started.pair.release();
  });

  test('sees a stopped, a waiting and a gone shell, and the signals it handles', async () => {
    const shell = await open();
    expect(shell.channel.shell.catches(41)).toBe(false);
    await shell.run('trap : RTMIN+7');
    expect(shell.channel.shell.catches(41)).toBe(true);
    shell.channel.shell.signal('SIGSTOP', 'shell');
    await until(() => shell.channel.shell.state() === 'stopped');
    shell.channel.shell.signal('SIGCONT', 'shell');
    await until(() => shell.channel.shell.state() === 'sleeping');
    await shell.channel.close();
    expect(shell.channel.shell.state()).toBe('gone');
  });

  test('says which program was started last', async () => {
    const shell = await open();
    expect(shell.channel.shell.foreground()).toBeUndefined();
    await shell.run('sh -c "sleep 300; :" &');
    await until(() => shell.channel.shell.foreground()?.name === 'sleep');
  });

  test('finds forks of the shell that still have its streams, and no other process', async () => {
    verifies('P5');
    const shell = await open();
    expect(shell.channel.shell.holders()).toEqual([]);
    const reasons = (): string =>
      shell.channel.shell
        .holders()
        .map(process => process.reason)
        .join();
    // What is between its fork and its exec holds them too, for a moment.
    await shell.run('sleep 300 &');
    await until(() => reasons() === '');
    await shell.run('(sleep 0.4; :) &');
    await until(() => reasons() === 'holds the command stream');
    await until(() => reasons() === '');
    await shell.run('(while IFS= read -r -u 10 line; do :; done) &');
    await until(() => reasons() === 'reads the command stream');
  });
}

function endings(open: Open, executor: () => Executor): void {
  test.each([
    ['exit 3', { exitCode: 3 }],
    ['kill -9 $$', { signal: 'SIGKILL' }],
    ['exec sh -c "exit 5"', { exitCode: 5 }],
  ])('says how the shell ended: %s', async (text, expected) => {
    const shell = await open();
    const started = await shell.start(`echo before; ${text}`);
    expect(await shell.channel.closed).toEqual(expected);
    const late = { out: '' };
    await started.pair.finish(() => {
      late.out += '?';
    });
    expect(Buffer.concat(started.chunks.out).toString()).toBe('before\n');
  });

  test('says so at once, also while a background process still has the streams', async () => {
    const shell = await open();
    const started = await shell.start('(sleep 300; :) & exit 4');
    const asked = performance.now();
    expect(await shell.channel.closed).toEqual({ exitCode: 4 });
    expect(performance.now() - asked).toBeLessThan(1_000);
    started.pair.release();
    expect(await shell.channel.close()).toEqual([]);
  });

  test('close leaves nothing running', async () => {
    verifies('S3-03', 'J26');
    const shell = await open();
    const seconds = uniqueSeconds();
    await shell.run(
      `sleep ${seconds} & setsid -f sleep ${seconds} & nohup sleep ${seconds} >/dev/null 2>&1 & trap "" HUP TERM; sleep 0.05`,
    );
    const running = await shell.start(`${FIXTURES}/proc-deaf.sh ${seconds}`);
    await until(() => running.tree.list().length > 0);
    expect(isRunning(`sleep ${seconds}`)).toBe(true);
    expect(await shell.channel.close()).toEqual([]);
    expect(isRunning(seconds)).toBe(false);
    expect(await shell.channel.close()).toEqual([]);
  });

  test('close of the executor ends every shell, and opens none afterwards', async () => {
    const shells = await Promise.all([open(), open()]);
    await executor().close();
    for (const shell of shells) expect(shell.channel.shell.state()).toBe('gone');
    await expect(open()).rejects.toMatchObject({ code: 'EXECUTOR_CLOSED' });
  });

  test('says why a shell cannot be started', async () => {
    for (const [spec, place] of [
      [{ cwd: '/no/such/place' }, '/no/such/place'],
      [{ cwd: '/etc/passwd' }, '/etc/passwd'],
      [{ argv: ['bash'] }, 'bash'],
      [{ argv: ['/no/such/shell'] }, '/no/such/shell'],
      [{ argv: ['/etc'] }, '/etc'],
      [{ argv: [] }, ''],
    ] as const) {
      await expect(open(spec)).rejects.toMatchObject({ code: 'SHELL_UNAVAILABLE', place });
    }
    const spec = { argv: ['/bin/bash'], cwd: '/', env: {}, size: { cols: 80, rows: 24 } };
    await expect(executor().open(spec, AbortSignal.abort(new Error('enough')))).rejects.toThrow('enough');
  });
}

function looks(open: Open, place: () => string): void {
  test('knows the directory of the shell from the kernel', async () => {
    const shell = await open();
    const before = shell.channel.shell.cwd();
    expect(before?.path).toBe(place());
    mkdirSync(join(place(), 'sub'));
    await shell.run('cd sub; PWD=/lie');
    expect(shell.channel.shell.cwd()?.path).toBe(join(place(), 'sub'));
    expect(shell.channel.shell.cwd()?.id).not.toBe(before?.id);
  });

  test('resolves paths and hashes files without ever waiting', async () => {
    const shell = await open();
    const at = (name: string): string => join(place(), name);
    writeFileSync(at('plain'), 'content\n');
    writeFileSync(at('long'), Buffer.alloc(100_000));
    writeFileSync(at('sparse'), '');
    truncateSync(at('sparse'), 10_000_000_000);
    symlinkSync('plain', at('link'));
    symlinkSync('circle', at('circle'));
    symlinkSync('nowhere', at('dangling'));
    await shell.run('mkfifo fifo');
    const names = ['plain', 'long', 'sparse', 'link', 'circle', 'dangling', 'fifo', 'none'];
    const asked = performance.now();
    const found = await shell.channel.files(
      {
        paths: [...names.map(at), place(), at('none/deeper'), '/dev/zero', '/dev/stdin'],
        hashes: [...names.map(at), place(), '/dev/zero', '/dev/stdin'],
        globs: [at('[lp]*'), at('*.none')],
      },
      new AbortController().signal,
    );
    expect(performance.now() - asked).toBeLessThan(400);
    const real = (name: string) => found.paths[at(name)];
    expect(real('plain')).toEqual({ real: at('plain'), kind: 'file' });
    expect(real('link')).toEqual({ real: at('plain'), kind: 'file' });
    expect(real('none')).toEqual({ real: at('none'), kind: 'missing' });
    expect(real('none/deeper')).toEqual({ real: at('none/deeper'), kind: 'missing' });
    expect(found.paths[place()]?.kind).toBe('directory');
    for (const name of ['circle', 'dangling', 'fifo']) expect(real(name)?.kind, name).toBe('other');
    expect(found.paths['/dev/zero']?.kind).toBe('other');
    expect(found.globs[at('[lp]*')]).toEqual({
      matches: expect.arrayContaining([at('link'), at('long'), at('plain')]),
      complete: true,
    });
    expect(found.globs[at('*.none')]).toEqual({ matches: [at('*.none')], complete: true });
    expect(found.paths['/dev/stdin']).toEqual({ real: '/dev/stdin', kind: 'other' });
    const hash = (name: string) => found.hashes[at(name)];
    const sha256 = '434728a410a78f56fc1b5899c3593436e61ab0c731e9072d95e96db290205e53';
    expect(hash('plain')).toEqual({ sha256, text: 'content\n' });
    expect(hash('link')).toEqual(hash('plain'));
    expect(hash('long')?.sha256).toMatch(/^[0-9a-f]{64}$/);
    expect(hash('long')?.text).toBeUndefined();
    expect(hash('sparse')).toEqual({ problem: 'larger than 1 MiB' });
    expect(hash('fifo')).toEqual({ problem: 'not a regular file' });
    expect(hash('circle')).toEqual({ problem: 'symbolic links in a circle' });
    expect(hash('none')).toEqual({ problem: 'missing' });
    expect(found.hashes[place()]).toEqual({ problem: 'not a regular file' });
    expect(found.hashes['/dev/zero']).toEqual({ problem: 'not a regular file' });
    expect(found.hashes['/dev/stdin']?.problem).toBeDefined();
  });

  test('runs a helper beside the shell: its stdin, its status, no terminal, an end in time', async () => {
    const shell = await open();
    const { channel } = shell;
    expect(await channel.helper(['/bin/cat'], 'text', 5_000)).toEqual({ status: 0, stdout: 'text' });
    expect((await channel.helper(['/bin/sh', '-c', 'exit 9'], '', 5_000)).status).toBe(9);
    const seen = await channel.helper([`${FIXTURES}/proc-descriptors.sh`], '', 5_000);
    expect(seen.stdout).toContain('no terminal');
    const fds = seen.stdout
      .split('\n')[0]!
      .split(' ')
      .map(path => path.split('/')[4]);
    expect(fds.filter(fd => fd !== '255' && fd !== '3')).toEqual(['0', '1', '2']);
    const seconds = uniqueSeconds();
    expect((await channel.helper(['/bin/sh', '-c', `sleep ${seconds}; :`], '', 100)).status).toBeUndefined();
    await until(() => !isRunning(seconds));
  });
}

function terminals(open: Open): void {
  test('a program owns the terminal: it is one, it hears what is typed, and the size follows', async () => {
    const shell = await open();
    const terminal = shell.channel.terminal!;
    let screen = '';
    terminal.onData(bytes => {
      screen += Buffer.from(bytes).toString();
    });
    const onTerminal = (text: string): Promise<number> => shell.sync(`{ ${text}; } <${terminal.path} >${terminal.path} 2>&1;`);
    expect(await onTerminal('test -t 0 && test -t 1 && tty && stty size')).toBe(0);
    await until(() => screen.includes('24 80'));
    expect(screen).toContain(terminal.path);
    terminal.resize(132, 50);
    await onTerminal('stty size');
    await until(() => screen.includes('50 132'));
    const typed = onTerminal('read -r line; echo "got $line"');
    terminal.write(Buffer.from('hello\n'));
    await typed;
    await until(() => screen.includes('got hello'));
  });

  test('with job control the foreground group is another than the shell, and can be signalled', async () => {
    const shell = await open();
    const seconds = uniqueSeconds();
    const over = shell.sync(`set -m; sleep ${seconds} <${shell.channel.terminal!.path}; echo;`);
    await until(() => isRunning(`sleep ${seconds}`));
    await sleep(20);
    shell.channel.shell.signal('SIGTERM', 'group');
    await sleep(20);
    expect(isRunning(`sleep ${seconds}`)).toBe(true);
    shell.channel.shell.signal('SIGTERM', 'foreground');
    await over;
    expect(isRunning(`sleep ${seconds}`)).toBe(false);
    shell.channel.shell.signal('SIGTERM', 'foreground'); // nobody but the shell: nothing happens
    expect((await shell.run('echo alive')).out.toString()).toBe('alive\n');
  });

  test('typing a megabyte at a program that does not read yet blocks nobody, and all of it arrives', async () => {
    const shell = await open();
    const terminal = shell.channel.terminal!;
    let screen = '';
    terminal.onData(bytes => {
      screen += Buffer.from(bytes).toString();
    });
    const program = 'stty raw -echo; echo ready; sleep 0.1; head -c 1048576 | tr -cd x | wc -c; stty sane';
    const done = shell.sync(`{ ${program}; } <${terminal.path} >${terminal.path};`);
    await until(() => screen.includes('ready'));
    const started = performance.now();
    terminal.write(Buffer.alloc(1024 * 1024, 'x'));
    expect(performance.now() - started).toBeLessThan(100);
    await done;
    await until(() => screen.includes('1048576'));
    expect((await shell.run('echo alive')).out.toString()).toBe('alive\n');
  });

  test('terminal output of the last moment is there before the end is told', async () => {
    const shell = await open();
    let screen = '';
    shell.channel.terminal!.onData(bytes => {
      screen += Buffer.from(bytes).toString();
    });
    void shell.sync(`seq 1 5000 >${shell.channel.terminal!.path}; exit 0;`);
    await shell.channel.closed;
    expect(screen).toContain('5000');
  });
}

let count = 0;
/** Seconds that no other process sleeps. */
function uniqueSeconds(): string {
  count += 1;
  return `30${process.pid}.${count}7`;
}

async function until(condition: () => boolean): Promise<void> {
  const deadline = performance.now() + 3_000;
  while (!condition()) {
    if (performance.now() > deadline) expect.fail('waited 3 s for what did not come');
    await sleep(5);
  }
}
