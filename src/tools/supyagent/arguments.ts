import { z } from 'zod';

/** The longest deadline that is no slip of the pen. */
const MAX_SECONDS = 365 * 24 * 3_600;

export const workingDirectory = z
  .string()
  .min(1)
  .regex(/^[^\0]*$/, 'contains a NUL character')
  .nullable()
  .default(null)
  .describe('Directory to run in; ~ and $VAR are expanded. Default: where the session was opened.');

export const timeoutSeconds = (fallback: number) =>
  z.int().positive().max(MAX_SECONDS).default(fallback).describe('Maximum seconds to wait.');

export const maxOutput = z
  .int()
  .min(0)
  .default(100_000)
  .describe('Maximum bytes for stdout and stderr combined (0 = unlimited).');
