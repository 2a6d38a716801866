// One table from one run: what the product costs beside the least that is possible, and beside peers.
// `npm run bench` builds first; `npm run bench:peers` installs the peers. Figures are of this machine and this moment.
import { execFileSync } from 'node:child_process';
import { existsSync, fdatasyncSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { cpus, release, tmpdir } from 'node:os';
import { join } from 'node:path';
import { clients } from './clients.mjs';
import * as floor from './contestants/floor.mjs';
import * as freshBash from './contestants/fresh-bash.mjs';
import * as gated from './contestants/gated.mjs';
import * as sessionOnly from './contestants/session-only.mjs';
import { interleave, median, table } from './measure.mjs';
import { tools } from './tools.mjs';
import { verdicts } from './verdicts.mjs';

const ROUNDS = Number(process.env.ROUNDS ?? 400);
const directory = mkdtempSync(join(process.env.BENCH_DIR ?? tmpdir(), 'shellgate-bench-'));
process.env.XDG_STATE_HOME = directory;
process.env.XDG_CONFIG_HOME = join(directory, 'config');

const contestants = { floor, 'session only': sessionOnly, 'gated, durable log': gated, 'fresh bash -c': freshBash };
const missing = [];
for (const [name, file, part] of [
  ['peer: anthropic BashSession', 'anthropic-bash-session', '@anthropic-ai/sdk'],
  ['peer: gemini shell service', 'gemini-shell-service', '@google/gemini-cli-core'],
]) {
  if (!existsSync(new URL(`peers/node_modules/${part}`, import.meta.url))) {
    missing.push(`${name}: not installed (npm run bench:peers)`);
    continue;
  }
  try {
    const contestant = await import(`./contestants/${file}.mjs`);
    const trial = await contestant.open({ directory });
    await trial.run('true');
    await trial.close();
    contestants[name] = contestant;
  } catch (error) {
    missing.push(`${name}: does not run here: ${error.message.split('\n')[0]}`);
  }
}

const bash = execFileSync('bash', ['-c', 'echo $BASH_VERSION']).toString().trim();
console.log(
  `node ${process.version}, bash ${bash}, linux ${release()}, ${cpus().length} cores, ${ROUNDS} rounds, taking turns\n`,
);

const open = {};
for (const [name, contestant] of Object.entries(contestants)) open[name] = await contestant.open({ directory });
const running = text => Object.fromEntries(Object.entries(open).map(([name, { run }]) => [name, () => run(text)]));

const trueRuns = await interleave(running('true'), ROUNDS);
console.log(table('`true`', trueRuns, 'floor'));

const query = { names: ['true'], variables: ['PATH'], paths: [], hashes: [], text: '' };
const fd = openSync(join(directory, 'fdatasync'), 'w');
const record = 'x'.repeat(2_000);
const pieces = await interleave(
  {
    'facts round trip': () => open['session only'].facts(query),
    fdatasync: () => {
      writeSync(fd, record);
      fdatasyncSync(fd);
    },
  },
  ROUNDS,
);
console.log(`\n${table('pieces of the gated way', pieces, 'fdatasync')}`);

const fromStart = contestant => async () => {
  const opened = await contestant.open({ directory });
  await opened.run('true');
  await opened.close();
};
const starts = await interleave(
  {
    'fresh bash -c': () => open['fresh bash -c'].run('true'),
    ...Object.fromEntries(
      Object.entries(contestants)
        .filter(([name]) => name !== 'fresh bash -c')
        .map(([name, contestant]) => [name, fromStart(contestant)]),
    ),
  },
  Math.min(60, ROUNDS),
  3,
);
console.log(`\n${table('session start, first result, close', starts, 'fresh bash -c')}`);

const BIG = 'yes 0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcde | head -c 200000000';
const { floor: _uncaptured, ...capturing } = running(BIG);
const outputs = await interleave(
  { 'child_process to a file': () => freshBash.toFile(BIG, join(directory, 'big')), ...capturing },
  5,
  1,
);
console.log(`\n${table('200 MB of output', outputs, 'child_process to a file')}`);

await tools({ directory, rounds: ROUNDS });
await clients({ directory, rounds: ROUNDS });
const judged = await verdicts({ directory, rounds: ROUNDS });
missing.push(...judged.missing);

const sessionMs = median(trueRuns['session only']);
const goal = (text, ratio, limit) =>
  console.log(`  ${ratio <= limit ? 'met   ' : 'missed'} ${text}: ${ratio.toFixed(2)} (goal ${limit})`);
console.log('\ngoals');
goal('session only / floor', sessionMs / median(trueRuns.floor), 1.5);
goal(
  'gated / (session + facts round trip + fdatasync)',
  median(trueRuns['gated, durable log']) / (sessionMs + median(pieces['facts round trip']) + median(pieces.fdatasync)),
  1.5,
);
goal('session start / `bash -c true`', median(starts['session only']) / median(starts['fresh bash -c']), 3);
goal(
  '200 MB gated with spool / child_process to a file',
  median(outputs['gated, durable log']) / median(outputs['child_process to a file']),
  1,
);
goal('verdict without file facts / parse alone', judged.ratio, 5);
for (const line of missing) console.log(`  absent ${line}`);

for (const { close } of Object.values(open)) await close();
rmSync(directory, { recursive: true, force: true });
process.exit(0); // a peer may keep a handle open
