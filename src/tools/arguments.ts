import { z } from 'zod';
import { wrongInput } from '../contract/wrong-input.js';
import type { Fault, Tool } from './tool.js';

type Given = Readonly<Record<string, unknown>>;

/** Arguments as a tool takes them, or what is wrong with them. `given`: as they came, as plain data. */
export type Checked = { readonly given: Given; readonly args: unknown } | { readonly given: Given; readonly fault: Fault };

/** Total: whatever comes, even what is no data at all. Only what went through JSON is looked at or recorded. */
export function checkArguments({ args }: Pick<Tool, 'args'>, value: unknown): Checked {
  let given: unknown;
  try {
    given = JSON.parse(JSON.stringify(value ?? {}) ?? '');
  } catch {
    return { given: {}, fault: invalid('arguments', 'are no JSON') };
  }
  if (typeof given !== 'object' || given === null || Array.isArray(given)) {
    return { given: {}, fault: invalid('arguments', 'must be an object') };
  }
  const parsed = args.safeParse(given);
  return parsed.success
    ? { given: given as Given, args: parsed.data }
    : {
        given: given as Given,
        fault: faultOf(parsed.error, given as Given, args instanceof z.ZodObject ? Object.keys(args.shape) : []),
      };
}

const invalid = (field: string, what: string): Fault => ({
  errorClass: 'schema_validation_failed',
  message: `${field}: ${what}`,
  field,
});

function faultOf(error: z.ZodError, given: Given, known: readonly string[]): Fault {
  const { field, what, text } = wrongInput(error, given, known);
  // Some wires are text, in which a field stands before a colon: one with blanks or colons of its own is named behind it.
  return /^[\w.-]+$/.test(field) ? invalid(field, what) : invalid('arguments', text);
}
