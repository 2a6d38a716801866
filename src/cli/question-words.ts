import { oneLine } from '../approval/display.js';
import { homePath, intoWhat, partFacts, whyLines } from '../approval/prompt/question-facts.js';
import type { Question } from '../contract/question.js';
import { sessionLabel } from '../contract/request.js';

/** Screen j: a question in a few lines, for a dialog that draws no screen of ours. */
export function questionWords(question: Question): string {
  const { display, evaluation, request, state } = question;
  const does = partFacts(question).map(part => part.does);
  const lines = [
    `${request.kind === 'input' ? `Type into ${intoWhat(question)}` : 'Run'} in ${homePath(state.cwd, state.home)} (session ${sessionLabel(request.sessionId)})?   ${cut(display.text, 1_500)}`,
    ...(evaluation.risk === 'high' ? [`HIGH RISK: ${evaluation.riskReason ?? 'see why it asks'}`] : []),
    ...display.warnings.map(warning => `! ${warning}`),
    ...(request.stdin ? [`It gets ${request.stdin.length} characters on its standard input.`] : []),
    `Asks because: ${cut([...new Set([...whyLines(question), ...does])].filter(Boolean).join('; '), 800)}`,
    ...(request.description ? [`The assistant says: ${cut(oneLine(request.description), 300)}`] : []),
  ];
  return lines.join('\n');
}

function cut(text: string, most: number): string {
  return text.length <= most
    ? text
    : `${text.slice(0, most).replace(/[\ud800-\udbff]$/, '')}… (${text.length - most} more characters)`;
}
