import { z } from 'zod';
import { EFFECT_KINDS } from './effect-pattern.js';

const decision = z.enum(['allow', 'ask', 'deny']);
const words = z.array(z.string().min(1)).min(1);
const effects = z.strictObject(
  Object.fromEntries(EFFECT_KINDS.map(kind => [kind, words.optional()])) as Record<string, z.ZodOptional<typeof words>>,
);

/** One rule of a policy file (design 6). */
export const ruleSchema = z
  .strictObject({
    id: z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]*$/, 'is made of letters, digits, dot, dash and underscore'),
    decision,
    command: z.string().min(1).optional(),
    text: z.string().min(1).optional(),
    tags: words.optional(),
    effects: effects.optional(),
    reason: z.string().min(1).optional(),
    tell: z.boolean().optional(),
    remember: z.boolean().optional(),
    level: z.enum(['unverified', 'same-user', 'keyed', 'separate-user']).optional(),
    match: z.array(z.string()).optional(),
    not_match: z.array(z.string()).optional(),
  })
  .refine(rule => rule.command ?? rule.text ?? rule.tags ?? rule.effects, {
    message: 'has nothing to match: it needs command, text, tags or effects',
  });

/** A policy file. `default` is the decision where no rule says anything; without it the stricter `ask` stands. */
export const policySchema = z.strictObject({
  default: decision.optional(),
  rule: z.array(ruleSchema).optional(),
});

export type PolicyDocument = z.infer<typeof policySchema>;

/** Field names by the place they stand in, for "did you mean". */
export const FIELDS: Readonly<Record<'file' | 'rule' | 'effects', readonly string[]>> = {
  file: Object.keys(policySchema.shape),
  rule: Object.keys(ruleSchema.shape),
  effects: EFFECT_KINDS,
};
