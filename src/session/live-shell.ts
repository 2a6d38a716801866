import { ShellgateError } from '../contract/error.js';
import type { Channel, ChannelSpec, Executor } from '../contract/executor.js';
import type { Process } from '../contract/result.js';
import type { RawReport, Report, ShellFamily } from '../contract/shell-family.js';
import { latch, within } from './clock.js';
import { type Control, createControl } from './control.js';
import { nonce } from './nonce.js';

const BOOT_MS = 10_000;
const ENTER_MS = 1_000;
/** As the executor says it of a process that would swallow what is sent next. */
export const READS_COMMANDS = 'reads the command stream';
const SYNC_MS = 2_000;
/** From fork to exec. */
const FORK_MS = 10;
/** How long a turn waits for the account that the shell gives of itself after a command. */
const ACCOUNT_MS = 1_000;

export interface Place {
  readonly path: string;
  readonly id: string;
}

export interface Ended {
  readonly exitCode?: number;
  readonly signal?: string;
}

/** One shell that speaks: its channel, its reports, and what it last said of itself. Owned by one session. */
export interface LiveShell {
  readonly channel: Channel;
  readonly family: ShellFamily;
  readonly control: Control;
  /** A new SHELLGATE_COMMAND: no other command of any shell has it. */
  nextId(): string;
  readonly last: Pick<Report, 'status' | 'flags' | 'aliases' | 'background'>;
  /** Why its words may not mean what they say, or undefined. */
  readonly taint: string | undefined;
  /** Set once the process is gone. */
  readonly ended: Ended | undefined;
  readonly closed: Promise<Ended>;
  /** Terminal size of its commands. */
  readonly size: ChannelSpec['size'];
  resize(cols: number, rows: number): void;
  /** No further command, or no further one on the terminal, before this has settled. */
  hold(work: Promise<unknown>): void;
  holdTerminal(work: Promise<unknown>): void;
  terminalFree(): Promise<unknown>;
  /** false as soon as the kernel knows it dead, which may be long before its streams have ended. Takes its place down. */
  isAlive(): boolean;
  /** Where it was when it was last seen alive, as the kernel has it: path and `dev:ino`. */
  readonly place: Place | undefined;
  /** The same without a system call where the shell's own word for it, from its report, did not change since. */
  directory(reported: string | undefined): string | undefined;
  /** The flags it began with. */
  booted(flags: string): void;
  /** What it exports, in its own listing, as of the turn that goes on; undefined when it was not asked. */
  readonly exported: string | undefined;
  exports(listing: string | undefined): void;
  /** Take over what a command's report says. */
  reported(report: Report): void;
  /** The lineage record with this nonce belongs to the last command. */
  expectAccount(nonce: string): void;
  /** Resolves when the shell has given its account after the last command, or could not. */
  account(): Promise<void>;
  /** Forks of the shell that still hold its streams, as of this turn; not its own, which run nothing but the protocol. */
  forks(): Promise<readonly Process[]>;
  /** This pid is a fork that reports a background command's end. Returns what takes it back. */
  ownFork(pid: number): () => void;
  /** Go to a directory. false: it could not be entered. */
  enter(directory: string): Promise<boolean>;
  /** One empty round trip. false: no answer within `ms`. */
  sync(ms: number): Promise<boolean>;
  /** What traps wrote between commands since this was last read. */
  stray(): string;
}

export interface StartOptions {
  readonly executor: Executor;
  readonly family: ShellFamily;
  readonly spec: ChannelSpec;
}

/**
 * Opens a channel and makes its shell fit for the protocol. Errors: `SHELL_UNAVAILABLE` (did not start or answer),
 * `SHELL_TOO_OLD`; what the executor throws.
 */
export async function startShell({ executor, family, spec }: StartOptions, signal?: AbortSignal): Promise<LiveShell> {
  const channel = await executor.open({ ...spec, argv: family.argv(spec.argv) }, signal);
  channel.stray.onData(() => {}); // the shell's own diagnostics and prompts: drained, never shown
  const shell = createLiveShell(channel, family, spec.size);
  const boot = nonce();
  const answer = latch<RawReport | undefined>();
  shell.control.expect(boot, answer.resolve);
  void shell.closed.then(() => answer.resolve(undefined));
  channel.commands.write(family.boot(boot));
  const came = await within(BOOT_MS, answer.promise);
  const report = came ? await answer.promise : undefined;
  if (report) shell.booted(report.fields[1] ?? '');
  const problem = report ? tooOld(family, report.fields[0]) : unavailable(spec, shell.ended);
  if (!problem && shell.isAlive()) return shell;
  await channel.close();
  throw problem ?? unavailable(spec, shell.ended);
}

