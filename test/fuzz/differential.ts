import { type ChildProcess, spawn } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { createAnalyzer } from '../../src/analysis/analyzer.js';
import type { SpecLookup } from '../../src/analysis/spec.js';
import type { Analysis, Program, Word } from '../../src/contract/analysis.js';
import { commandRequest, sessionState } from '../analysis/analyzing.js';
import { TOOLS, WRAPPERS } from './grammar.js';

const NOBODY = 65534;
const WHERE = ['/usr/bin', '/bin'];

/** One program that really started, as its shim saw it. */
export interface Started {
  readonly name: string;
  readonly args: readonly string[];
}

export interface Miss {
  readonly line: string;
  readonly why: string;
}

export interface Tally {
  readonly lines: number;
  readonly started: number;
  /** Lines that the analysis would ask about whatever the rules say. */
  readonly opaque: number;
  readonly misses: readonly Miss[];
}

const realPath = (name: string): string =>
  WHERE.map(folder => join(folder, name)).find(path => statSync(path, { throwIfNoEntry: false }))!;

/** A throw-away place where every program on PATH records its name and arguments before it does anything. */
export class Laboratory implements Disposable {
  readonly root = mkdtempSync(join(tmpdir(), 'shellgate-differential-'));
  readonly work = join(this.root, 'work');
  readonly #bin = join(this.root, 'bin');
  readonly #log = join(this.root, 'log');
  readonly #asNobody = process.getuid?.() === 0;

