import { accessSync, constants } from 'node:fs';
import type { Command } from 'commander';
import { createAnalyzer } from '../../analysis/analyzer.js';
import { specs } from '../../analysis/specs/index.js';
import { verifyAudit } from '../../audit/verify.js';
import { ptySupport } from '../../executor/local/index.js';
import { loadPolicies, userFiles, userGrants } from '../../load-policies.js';
import { startProblems } from '../../mcp/start-safety.js';
import { currentDirectory, hasProc, privateDirectory, runtimeDirectory, stateDirectory } from '../../platform.js';
import { memoryGrants } from '../../policy/grants.js';
import { validatePolicy } from '../../policy/load.js';
import { shortPath } from '../banner.js';
import { allGates, closeAll } from '../gates.js';
import { openJudge } from '../judge.js';
import { EXIT, errorLines } from '../messages.js';
import { type CommonFlags, withJudgeOptions } from '../options.js';
import { print, tell } from '../output.js';
import { defaultAuditDirectory } from './audit.js';

interface Finding {
  readonly level: 'ok' | 'warn' | 'error';
  readonly about: string;
  readonly text: string;
}

export function register(program: Command): void {
  withJudgeOptions(program.command('doctor').description('what this machine gives, and what is wrong'))
    .option('--audit <dir>', 'directory of the log')
    .action(async (flags: CommonFlags) => {
      const findings: Finding[] = [];
      for (const [about, look] of LOOKS) findings.push(await examined(about, () => look(flags)));
      for (const { level, about, text } of findings) {
        if (flags.json) print({ level, about, text });
        else tell(` ${level.padEnd(6)}${about.padEnd(10)}${text}`);
      }
      if (findings.some(finding => finding.level === 'error')) process.exitCode = EXIT.no;
    });
}

type Look = (flags: CommonFlags) => Promise<Omit<Finding, 'about'>>;
const ok = (text: string) => ({ level: 'ok', text }) as const;
const warn = (text: string) => ({ level: 'warn', text }) as const;
const error = (text: string) => ({ level: 'error', text }) as const;

/** One line each; one that fails is an error line and the rest is still looked at. */
const LOOKS: readonly (readonly [string, Look])[] = [
  ['shell', shell],
  ['terminal', terminal],
  ['kill', kill],
  ['policy', policy],
  ['log', log],
  ['answers', answers],
  ['start', start],
  ['places', places],
];

async function examined(about: string, look: () => ReturnType<Look>): Promise<Finding> {
  try {
    return { about, ...(await look()) };
  } catch (problem) {
    const [said = ''] = errorLines(problem);
    return { about, ...error(said.replace(/^shellgate: /, '')) };
  }
}

async function shell(flags: CommonFlags): ReturnType<Look> {
  await using judge = await openJudge({ ...flags, policy: ['ask-all'] });
  const { analysis, evaluation } = await judge.judge('echo "$BASH_VERSION"');
  const agree = analysis.opaque.length === 0 && evaluation.decision === 'ask';
  const text = `${judge.shell.join(' ')}${agree ? '; parser and shell agree' : ''}`;
  return agree ? ok(text) : warn(`${text}; parser and shell disagree: every line will be asked about`);
}

async function terminal(): ReturnType<Look> {
  const { available, reason } = ptySupport();
  return available ? ok('pty (prebuilt); without it: pipes, no tty commands') : warn(`pipes only, no tty commands: ${reason}`);
}

async function kill(): ReturnType<Look> {
  return hasProc
    ? ok('/proc scan by session, descent, marker and start time; `env -i` with a double fork can escape')
    : warn('no /proc: descendants by ps only; processes that detach can escape a deadline');
}

/** Rules are in force in a place that is gone, too. */
function here(): string {
  try {
    return currentDirectory();
  } catch {
    return '/';
  }
}

async function policy(flags: CommonFlags): ReturnType<Look> {
  const { policy: loaded, problems } = await validatePolicy({
    files: userFiles(flags.policy),
    analyzer: createAnalyzer({ specs }),
  });
  if (!loaded) return error(`${problems.length} problems; see shellgate policy check`);
  const { inForce } = await loadPolicies({
    sources: flags.policy,
    workspace: flags.cwd ?? here(),
    analyzer: createAnalyzer({ specs }),
    grants: memoryGrants(),
  });
  return ok(`${inForce.names.join(' + ')}: ${inForce.parts.rules.length} rules, ${loaded.examples} examples of yours passed`);
}

async function log(flags: CommonFlags): ReturnType<Look> {
  const directory = flags.audit ?? defaultAuditDirectory();
  privateDirectory(directory);
  accessSync(directory, constants.W_OK);
  const { intact, chains, records, problems } = await verifyAudit(directory);
  const where = shortPath(directory);
  return intact ? ok(`${where} writable, ${chains} chains, ${records} records intact`) : error(`${where}: ${problems[0]?.text}`);
}

async function answers(): ReturnType<Look> {
  const gates = await allGates();
  closeAll(gates);
  const where = shortPath(privateDirectory(runtimeDirectory()));
  return ok(`questions can be answered from elsewhere (${where}); ${gates.length} gates are open now`);
}

/** What would let somebody else's code run as shellgate. The rest is still looked at. */
async function start({ cwd }: CommonFlags): ReturnType<Look> {
  const programs = [process.argv[1] ?? '', process.execPath];
  const problems = startProblems({ programs, workspace: cwd ?? currentDirectory(), env: process.env });
  return problems.length === 0 ? ok('shellgate itself lies outside of the workspace') : error(problems.join('; '));
}

async function places(): ReturnType<Look> {
  return ok(`state in ${shortPath(privateDirectory(stateDirectory()))}, ${userGrants().list().length} remembered answers`);
}
