// `npm run soak`: the long forms of the attacks, and 100,000 commands with faults on three footings.
//   COMMANDS=100000   commands in all (default), spread over the footings
//   MINUTES=60        stop early and say how far it came
//   SEED=1            for the order of commands and faults
//   ATTACKS=0         leave out the attack suite
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readlinkSync, rmSync, utimesSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const COMMANDS = Number(process.env.COMMANDS ?? 100_000);
const MINUTES = Number(process.env.MINUTES ?? 60);
const SEED = Number(process.env.SEED ?? 1);
const PROGRAM = resolve(import.meta.dirname, '../fixtures/attack/soak.mjs');
/** Hosts that are killed in the middle, on each footing. */
const KILLED = 10;

const SHARES = { pty: 0.5, pipes: 0.4, stateless: 0.1 };

/** Of the time that is left: what earlier footings did not need goes to the later ones. */
function shareOfRest(footing) {
  const names = Object.keys(SHARES);
  const rest = names.slice(names.indexOf(footing)).reduce((sum, name) => sum + SHARES[name], 0);
  return SHARES[footing] / rest;
}

const began = performance.now();
const leftMs = () => MINUTES * 60_000 - (performance.now() - began);
let failed = false;

function start(place, input) {
  const child = spawn(process.execPath, [PROGRAM, JSON.stringify(input)], {
    cwd: join(place, 'work'),
    env: {
      PATH: process.env.PATH,
      HOME: place,
      XDG_STATE_HOME: join(place, 'state'),
      XDG_CONFIG_HOME: join(place, 'config'),
      TMPDIR: place,
    },
    detached: true,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let text = '';
  child.stdout.setEncoding('utf8').on('data', piece => {
    text += piece;
  });
  const over = new Promise(done => child.once('exit', (code, signal) => done(code ?? signal)));
  return { child, over, text: () => text };
}

/** Processes that began in this directory. */
const livingIn = directory =>
  readdirSync('/proc').filter(pid => {
    try {
      return Number(pid) > 0 && readlinkSync(`/proc/${pid}/cwd`) === directory;
    } catch {
      return false;
    }
  });

/** What a killed host was making is swept once it is a minute old. */
function age(directory) {
  const then = Date.now() / 1000 - 120;
  for (const name of readdirSync(directory, { recursive: true })) utimesSync(join(directory, name), then, then);
}

async function isEmpty(directory) {
  for (let tries = 0; livingIn(directory).length > 0; tries += 1) {
    if (tries === 100) return false;
    await new Promise(later => setTimeout(later, 20));
  }
  return true;
}

async function soak(footing, commands) {
  const place = mkdtempSync(join(tmpdir(), 'shellgate-soak-'));
  const work = join(place, 'work');
  mkdirSync(work);
  try {
    for (let round = 0; round < KILLED; round += 1) {
      const { child, over, text } = start(place, { footing, commands: 1_000_000, seed: SEED + round, budgetMs: 60_000 });
      while (!text().includes('ready') && child.exitCode === null) await new Promise(later => setTimeout(later, 5));
      await new Promise(later => setTimeout(later, 50 + 40 * round));
      child.kill('SIGKILL');
      await over;
      child.stdout.destroy();
    }
    age(join(place, 'state'));
    const { over, text } = start(place, {
      footing,
      commands,
      seed: SEED,
      budgetMs: Math.max(leftMs() * shareOfRest(footing), 10_000),
    });
    const status = await over;
    const empty = await isEmpty(work);
    const seen = status === 0 ? JSON.parse(text().trimEnd().split('\n').at(-1)) : {};
    // Descriptors of Node itself may come and go by a few.
    const clean = empty && seen.files?.length === 0 && seen.descriptors <= 2;
    const rate = seen.ms === undefined ? '' : ` in ${(seen.ms / 1000).toFixed(1)} s`;
    console.log(
      `${footing}: ${seen.commands ?? 0} of ${commands} commands, ${seen.faults ?? 0} faults, ${KILLED} killed hosts${rate}: ` +
        (status === 0 && clean ? 'nothing lost, nothing left behind' : `FAILED (${JSON.stringify({ status, empty, ...seen })})`),
    );
    if (status !== 0 || !clean) failed = true;
  } finally {
    for (const pid of livingIn(work)) process.kill(Number(pid), 'SIGKILL');
    rmSync(place, { recursive: true, force: true });
  }
}

for (const [footing, share] of Object.entries(SHARES)) await soak(footing, Math.round(COMMANDS * share));

if (process.env.ATTACKS !== '0') {
  const vitest = resolve(import.meta.dirname, '../../node_modules/vitest/vitest.mjs');
  const attacks = spawn(process.execPath, [vitest, 'run', 'test/attack'], {
    cwd: resolve(import.meta.dirname, '../..'),
    env: { ...process.env, SHELLGATE_SOAK: '1' },
    stdio: 'inherit',
  });
  if ((await new Promise(done => attacks.once('exit', done))) !== 0) failed = true;
}
process.exitCode = failed ? 1 : 0;