  constructor() {
    chmodSync(this.root, 0o755);
    // The test run's own temporary directory is private; nobody has to pass through it.
    if ((statSync(tmpdir()).mode & 0o001) === 0) chmodSync(tmpdir(), 0o711);
    mkdirSync(this.#bin);
    writeFileSync(this.#log, '');
    chmodSync(this.#log, 0o666);
    for (const name of TOOLS) this.#shim(join(this.#bin, name), name, '');
    for (const name of WRAPPERS) this.#shim(join(this.#bin, name), name, `exec ${realPath(name)} "$@"`);
    this.reset();
  }

  #shim(path: string, name: string, then: string): void {
    writeFileSync(path, `#!/bin/dash\nprintf '%s\\0' '${name}' "$#" "$@" >>${this.#log}\n${then}\n`);
    chmodSync(path, 0o755);
  }

  /** The working directory as every line finds it. */
  reset(): void {
    rmSync(this.work, { recursive: true, force: true });
    mkdirSync(join(this.work, 'd'), { recursive: true });
    writeFileSync(join(this.work, 'f1'), 'evil\nshow x\n');
    this.#shim(join(this.work, 'tool'), './tool', '');
    this.#shim(join(this.work, 'd', 'tool'), './tool', '');
    if (this.#asNobody)
      for (const path of [this.work, join(this.work, 'd'), join(this.work, 'f1')]) chownSync(path, NOBODY, NOBODY);
  }

  /** Runs a line in a bash of its own, without privileges. Returns what started, and the files it made. */
  async run(line: string): Promise<{ started: Started[]; files: string[] }> {
    truncateSync(this.#log);
    const child = spawn('/bin/bash', ['--noprofile', '--norc', '-p', '-c', line], {
      cwd: this.work,
      env: { PATH: this.#bin, HOME: '/home/ana', LANG: 'C' },
      // Every descendant holds the pipe, so `close` comes when the last of them is gone.
      stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
      detached: true,
      ...(this.#asNobody && { uid: NOBODY, gid: NOBODY }),
    });
    await ended(child);
    return { started: parseLog(readFileSync(this.#log, 'utf8')), files: this.#changed() };
  }

  #changed(): string[] {
    const files = readdirSync(this.work, { recursive: true, encoding: 'utf8' }).filter(
      name => !['d', 'f1', 'tool', 'd/tool'].includes(name),
    );
    if (files.length > 0) this.reset();
    else if (readFileSync(join(this.work, 'f1'), 'utf8') !== 'evil\nshow x\n') {
      this.reset();
      return ['f1'];
    }
    return files;
  }

  [Symbol.dispose](): void {
    rmSync(this.root, { recursive: true, force: true });
  }
}

async function ended(child: ChildProcess): Promise<void> {
  child.stdio[3]?.on('error', () => undefined);
  (child.stdio[3] as Readable | null)?.resume();
  const timer = setTimeout(() => {
    killGroup(child);
    child.stdio[3]?.destroy();
  }, 3000);
  await new Promise(resolve => child.once('close', resolve));
  clearTimeout(timer);
  killGroup(child);
}

function killGroup(child: ChildProcess): void {
  try {
    process.kill(-child.pid!, 'SIGKILL');
  } catch {
    // Nothing is left of it.
  }
}

/** Records of a name, a count and so many words. */
function parseLog(log: string): Started[] {
  const words = log.split('\0');
  const started: Started[] = [];
  for (let at = 0; at + 1 < words.length; ) {
    const count = Number(words[at + 1]);
    started.push({ name: words[at]!, args: words.slice(at + 2, at + 2 + count) });
    at += 2 + count;
  }
  return started;
}

const WRAPPER_NAMES: ReadonlySet<string> = new Set(WRAPPERS);
const baseName = (word: Word): string | undefined => ('text' in word ? word.text.replace(/^.*\//, '') : undefined);

/** Could the planned words have become these? An opaque word stands for any number of words with its lead. */
function covers(planned: readonly Word[], real: readonly string[]): boolean {
  if (planned.length === 0) return real.length === 0;
  const [first, ...rest] = planned as [Word, ...Word[]];
  if ('text' in first) return real[0] === first.text && covers(rest, real.slice(1));
  for (let count = first.single ? 1 : 0; count <= (first.single ? 1 : real.length); count += 1) {
    if (count > real.length || (count > 0 && !real[0]!.startsWith(first.lead))) break;
    if (covers(rest, real.slice(count))) return true;
  }
  return false;
}

/** Would a question be asked whatever the rules say: an opaque part, code on its way in, a wrapper that no spec describes? */
export const isOpaque = (analysis: Analysis): boolean =>
  analysis.opaque.length > 0 ||
  analysis.programs.some(
    ({ opaque, effects, specified, name }) =>
      opaque.length > 0 || effects.some(({ kind }) => kind === 'code') || (!specified && WRAPPER_NAMES.has(baseName(name) ?? '')),
  );

function missing(analysis: Analysis, { name, args }: Started): string | undefined {
  const base = name.replace(/^.*\//, '');
  const named = analysis.programs.filter(
    (program: Program) => baseName(program.name) === base || baseName(program.argv[0]!) === base,
  );
  if (named.length === 0) return `${name} started and was not named`;
  return named.some(({ argv }) => covers(argv.slice(1), args))
    ? undefined
    : `${name} started with other words: ${JSON.stringify(args)}`;
}

function unwritten(analysis: Analysis, work: string, file: string): string | undefined {
  const path = join(work, file);
  const effects = [...analysis.effects, ...analysis.programs.flatMap(program => program.effects)];
  const said = effects.some(({ kind, target }) => {
    if (kind !== 'write') return false;
    if (!target || !('text' in target)) return true;
    return target.text === path || (target.text.endsWith('/**') && path.startsWith(target.text.slice(0, -2)));
  });
  return said ? undefined : `${file} was written and not said`;
}

/** Compares what the analysis says of one line with what bash does with it. */
export async function compareLine(
  line: string,
  laboratory: Laboratory,
  specs: SpecLookup,
): Promise<{ why?: string; opaque: boolean; started: number }> {
  const state = sessionState({ cwd: laboratory.work, workspace: laboratory.work, home: '/home/ana' });
  const analysis = await createAnalyzer({ specs }).analyze(commandRequest(line), state, new AbortController().signal);
  if (isOpaque(analysis)) return { opaque: true, started: 0 };
  const { started, files } = await laboratory.run(line);
  const why =
    started.map(one => missing(analysis, one)).find(Boolean) ??
    files.map(file => unwritten(analysis, laboratory.work, file)).find(Boolean);
  return { opaque: false, started: started.length, ...(why !== undefined && { why }) };
}

export interface Lines {
  line(): string;
}

/** Runs `count` lines. Stops at ten misses. */
export async function runDifferential(options: { count: number; lines: Lines; specs: SpecLookup }): Promise<Tally> {
  using laboratory = new Laboratory();
  const misses: Miss[] = [];
  let [lines, started, opaque] = [0, 0, 0];
  while (lines < options.count && misses.length < 10) {
    const line = options.lines.line();
    const result = await compareLine(line, laboratory, options.specs);
    lines += 1;
    started += result.started;
    if (result.opaque) opaque += 1;
    if (result.why !== undefined) misses.push({ line, why: result.why });
  }
  return { lines, started, opaque, misses };
}
