import { createHash, createPrivateKey, createPublicKey, type KeyObject, sign, verify } from 'node:crypto';
import { canonicalJson } from '../contract/canonical.js';
import { ShellgateError } from '../contract/error.js';
import type { Question } from '../contract/question.js';
import type { GivenAnswer } from './open-question.js';

/** A public key whose holder may answer at the level `keyed`, and whose it is. */
export interface AnswerKey {
  readonly label: string;
  readonly key: KeyObject;
}

/** An Ed25519 public key in PEM or as base64 SPKI, from the user's configuration. Errors: `KEY_INVALID`. */
export function answerKey(label: string, text: string): AnswerKey {
  try {
    const key = text.includes('BEGIN')
      ? createPublicKey(text)
      : createPublicKey({ key: Buffer.from(text, 'base64'), format: 'der', type: 'spki' });
    if (key.asymmetricKeyType !== 'ed25519') throw new Error(`it is ${key.asymmetricKeyType}`);
    return { label, key };
  } catch (cause) {
    const message = `the key of ${label} is no Ed25519 public key: ${(cause as Error).message}`;
    throw new ShellgateError('KEY_INVALID', message, { cause, place: label });
  }
}

/** The Ed25519 private key that answers are signed with, from its PEM text. Errors: `KEY_INVALID`. */
export function signingKey(text: string, place: string): KeyObject {
  try {
    const key = createPrivateKey(text);
    if (key.asymmetricKeyType !== 'ed25519') throw new Error(`it is ${key.asymmetricKeyType}`);
    return key;
  } catch (cause) {
    const message = text.includes('ENCRYPTED')
      ? 'is sealed with a passphrase; openssl asks for it: openssl pkey -in KEY | shellgate approve ID --key -'
      : `is no Ed25519 private key in PEM: ${(cause as Error).message}`;
    throw new ShellgateError('KEY_INVALID', message, { cause, place });
  }
}

/** Sign an answer to this very question; for the device that holds the key. Returns base64. */
export function signAnswer(question: Pick<Question, 'askedAt'>, answer: GivenAnswer, privateKey: KeyObject): string {
  return sign(null, statement(question, answer), privateKey).toString('base64');
}

/** The key that signed this answer to this question, if any of them did. */
export function signerOf(
  question: Pick<Question, 'askedAt'>,
  signed: { readonly answer: GivenAnswer; readonly signature: string },
  keys: readonly AnswerKey[],
): AnswerKey | undefined {
  const bytes = Buffer.from(signed.signature, 'base64');
  return keys.find(({ key }) => verify(null, statement(question, signed.answer), key, bytes));
}

/** Everything an answer can make happen, and the time of asking, so that it fits no other question of that name. */
function statement(question: Pick<Question, 'askedAt'>, answer: GivenAnswer): Buffer {
  const more = answer.outcome === 'edited' ? answer.text : answer.outcome === 'approved' ? answer.remember : undefined;
  const parts = [
    answer.questionId,
    answer.digest,
    answer.outcome,
    question.askedAt,
    createHash('sha256')
      .update(canonicalJson(more ?? null))
      .digest('hex'),
  ];
  return Buffer.from(`shellgate answer 1\n${parts.join('\n')}\n`);
}
