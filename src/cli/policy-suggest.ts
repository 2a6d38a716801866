import { join } from 'node:path';
import type { Command } from 'commander';
import { stringify } from 'smol-toml';
import { createAnalyzer } from '../analysis/analyzer.js';
import { specs } from '../analysis/specs/index.js';
import type { Analyzer } from '../contract/analysis.js';
import type { Rule } from '../contract/policy.js';
import { loadPolicies } from '../load-policies.js';
import { currentDirectory, stateDirectory } from '../platform.js';
import { memoryGrants } from '../policy/grants.js';
import { type LearnedRule, learnRules, wouldAllow } from '../policy/learn.js';
import { validatePolicy } from '../policy/load.js';
import { type CommonFlags, withJudgeOptions } from './options.js';
import { print } from './output.js';
import { pastAnswers } from './past-questions.js';

/** `policy suggest`: the log's own yeses as rules, none of its noes. Nothing is changed; the rules go to stdout. */
export function registerSuggest(policy: Command): void {
  withJudgeOptions(policy.command('suggest').description('rules that would have answered your past yeses, and none of your noes'))
    .option('--audit <dir>', 'directory of the log')
    .action(async (flags: CommonFlags) => {
      const analyzer = createAnalyzer({ specs });
      // Grants are answers too: with them in force nothing would be left to learn.
      const workspace = flags.cwd ?? currentDirectory();
      const { parts } = (await loadPolicies({ sources: flags.policy, workspace, analyzer, grants: memoryGrants() })).inForce;
      const past = await pastAnswers(flags.audit ?? join(stateDirectory(), 'audit'), analyzer);
      const { rules, answered, already, bound } = learnRules(parts, past);
      const written = await Promise.all(rules.map(learned => asWritten(learned, analyzer)));
      const counts = {
        answered,
        yeses: past.yeses.length + past.lostYeses,
        noes: past.noes.length + past.unclear.length,
        already,
        bound,
        ...(await profileCounts(past, { workspace, analyzer })),
        notJudged: past.lostYeses + past.unclear.length,
      };
      if (flags.json) return print({ ...counts, rules: rules.map(({ answers }, index) => ({ answers, rule: written[index] })) });
      for (const line of sentences(rules.length, counts)) process.stdout.write(`# ${line}\n`);
      for (const rule of written) process.stdout.write(`\n${stringify({ rule: [rule] })}`);
    });
}

/** What one word would have done: the profile for work inside the workspace, where it would have answered no no. */
async function profileCounts(
  { yeses, noes }: Awaited<ReturnType<typeof pastAnswers>>,
  where: { readonly workspace: string; readonly analyzer: Analyzer },
): Promise<{ readonly byProfile?: number }> {
  const { parts } = (await loadPolicies({ sources: ['workspace'], ...where, grants: memoryGrants() })).inForce;
  return wouldAllow(parts, noes) > 0 ? {} : { byProfile: wouldAllow(parts, yeses) };
}

interface Counts {
  readonly answered: number;
  readonly yeses: number;
  readonly noes: number;
  readonly already: number;
  readonly bound: number;
  /** Yeses that `workspace` would have answered, where it would have answered none of the noes. */
  readonly byProfile?: number;
  readonly notJudged: number;
}

function sentences(rules: number, { answered, yeses, noes, already, bound, byProfile = 0, notJudged }: Counts): string[] {
  const said = `your ${counted(yeses, 'yes', 'yeses')} and none of your ${counted(noes, 'no', 'noes')}`;
  return [
    `${counted(rules, 'rule', 'rules')} would have answered ${answered} of ${said}`,
    ...(already > 0 ? [`${already} more are answered by the policy in force.`] : []),
    ...(byProfile > already
      ? [`The profile for work inside the workspace would have answered ${byProfile}, and none of your noes: --policy workspace`]
      : []),
    ...(bound > 0
      ? [`${bound} ran what files of the project say, which no rule allows: at such a question, s or a remembers them.`]
      : []),
    ...(notJudged > 0
      ? [`${notJudged} could not be judged again: they had secrets, input of their own, or are not whole in the log.`]
      : []),
    ...(rules > 0 ? ['Add what you agree with to your policy, then: shellgate policy test'] : []),
  ];
}

const counted = (count: number, one: string, more: string): string => `${count} ${count === 1 ? one : more}`;

/** With those of its texts as examples that hold in any session: the others depend on the place they were run in. */
async function asWritten({ rule, answers, texts }: LearnedRule, analyzer: Analyzer): Promise<Rule> {
  const match: string[] = [];
  const base = { ...rule, reason: `you said yes ${answers} times` };
  for (const text of texts) if (await isExample({ ...base, match: [text] }, analyzer)) match.push(text);
  return match.length > 0 ? { ...base, match } : base;
}

async function isExample(rule: Rule, analyzer: Analyzer): Promise<boolean> {
  const { policy } = await validatePolicy({ texts: [{ name: 'suggested.toml', text: stringify({ rule: [rule] }) }], analyzer });
  return policy !== undefined;
}
