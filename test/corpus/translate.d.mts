import type { Rule } from '../../src/contract/policy.js';

/** Rules of a policy file for a corpus row's rule in words. Throws where a clause is not understood. */
export function translate(words: string): Partial<Rule>[];