function createLiveShell(channel: Channel, family: ShellFamily, openedSize: ChannelSpec['size']): LiveShell {
  let stray = '';
  let ended: Ended | undefined;
  let last: LiveShell['last'] = { status: 0, flags: '', aliases: false, background: '' };
  let taint: string | undefined;
  let unheard: { readonly of: string; readonly heard: Promise<void> } | undefined;
  let commands = 0;
  let size = openedSize;
  let forks: readonly Process[] = [];
  let robbed = false;
  const own = new Set<number>();
  /** The look after a command waits for a moment when nobody waits for a result. */
  let look: NodeJS.Immediate | undefined;
  const held: { shell?: Promise<unknown>; terminal: Promise<unknown> } = { terminal: Promise.resolve() };
  let place: Place | undefined;
  let exported: string | undefined;
  let said: string | undefined;
  const mark = nonce().slice(0, 16);
  const control = createControl(family, channel.control, text => {
    if (stray.length < 4096) stray += text.slice(0, 4096);
  });
  const closed = channel.closed.then(how => {
    ended = how;
    return how;
  });
  const live: LiveShell = {
    channel,
    family,
    control,
    closed,
    get size() {
      return size;
    },
    resize(cols, rows) {
      size = { cols, rows };
      channel.terminal?.resize(cols, rows);
    },
    hold(work) {
      held.shell = settled(work);
    },
    holdTerminal(work) {
      held.terminal = settled(work);
    },
    terminalFree: () => held.terminal,
    isAlive() {
      if (ended) return false;
      place = channel.shell.cwd();
      return place !== undefined || channel.shell.state() !== 'gone';
    },
    get place() {
      return place;
    },
    directory(reported) {
      if (ended) return undefined;
      if (reported === undefined || reported !== said || !place) place = channel.shell.cwd();
      said = reported;
      return place?.path ?? reported;
    },
    nextId: () => `${mark}.${++commands}`,
    get last() {
      return last;
    },
    get taint() {
      return taint;
    },
    get ended() {
      return ended;
    },
    get exported() {
      return exported;
    },
    exports(listing) {
      exported = listing;
    },
    booted(flags) {
      last = { ...last, flags };
    },
    reported({ status, flags, aliases, background }) {
      last = { status, flags, aliases, background };
      exported = undefined;
      look ??= setImmediate(() => {
        look = undefined;
        forks = ended ? [] : channel.shell.holders();
      });
    },
    expectAccount(of) {
      if (unheard) control.forget(unheard.of);
      const heard = latch<void>();
      taint = 'the shell gave no account of itself after the last command';
      control.expect(of, raw => {
        taint = family.lineage(raw);
        unheard = undefined;
        heard.resolve();
      });
      unheard = { of, heard: heard.promise };
    },
    async account() {
      if (held.shell) await held.shell;
      delete held.shell;
      if (unheard && !ended) await within(ACCOUNT_MS, Promise.race([unheard.heard, closed]));
    },
    async forks() {
      if (look) clearImmediate(look);
      else if (forks.length === 0) return [];
      look = undefined;
      forks = channel.shell.holders();
      if (forks.some(holder => !own.has(holder.pid))) {
        // A fork on its way to become a program looks the same for a moment.
        await new Promise(resolve => setTimeout(resolve, FORK_MS));
        forks = channel.shell.holders();
      }
      const foreign = forks.filter(holder => !own.has(holder.pid));
      if (foreign.some(holder => holder.reason === READS_COMMANDS)) robbed = true;
      else if (robbed) {
        // A part of a line may be gone and leave a quote open: then the shell would take the next one for a string.
        robbed = false;
        if (!(await this.sync(SYNC_MS))) {
          channel.shell.signal('SIGKILL', 'shell');
          await closed;
        }
      }
      return foreign;
    },
    ownFork(pid) {
      own.add(pid);
      return () => void own.delete(pid);
    },
    async enter(directory) {
      channel.commands.write(family.enter(directory));
      if (!(await live.sync(ENTER_MS))) return false;
      place = channel.shell.cwd();
      return place?.path === directory;
    },
    async sync(ms) {
      const heard = latch<unknown>();
      const asked: string[] = [];
      for (let left = ms; left > 0 && !ended; left -= 50) {
        const of = nonce();
        asked.push(of);
        control.expect(of, heard.resolve);
        channel.commands.write(family.sync(of));
        if (await within(Math.min(50, left), Promise.race([heard.promise, closed]))) break;
      }
      for (const of of asked) control.forget(of);
      return !ended && (await within(0, heard.promise));
    },
    stray() {
      const text = stray;
      stray = '';
      return text;
    },
  };
  return live;
}

const settled = (work: Promise<unknown>): Promise<unknown> => work.catch(() => {});

function unavailable(spec: ChannelSpec, ended: Ended | undefined): ShellgateError {
  const how = ended ? `ended at once (${ended.signal ?? `status ${ended.exitCode}`})` : 'did not answer within 10 s';
  return new ShellgateError('SHELL_UNAVAILABLE', `the shell ${spec.argv[0]} ${how}; run it by hand to see why`);
}

function tooOld(family: ShellFamily, version = ''): ShellgateError | undefined {
  const least = family.minimumVersion;
  if (least === undefined) return undefined;
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [leastMajor = 0, leastMinor = 0] = least.split('.').map(Number);
  if (major > leastMajor || (major === leastMajor && minor >= leastMinor)) return undefined;
  const message = `${family.name} ${version || 'of unknown version'} is too old; shellgate needs ${least} or newer (--shell)`;
  return new ShellgateError('SHELL_TOO_OLD', message);
}
