import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import type { CapturePair, Channel, ChannelSpec, Executor, ProcessTree } from '../../src/contract/executor.js';

/** How a command ended, and what it wrote until then. */
export interface Seen {
  readonly status: number;
  readonly out: Buffer;
  readonly err: Buffer;
  /** Outputs that a background process still has open; what it writes later comes to `late`. */
  readonly held: readonly ('out' | 'err')[];
  readonly late: { out: string; err: string };
  readonly pair: CapturePair;
  readonly tree: ProcessTree;
}

export interface Started {
  readonly chunks: { readonly out: Uint8Array[]; readonly err: Uint8Array[] };
  readonly tree: ProcessTree;
  readonly pair: CapturePair;
  /** Never settles when the shell ends first. */
  readonly result: Promise<Seen>;
}

interface CommandOptions {
  readonly stdin?: Uint8Array;
  readonly recordChildren?: boolean;
}

const ARGV = ['/bin/bash', '--noprofile', '--norc', '--noediting', '-p', '-i'];
const BOOT = '\\builtin unset -v PROMPT_COMMAND PS0 PS1 PS2;\\builtin set +H +m +o history;';
const FRAME = /\u001e([0-9a-f]{24})\0(\d+)\0\1\0/;

/** The least that drives a real bash over a Channel: no session, no family, no fallback line. */
export class TinyShell {
  readonly channel: Channel;
  readonly #waiting = new Map<string, (status: number) => void>();
  readonly #session = randomBytes(8).toString('hex');
  #commands = 0;
  #unread = '';

  private constructor(channel: Channel) {
    this.channel = channel;
    channel.control.onData(bytes => this.#read(Buffer.from(bytes).toString('latin1')));
    channel.stray.onData(() => {});
  }

  static async open(executor: Executor, spec: Partial<ChannelSpec> = {}): Promise<TinyShell> {
    const shell = new TinyShell(
      await executor.open({ argv: ARGV, cwd: '/', env: { PATH: '/usr/bin:/bin' }, size: { cols: 80, rows: 24 }, ...spec }),
    );
    await shell.sync(BOOT);
    return shell;
  }

  /** Let the shell read `line` as it stands and tell the status that it left. */
  sync(line: string): Promise<number> {
    const { report, told } = this.#report();
    this.channel.commands.write(`${line}${report}\n`);
    return told;
  }

  async run(text: string, options: CommandOptions = {}): Promise<Seen> {
    return (await this.start(text, options)).result;
  }

  async start(text: string, { stdin, recordChildren = false }: CommandOptions = {}): Promise<Started> {
    const pair = await this.channel.capture(stdin);
    const chunks: Started['chunks'] = { out: [], err: [] };
    pair.out.onData(bytes => void chunks.out.push(bytes));
    pair.err.onData(bytes => void chunks.err.push(bytes));
    const marker = `${this.#session}.${++this.#commands}`;
    const tree = this.channel.processes(marker, recordChildren);
    const opened = pair.in && this.#report();
    void opened?.told.then(() => pair.in?.opened());
    const quoted = text.replaceAll("'", "'\\''");
    const told = this.sync(
      `\\builtin export SHELLGATE_COMMAND=${marker};{ ${opened ? `${opened.report};` : ''}` +
        `\\builtin eval '${quoted}' >${pair.out.path} 2>${pair.err.path}; } <${pair.in?.path ?? '/dev/null'};`,
    );
    const late = { out: '', err: '' };
    const finished = async (status: number): Promise<Seen> => {
      const { held } = await pair.finish((stream, bytes) => {
        late[stream] += Buffer.from(bytes).toString();
      });
      return { status, out: Buffer.concat(chunks.out), err: Buffer.concat(chunks.err), held, late, pair, tree };
    };
    return { chunks, tree, pair, result: told.then(finished) };
  }

  #report(): { readonly report: string; readonly told: Promise<number> } {
    const nonce = randomBytes(12).toString('hex');
    const told = new Promise<number>(resolve => this.#waiting.set(nonce, resolve));
    return { report: `\\builtin printf '%s\\0' $'\\036'${nonce} "$?" ${nonce};\\builtin unset -v SHELLGATE_COMMAND`, told };
  }

  #read(text: string): void {
    this.#unread += text;
    for (let frame = FRAME.exec(this.#unread); frame; frame = FRAME.exec(this.#unread)) {
      const [whole, nonce, status] = frame as unknown as [string, string, string];
      this.#unread = this.#unread.slice(frame.index + whole.length);
      this.#waiting.get(nonce)?.(Number(status));
      this.#waiting.delete(nonce);
    }
  }
}

/** `pid command line` of every process but this one whose command line holds `needle`. The dead have none. */
export function processesWith(needle: string): string[] {
  return readdirSync('/proc').flatMap(entry => {
    if (!/^\d+$/.test(entry) || Number(entry) === process.pid) return [];
    try {
      const line = readFileSync(`/proc/${entry}/cmdline`, 'utf8').replaceAll('\0', ' ');
      return line.includes(needle) ? [`${entry} ${line}`] : [];
    } catch {
      return [];
    }
  });
}

export const isRunning = (needle: string): boolean => processesWith(needle).length > 0;
