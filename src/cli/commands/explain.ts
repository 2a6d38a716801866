import type { Command } from 'commander';
import { clip, padEnd } from '../../approval/prompt/text-layout.js';
import type { Analysis, Effect, Program, Word } from '../../contract/analysis.js';
import type { Evaluation, Match } from '../../contract/policy.js';
import { visible } from '../../contract/visible.js';
import { shortPath } from '../banner.js';
import { type Judge, type Judged, openJudge } from '../judge.js';
import { type CommonFlags, withJudgeOptions } from '../options.js';
import { print, tell } from '../output.js';
import { judgement } from '../wire.js';

export function register(program: Command): void {
  withJudgeOptions(program.command('explain').description('why a command line would run, ask or be denied; nothing is run'))
    .argument('<command>', 'a command line, as one argument')
    .action(async (text: string, flags: CommonFlags) => {
      await using judge = await openJudge(flags);
      const judged = await judge.judge(text);
      if (flags.json) print(judgement({ id: 1 }, judged.analysis, judged.evaluation));
      else for (const line of explanation(judged, judge)) tell(visible(line));
    });
}

/** Stands where a part would for what is true of the whole. */
const LINE = '(the line)';

/** Screen g: the verdict, then each part with what it does and what decided it. */
function explanation({ analysis, evaluation }: Judged, { cwd, policies }: Judge): string[] {
  const count = analysis.programs.length;
  const lines = [
    `${evaluation.decision} · ${evaluation.risk}${count > 1 ? ` · strictest of ${count} parts` : ''}      judged as in ${shortPath(cwd)}, policy ${policies.join(' + ')}; nothing was run`,
  ];
  const width = Math.min(28, Math.max(LINE.length, ...analysis.programs.map(part => wordsOf(part).length)) + 2);
  analysis.programs.forEach((part, index) => {
    lines.push(...partLines(part, evaluation.parts[index] ?? evaluation.decision, matchesOf(evaluation, index), width));
  });
  for (const match of evaluation.matches.filter(each => each.part === undefined)) {
    lines.push(`  ${LINE.padEnd(width)}${match.decision.padEnd(7)}${match.reason}${origin(match)}`);
  }
  lines.push(...advice(analysis, evaluation), ...remembering(analysis, evaluation));
  return lines;
}

/** What the same work could look like so that it asks less. */
function advice({ programs }: Analysis, evaluation: Evaluation): string[] {
  const asks = (part: Program): boolean => evaluation.parts[programs.indexOf(part)] !== 'allow';
  if (programs.some(part => asks(part) && part.tags.includes('net-to-shell')))
    return ['to be asked less: curl -o FILE URL, read it, then run it'];
  const isUnsaid = ({ kind, target }: Effect): boolean =>
    kind === 'read' && target !== undefined && !('text' in target) && target.lead === '';
  if (evaluation.decision === 'ask' && programs.some(part => asks(part) && part.effects.some(isUnsaid)))
    return [
      'to be asked less: hand names on with a NUL behind each: find … -print0 | xargs -0 …, git ls-files -z | xargs -0 … --',
    ];
  return [];
}

function remembering(analysis: Analysis, evaluation: Evaluation): string[] {
  const suggestion = evaluation.suggestions[0];
  if (!suggestion) {
    const isUnknown = evaluation.decision === 'ask' && isOpaque(analysis);
    return isUnknown ? ['could be remembered: nothing while a part cannot be known'] : [];
  }
  const rules = [suggestion.rule, ...(suggestion.also ?? [])];
  const examples = (title: string, list: readonly string[]) => (list.length === 0 ? [] : [`${title}: ${list.join(', ')}`]);
  return [
    `could be remembered: ${rules.map(rule => rule.command ?? rule.id).join(', ')}`,
    ...[...examples('  would also allow', suggestion.wouldAlsoAllow), ...examples('  would not', suggestion.wouldNotAllow)],
  ];
}

const matchesOf = (evaluation: Evaluation, part: number): Match[] => evaluation.matches.filter(match => match.part === part);
const isOpaque = (analysis: Analysis): boolean =>
  analysis.opaque.length > 0 || analysis.programs.some(part => part.opaque.length > 0);
const wordText = (word: Word): string => ('text' in word ? word.text : `${word.lead}…`);
const wordsOf = (part: Program): string => visible(part.argv.map(wordText).join(' '));
const origin = (match: Match): string => (match.rule ? `   ${match.place ?? ''} ${match.rule}`.trimEnd() : '');

/** What a reason has said already is not said again, nor which of the folders above might hold a file as well. */
function isWorthALine({ kind, target, detail }: Effect, said: readonly Match[]): boolean {
  if (detail !== undefined && said.some(({ reason }) => reason.includes(detail))) return false;
  if (kind === 'code' || target === undefined) return kind !== 'network' || said.every(({ decision }) => decision === 'allow');
  const text = 'text' in target ? target.text : target.lead;
  return text !== '' && !said.some(({ reason }) => reason.includes(text));
}

function partLines(part: Program, decision: string, matches: Match[], width: number): string[] {
  const text = wordsOf(part);
  const name = clip(text, width - 2);
  const all = matches.filter(match => match.decision === decision);
  // That no rule speaks of it says least, and stands for itself only.
  const telling = all.filter(match => !(match.source === 'default' && match.reason.startsWith('no rule covers ')));
  const deciding = telling.length > 0 ? telling : all;
  const shown = deciding.length > 0 ? deciding : matches;
  const peeled = part.via.length > 0 ? `   peeled from ${part.via.join(', ')}` : '';
  const first = shown[0];
  const lines = [
    `  ${padEnd(name, width)}${decision.padEnd(7)}${first ? first.reason + origin(first) : decision === 'allow' ? '' : 'no rule covers it'}${peeled}`,
  ];
  for (const match of shown.slice(1)) lines.push(`  ${''.padEnd(width + 7)}${match.reason}${origin(match)}`);
  const worth = part.effects.filter(each => isWorthALine(each, shown));
  for (const [index, effect] of worth.entries()) {
    if (effect.kind === 'code' && worth.findIndex(({ detail }) => detail === effect.detail) < index) continue;
    const target = effect.target ? ` ${wordText(effect.target)}` : '';
    const detail = effect.detail ? ` (${effect.detail})` : '';
    lines.push(`  ${''.padEnd(width + 7)}· ${effect.kind}${target}${detail}`);
  }
  return lines;
}
