// What many idle sessions cost, and what one that floods does to the others. `npm run build` first.
//   SESSIONS=200   idle ones
//   FLOOD=60       seconds of `yes`
//   RATIO=2        the most that a flood may make of another session's p95 (exit status 1 above it)
import { spawn } from 'node:child_process';
import { createWriteStream, fdatasync, mkdtempSync, openSync, readdirSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createGate } from '../dist/index.js';
import * as floor from './contestants/floor.mjs';
import { median, quantile, time } from './measure.mjs';

const SESSIONS = Number(process.env.SESSIONS ?? 200);
const FLOOD_S = Number(process.env.FLOOD ?? 60);
const RATIO = Number(process.env.RATIO ?? 2);
/** As long as what the log keeps of one `true`. */
const RECORD = 'x'.repeat(2_000);
/** What a command's spool takes. */
const FLOOR_BYTES = 2 ** 30;
const directory = mkdtempSync(join(process.env.BENCH_DIR ?? tmpdir(), 'shellgate-bench-'));
process.env.XDG_STATE_HOME = directory;
process.env.XDG_CONFIG_HOME = join(directory, 'config');

const field = (file, name) =>
  Number(new RegExp(`^${name}:\\s*(\\d+) kB`, 'm').exec(readFileSync(file, 'utf8'))?.[1] ?? Number.NaN);
const descriptors = pid => readdirSync(`/proc/${pid}/fd`).length;
const rss = () => {
  globalThis.gc?.();
  return field('/proc/self/status', 'VmRSS') / 1024;
};

const gate = await createGate({
  policy: 'read-only',
  audit: join(directory, 'audit'),
  cwd: directory,
  env: 'clean',
  maxSessions: SESSIONS + 8,
  onAsk: 'allow',
  acknowledgeUnsafe: true,
});

async function idle() {
  const before = { rss: rss(), descriptors: descriptors('self') };
  const sessions = [];
  const shells = [];
  for (let n = 0; n < SESSIONS; n += 1) {
    const session = await gate.openSession();
    sessions.push(session);
    shells.push((await session.run('echo $$')).stdout.text.trim());
  }
  await new Promise(later => setTimeout(later, 500));
  const after = { rss: rss(), descriptors: descriptors('self') };
  console.log(`${SESSIONS} idle sessions, ${gate.about.footing}`);
  console.log(
    `  host memory (RSS)        ${before.rss.toFixed(1)} -> ${after.rss.toFixed(1)} MB, ${(((after.rss - before.rss) * 1024) / SESSIONS).toFixed(0)} KB a session`,
  );
  console.log(
    `  host descriptors         ${before.descriptors} -> ${after.descriptors}, ${((after.descriptors - before.descriptors) / SESSIONS).toFixed(1)} a session`,
  );
  console.log(
    `  shell memory, each       RSS ${median(shells.map(pid => field(`/proc/${pid}/status`, 'VmRSS')))} KB, PSS ${median(shells.map(pid => field(`/proc/${pid}/smaps_rollup`, 'Pss')))} KB`,
  );
  console.log(`  shell descriptors, each  ${median(shells.map(descriptors))}`);
  await Promise.all(sessions.map(session => session.close()));
}

/** Commands one after another, as somebody types them. `run` throws when one did not do what it should. */
async function rounds(run, ms) {
  const samples = [];
  for (const end = performance.now() + ms; performance.now() < end; ) {
    samples.push(await time(run));
    await new Promise(later => setTimeout(later, 5));
  }
  return samples;
}

const p95 = samples => quantile(samples, 0.95);
const figures = samples => `median ${median(samples).toFixed(2)} ms, p95 ${p95(samples).toFixed(2)} ms (n=${samples.length})`;

/** What `begin` starts, beside commands of `run`: the ratio of their p95 to that without it. */
async function beside(name, { run, begin }) {
  await rounds(run, 500);
  const quiet = await rounds(run, Math.min(FLOOD_S * 1000, 10_000));
  const end = begin();
  const loud = await rounds(run, FLOOD_S * 1000 - 200);
  const what = await end();
  const ratio = p95(loud) / p95(quiet);
  console.log(`\n\`yes\` for ${FLOOD_S} s, ${name}: ${what}`);
  console.log(`  \`true\` quiet    ${figures(quiet)}\n  \`true\` beside   ${figures(loud)}`);
  return ratio;
}

/** The least anybody does: a bash on pipes and a durable line a command, beside a `yes` that is read into a file. */
async function floorFlood() {
  const bash = await floor.open();
  const log = openSync(join(directory, 'floor.log'), 'w');
  const durable = promisify(fdatasync);
  const ratio = await beside('the floor', {
    async run() {
      writeSync(log, RECORD);
      await durable(log);
      await bash.run('true');
    },
    begin() {
      const yes = spawn('yes', { stdio: ['ignore', 'pipe', 'ignore'] });
      const file = createWriteStream(join(directory, 'floor.out'));
      let bytes = 0;
      yes.stdout.on('data', piece => {
        bytes += piece.length;
        if (bytes > FLOOR_BYTES || file.write(piece)) return;
        yes.stdout.pause();
        file.once('drain', () => yes.stdout.resume());
      });
      return async () => {
        yes.kill('SIGKILL');
        await new Promise(done => file.end(done));
        return `${(bytes / 1e9).toFixed(2)} GB`;
      };
    },
  });
  await bash.close();
  console.log(`         p95 beside the flood / quiet: ${ratio.toFixed(2)}`);
}

async function flood(name, options) {
  const [session, flooding] = [await gate.openSession(), await gate.openSession()];
  const ratio = await beside(name, {
    async run() {
      const result = await session.run('true');
      if (result.exitCode !== 0) throw new Error(`a command beside the flood failed: ${JSON.stringify(result)}`);
    },
    begin() {
      const { result } = flooding.start('yes', { ...options, timeoutMs: FLOOD_S * 1000 });
      return async () => {
        const { stdout, outcome, shell } = await result;
        return `${(stdout.bytes / 1e9).toFixed(2)} GB, ${outcome}, shell ${shell}`;
      };
    },
  });
  const failure = await gate.about.auditFailure();
  console.log(`  ${ratio <= RATIO ? 'met   ' : 'missed'} p95 beside the flood / quiet: ${ratio.toFixed(2)} (goal ${RATIO})`);
  console.log(
    `  ${failure === undefined ? 'met   ' : 'missed'} the log is writable${failure === undefined ? '' : `: ${failure}`}`,
  );
  if (ratio > RATIO || failure !== undefined) process.exitCode = 1;
  await Promise.all([session.close(), flooding.close()]);
}

await idle();
await floorFlood();
await flood('captured', {});
if (gate.about.footing === 'pty') await flood('on a terminal', { tty: true });
await gate.close();
rmSync(directory, { recursive: true, force: true });
