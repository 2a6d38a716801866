import type { ElicitRequestFormParams } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { type Question, shownId } from '../contract/question.js';

/** A longer text does not fit a host's dialog; what was not shown must not be approved there. */
const SHOWN_WHOLE = 1_500;

/** May this channel offer a yes? Only a trusted program's, at most at medium risk, for a text that is shown whole. */
export function offersYes({ evaluation, display }: Question, { trusted }: { readonly trusted: boolean }): boolean {
  return trusted && evaluation.risk !== 'high' && evaluation.level === undefined && display.text.length <= SHOWN_WHOLE;
}

/** Screen j. `words` says where, what and why, in the person's words. */
export function elicitationForm(question: Question, words: string, offered: { readonly yes: boolean }): ElicitRequestFormParams {
  const id = shownId(question);
  const elsewhere = `shellgate approve ${id}`;
  const message = `${words}\n${offered.yes ? `ID ${id}` : `To allow it, a person runs in a terminal: ${elsewhere}`}`;
  return {
    mode: 'form',
    message,
    requestedSchema: {
      type: 'object',
      properties: {
        decision: {
          type: 'string',
          title: 'Decision',
          description: offered.yes
            ? 'once: allow it this time; deny: a no that the model is told; later: leave it open for a terminal'
            : `deny: a no that the model is told; later: leave it open for ${elsewhere}`,
          enum: offered.yes ? ['once', 'deny', 'later'] : ['deny', 'later'],
          default: offered.yes ? 'deny' : 'later',
        },
        tell: { type: 'string', title: 'Tell the model', description: 'with a deny: what to do instead', maxLength: 500 },
      },
      required: ['decision'],
    },
  };
}

/** What an accepted form may hold; anything else is no answer. */
export const formContentSchema = z.object({
  decision: z.enum(['once', 'deny', 'later']),
  tell: z.string().max(10_000).optional(),
});
