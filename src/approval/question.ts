import { randomInt } from 'node:crypto';
import type { SessionFacts } from '../contract/facts.js';
import type { Question, ShownFile } from '../contract/question.js';
import { displayForm } from './display.js';

/** No i, l, o, 0, 1: an id is read aloud and typed. */
const ALPHABET = 'abcdefghjkmnpqrstuvwxyz23456789';

/** Four characters that are in no use. */
export function newQuestionId(taken: (id: string) => boolean): string {
  for (;;) {
    const id = Array.from({ length: 4 }, () => ALPHABET[randomInt(ALPHABET.length)]).join('');
    if (!taken(id)) return id;
  }
}

/** What is asked: the verdict and everything it was made of, the text as a person must see it, and until when. */
export function buildQuestion(
  asked: Pick<Question, 'id' | 'request' | 'state' | 'analysis' | 'facts' | 'evaluation'>,
  times: { readonly now: number; readonly expiryMs: number },
): Question {
  return {
    ...asked,
    display: displayForm(asked.request.text),
    files: reliedOn(asked.facts),
    askedAt: new Date(times.now).toISOString(),
    expiresAt: new Date(times.now + times.expiryMs).toISOString(),
  };
}

function reliedOn(facts: SessionFacts): ShownFile[] {
  if (!facts.known) return [];
  return Object.entries(facts.hashes).flatMap(([path, { sha256 }]) => (sha256 === undefined ? [] : [{ path, sha256 }]));
}
