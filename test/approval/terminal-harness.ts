import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { spawn } from '@lydell/node-pty';
import { Terminal } from '@xterm/headless';
import { onTestFinished } from 'vitest';
import type { Answer } from '../../src/contract/answer.js';
import type { Question } from '../../src/contract/question.js';
import { temporaryDirectory } from '../helpers/cli.js';

const SCRIPT = resolve(import.meta.dirname, '../fixtures/ask-at-terminal.mjs');
/** The prompt's own quiet time, and what a busy machine needs on top of it. */
const QUIET_MS = 250 + 150;

export interface Setup {
  /** SIGUSR2 ends the questions with this sentence. */
  readonly sentence?: string;
  /** SIGUSR2 writes this. */
  readonly output?: string;
  /** It runs as a background job of a shell that has the terminal. */
  readonly background?: boolean;
  readonly columns?: number;
  readonly rows?: number;
}

/** A process with a real terminal, and a person in front of it. */
export interface AtTerminal {
  /** What is on the screen, without the blanks at the end. */
  screen(): string;
  /** All bytes that came so far. */
  readonly raw: string;
  /** Wait until the screen shows it. */
  shows(text: string | RegExp): Promise<void>;
  /** Wait until nothing was drawn for the quiet time, then press. */
  press(...keys: string[]): Promise<void>;
  /** Send bytes at once, whatever is on the screen. */
  send(bytes: string): void;
  resize(columns: number, rows: number): void;
  signal(): void;
  /** The terminal goes away. */
  hangUp(): void;
  /** Is there no answer so far? */
  readonly asking: boolean;
  readonly answers: Promise<readonly Answer[]>;
}

/** Ask at a terminal of its own, drawn by a real terminal emulator. */
export function atTerminal(questions: readonly Question[], setup: Setup = {}): AtTerminal {
  const { columns = 100, rows = 30, background = false } = setup;
  const directory = temporaryDirectory();
  const [setupFile, answersFile] = [join(directory, 'setup.json'), join(directory, 'answers.json')];
  writeFileSync(setupFile, JSON.stringify({ questions, ...setup }));
  const emulator = new Terminal({ cols: columns, rows, allowProposedApi: true, convertEol: false });
  const env = { PATH: process.env['PATH'] ?? '', TERM: 'xterm-256color', NO_COLOR: '1' };
  const ask = [process.execPath, SCRIPT, setupFile, answersFile];
  const [program, ...argv] = background ? ['/bin/sh', '-mc', '"$@" & wait', 'sh', ...ask] : ask;
  const child = spawn(program!, argv, { cols: columns, rows, env, name: 'xterm-256color' });
  let raw = '';
  let lastDrawn = performance.now();
  child.onData(data => {
    raw += data;
    lastDrawn = performance.now();
    emulator.write(data);
  });
  const gone = new Promise<void>(done => child.onExit(() => done()));
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await gone;
    emulator.dispose();
  });

  function screen(): string {
    const { active } = emulator.buffer;
    const lines = Array.from({ length: active.length }, (_, y) => active.getLine(y)?.translateToString(true) ?? '');
    return lines.join('\n').trimEnd();
  }

  async function shows(text: string | RegExp): Promise<void> {
    const there = () => (typeof text === 'string' ? screen().includes(text) : text.test(screen()));
    for (const until = Date.now() + 8_000; !there() && Date.now() < until; ) await sleep(10);
    if (!there()) throw new Error(`not shown: ${text}; the screen is\n${screen()}`);
  }

  async function answered(): Promise<Answer[]> {
    await Promise.race([gone, until(() => existsSync(answersFile))]);
    if (!existsSync(answersFile)) throw new Error(`no answer; the screen is\n${screen()}`);
    return JSON.parse(readFileSync(answersFile, 'utf8'));
  }
  const answers = answered();
  answers.catch(() => {}); // a test that fails before it looks has its own error

  return {
    screen,
    shows,
    get raw() {
      return raw;
    },
    async press(...keys) {
      for (const key of keys) {
        await shows('┌');
        while (performance.now() - lastDrawn < QUIET_MS) await sleep(20);
        lastDrawn = performance.now();
        child.write(key);
      }
    },
    send: bytes => child.write(bytes),
    resize(toColumns, toRows) {
      emulator.resize(toColumns, toRows);
      child.resize(toColumns, toRows);
    },
    signal: () => child.kill('SIGUSR2'),
    // Closes its side; the public interface has no name for it.
    hangUp: () => (child as unknown as { destroy(): void }).destroy(),
    get asking() {
      return !existsSync(answersFile);
    },
    answers,
  };
}

async function until(holds: () => boolean): Promise<void> {
  for (const end = Date.now() + 15_000; !holds() && Date.now() < end; ) await sleep(10);
}
