// What many idle sessions cost, and what one that floods does to the others. `npm run build` first.
//   SESSIONS=200   idle ones
//   FLOOD=60       seconds of `yes`
//   RATIO=2        the most that a flood may make of another session's p95 (exit status 1 above it)
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createGate } from '../dist/index.js';
import { median, quantile, time } from './measure.mjs';

const SESSIONS = Number(process.env.SESSIONS ?? 200);
const FLOOD_S = Number(process.env.FLOOD ?? 60);
const RATIO = Number(process.env.RATIO ?? 2);
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

async function rounds(session, ms) {
  const samples = [];
  for (const end = performance.now() + ms; performance.now() < end; ) {
    samples.push(
      await time(async () => {
        const result = await session.run('true');
        if (result.exitCode !== 0) throw new Error(`a command beside the flood failed: ${JSON.stringify(result)}`);
      }),
    );
    await new Promise(later => setTimeout(later, 5));
  }
  return samples;
}

async function flood() {
  const [session, flooding] = [await gate.openSession(), await gate.openSession()];
  await rounds(session, 500);
  const quiet = await rounds(session, Math.min(FLOOD_S * 1000, 10_000));
  const running = flooding.start('yes', { timeoutMs: FLOOD_S * 1000 });
  const loud = await rounds(session, FLOOD_S * 1000 - 200);
  const result = await running.result;
  const failure = await gate.about.auditFailure();
  const ratio = quantile(loud, 0.95) / quantile(quiet, 0.95);
  console.log(
    `\n\`yes\` for ${FLOOD_S} s: ${(result.stdout.bytes / 1e9).toFixed(2)} GB, ${result.outcome}, shell ${result.shell}`,
  );
  for (const [name, samples] of Object.entries({ quiet, beside: loud })) {
    console.log(
      `  \`true\` ${name.padEnd(8)} median ${median(samples).toFixed(2)} ms, p95 ${quantile(samples, 0.95).toFixed(2)} ms (n=${samples.length})`,
    );
  }
  console.log(`  ${ratio <= RATIO ? 'met   ' : 'missed'} p95 beside the flood / quiet: ${ratio.toFixed(2)} (goal ${RATIO})`);
  console.log(
    `  ${failure === undefined ? 'met   ' : 'missed'} the log is writable${failure === undefined ? '' : `: ${failure}`}`,
  );
  if (ratio > RATIO || failure !== undefined) process.exitCode = 1;
}

await idle();
await flood();
await gate.close();
rmSync(directory, { recursive: true, force: true });
