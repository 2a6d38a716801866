import type { Question } from '../../contract/question.js';
import { oneLine } from '../display.js';
import type { ShownRule } from './dialog.js';
import type { PromptPage } from './question-text.js';
import { flow, wordWrap } from './text-layout.js';

/** What `a` opens: the rule that would be kept, what else it would allow, and what it would not. */
export function renderRule(
  question: Question,
  { suggestion, isEdited }: ShownRule,
  frame: { readonly columns: number; readonly notice?: string },
): PromptPage {
  const cells = Math.max(39, frame.columns - 1);
  const { rule, wouldAlsoAllow, wouldNotAllow } = suggestion;
  const line = (label: string, text: string) =>
    wordWrap(oneLine(text), cells - 2 - label.length).map((part, i) => `│ ${i === 0 ? label : ' '.repeat(label.length)}${part}`);
  const examples = isEdited
    ? line('', 'you changed it: what else it would allow was not tried')
    : [
        ...wouldAlsoAllow.slice(0, 3).flatMap(each => line('would also allow: ', each)),
        ...wouldNotAllow.slice(0, 3).flatMap(each => line('would not: ', each)),
      ];
  const keys = ['y allow and remember', ...(rule.command === undefined ? [] : ['e edit the rule']), 'Enter = back, ^C = no'];
  return {
    lines: [
      `┌ ${question.id}  remember always, for every session`,
      ...line('allow ', rule.command ?? rule.text ?? rule.id),
      ...examples,
      ...line('saved in ', 'grants.toml (shellgate grants lists it, shellgate grants revoke takes it back)'),
      ...(frame.notice === undefined ? [] : line('', frame.notice)),
      ...flow(keys, '   ', cells - 2).map((part, i, all) => `${i === all.length - 1 ? '└' : '│'} ${part}`),
    ],
    page: 0,
    pages: 1,
  };
}
