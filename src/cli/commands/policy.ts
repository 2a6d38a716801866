import { readFileSync, writeFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join, resolve } from 'node:path';
import { type Command, Option } from 'commander';
import { z } from 'zod';
import { createAnalyzer } from '../../analysis/analyzer.js';
import { specs } from '../../analysis/specs/index.js';
import { ShellgateError } from '../../contract/error.js';
import type { Rule } from '../../contract/policy.js';
import { commandTextSchema } from '../../contract/request.js';
import { visible } from '../../contract/visible.js';
import { projectPolicyPath, userFiles, userTrust } from '../../load-policies.js';
import { configDirectory, currentDirectory, privateDirectory } from '../../platform.js';
import { validatePolicy } from '../../policy/load.js';
import { PROFILES, type Profile, profilePath } from '../../policy/policy-file.js';
import { bodyOf, type PolicyProblem, placeOf } from '../../policy/problem.js';
import { type Judge, openJudge } from '../judge.js';
import { EXIT } from '../messages.js';
import { type CommonFlags, withJudgeOptions } from '../options.js';
import { print, say, tell } from '../output.js';
import { registerSuggest } from '../policy-suggest.js';
import { type InvalidLine, invalidBy, type RequestLine, requestLines } from '../request-lines.js';
import { type Judgement, judgement } from '../wire.js';

interface Flags extends CommonFlags {
  readonly batch?: boolean;
  readonly exitCode?: boolean;
}

const lineSchema = z.strictObject({
  id: z.union([z.string(), z.number()]).optional(),
  command: commandTextSchema,
  cwd: z.string().min(1).optional(),
  stdin: z.string().optional(),
  shell: z.string().min(1).optional(),
});

export function register(program: Command): void {
  const policy = program.command('policy').description('the rules');
  withJudgeOptions(policy.command('check').description('are the policy files right? with a command: what is its verdict?'))
    .argument('[command]', 'a command line, as one argument')
    .option('--batch', 'commands as JSON lines on stdin: {"id"?, "command", "cwd"?, "stdin"?, "shell"?}')
    .addOption(new Option('--exit-code', 'exit 1 unless every command is allowed'))
    .action(async (text: string | undefined, flags: Flags) => {
      if (text !== undefined) await checkLines(one(text), flags);
      else if (flags.batch) await checkLines(requestLines(lineSchema), flags);
      else await checkFiles(flags);
    });
  policy
    .command('trust')
    .description("let a project's own policy count in full, as it is now")
    .argument('[file]', 'default: .shellgate/policy.toml of this directory')
    .option('--revoke', 'trust it no longer')
    .action(trust);
  policy
    .command('init')
    .description('write a policy of your own to start from')
    .argument('[profile]', 'the shipped profile to copy', 'read-only')
    .action(init);
  withJudgeOptions(policy.command('test').description("run every rule's examples and print each with its verdict")).action(
    (flags: Flags) => checkFiles(flags, 'every example'),
  );
  registerSuggest(policy);
}

const one = (command: string) => [{ id: 1, request: { command } }];

async function checkFiles(flags: Flags, show: 'problems' | 'every example' = 'problems'): Promise<void> {
  const files = userFiles(flags.policy);
  const report = await validatePolicy({ files, analyzer: createAnalyzer({ specs }) });
  if (flags.json) print(report);
  else {
    if (show === 'every example') {
      for (const { file, rule, list, text, decision, agrees } of report.examples) {
        tell(`${agrees ? 'ok  ' : 'FAIL'} ${file} ${rule} ${list.padEnd(9)} ${decision.padEnd(5)} ${visible(text)}`);
      }
    }
    for (const problem of report.problems) say(problemLine(problem));
    if (report.policy) {
      const { names, rules, examples } = report.policy;
      tell(`${names.join(', ')}: ${rules.length} rules, ${examples} examples passed`);
    } else say(`${report.problems.length} ${report.problems.length === 1 ? 'problem' : 'problems'}; nothing was loaded.`);
  }
  if (!report.policy) process.exitCode = EXIT.failure;
}

type Line = RequestLine<z.infer<typeof lineSchema>>;

async function checkLines(lines: AsyncIterable<Line> | readonly Line[], flags: Flags): Promise<void> {
  await using judge = await openJudge(flags);
  for await (const line of lines) {
    const judged = 'outcome' in line ? line : await judgedLine(judge, line);
    print(judged);
    if (flags.exitCode && (!('decision' in judged) || judged.decision !== 'allow')) process.exitCode = EXIT.no;
  }
}

async function judgedLine(judge: Judge, { id, request }: Exclude<Line, InvalidLine>): Promise<InvalidLine | Judgement> {
  const { command, ...where } = request;
  try {
    const { analysis, evaluation } = await judge.judge(command, where);
    return judgement({ id }, analysis, evaluation);
  } catch (error) {
    return invalidBy(error, id);
  }
}

async function trust(file: string | undefined, { revoke }: { revoke?: boolean }): Promise<void> {
  const path = resolve(file ?? projectPolicyPath(currentDirectory()));
  if (revoke) {
    if (await userTrust().distrust(path)) {
      tell(`${path} is trusted no longer; its allows do not count, its other rules do.`);
      return;
    }
    say(`shellgate: NOT_TRUSTED ${path}  it was not trusted; nothing changed.`);
    process.exitCode = EXIT.no;
    return;
  }
  const { policy, problems } = await validatePolicy({ files: [path], analyzer: createAnalyzer({ specs }) });
  if (problems.some(({ code }) => code !== 'POLICY_UNREADABLE')) {
    for (const problem of problems) say(problemLine(problem));
    say('Nothing is trusted: what cannot be loaded cannot count.');
    process.exitCode = EXIT.failure;
    return;
  }
  const { sha256 } = await userTrust().trust(path, userInfo().username);
  tell(`${path} is trusted while its content is ${sha256.slice(0, 12)}.`);
  for (const { rule } of policy?.rules ?? []) tell(visible(`  ${rule.decision.padEnd(6)} ${rule.id}  ${spokenOf(rule)}`));
}

const problemLine = (problem: PolicyProblem): string => `shellgate: ${problem.code} ${placeOf(problem)}  ${bodyOf(problem)}`;

/** What a rule speaks of, on one line. */
const spokenOf = ({ command, text, tags, effects }: Rule): string =>
  [command, text, tags?.join(' '), effects && JSON.stringify(effects)].filter(part => part !== undefined).join(' · ');

async function init(profile: string): Promise<void> {
  const source = (PROFILES as readonly string[]).find(name => name === profile);
  if (!source) throw new ShellgateError('PROFILE_UNKNOWN', `"${profile}" is no profile; choose ${PROFILES.join(', ')}`);
  const path = join(privateDirectory(configDirectory()), 'policy.toml');
  try {
    writeFileSync(path, readFileSync(profilePath(source as Profile)), { flag: 'wx', mode: 0o600 });
  } catch (cause) {
    const isThere = (cause as NodeJS.ErrnoException).code === 'EEXIST';
    const what = isThere ? 'is there already; nothing was changed. Edit it, or move it away first' : (cause as Error).message;
    throw new ShellgateError(isThere ? 'POLICY_EXISTS' : 'POLICY_UNWRITABLE', what, { cause, place: path });
  }
  tell(`${path} is yours now: a copy of ${profile}. Try a change with shellgate policy test.`);
}
