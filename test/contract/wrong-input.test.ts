import { expect, test } from 'vitest';
import { z } from 'zod';
import { nearest } from '../../src/contract/nearest.js';
import { wrongInput } from '../../src/contract/wrong-input.js';

const schema = z.strictObject({
  command: z.string().min(1),
  timeoutMs: z.number().int().positive().max(100).optional(),
  note: z.string().max(3).optional(),
  text: z.string().max(3, 'is far too long').optional(),
  id: z.union([z.string(), z.number()]).optional(),
  tty: z.boolean().optional(),
  how: z.enum(['prompt', 'deny']).optional(),
  words: z.array(z.string()).optional(),
  origin: z.strictObject({ call: z.string() }).optional(),
});

test.each([
  [{ comand: 'ls' }, 'comand', 'has no field "comand"; did you mean "command"?'],
  [{ command: 'ls', timeout_ms: 1 }, 'timeout_ms', 'has no field "timeout_ms"; did you mean "timeoutMs"?'],
  [{ command: 'ls', TTY: true }, 'TTY', 'has no field "TTY"; did you mean "tty"?'],
  [
    { command: 'ls', zzzzzz: 1 },
    'zzzzzz',
    'has no field "zzzzzz"; there are command, timeoutMs, note, text, id, tty, how, words, origin',
  ],
  [{}, 'command', 'command is missing'],
  [{ command: 5 }, 'command', 'command must be a string, not a number'],
  [{ command: null }, 'command', 'command must be a string, not null'],
  [{ command: ['ls'] }, 'command', 'command must be a string, not a list'],
  [{ command: true }, 'command', 'command must be a string, not true'],
  [{ command: '' }, 'command', 'command must not be empty'],
  [{ command: 'ls', timeoutMs: 0 }, 'timeoutMs', 'timeoutMs must be above 0'],
  [{ command: 'ls', timeoutMs: 1.5 }, 'timeoutMs', 'timeoutMs must be a whole number, not 1.5'],
  [{ command: 'ls', timeoutMs: '5' }, 'timeoutMs', 'timeoutMs must be a number, not a string'],
  [{ command: 'ls', timeout: 5 }, 'timeout', 'has no field "timeout"; did you mean "timeoutMs"?'],
  [{ command: 'ls', timeoutMs: 101 }, 'timeoutMs', 'timeoutMs must be at most 100'],
  [{ command: 'ls', note: 'four' }, 'note', 'note is longer than 3 characters'],
  [{ command: 'ls', text: 'four' }, 'text', 'text is far too long'],
  [{ command: 'ls', id: {} }, 'id', 'id must be a string or a number, not an object'],
  [{ command: 'ls', tty: 'yes' }, 'tty', 'tty must be true or false, not a string'],
  [{ command: 'ls', how: 'ask' }, 'how', 'how must be one of "prompt", "deny"'],
  [{ command: 'ls', words: ['a', 1] }, 'words.1', 'words.1 must be a string, not a number'],
  [{ command: 'ls', origin: { cal: 'x' } }, 'origin.cal', 'has no field "cal"'],
  [5, '', 'must be an object, not a number'],
  [null, '', 'must be an object, not null'],
])('%j: %s: %s', (value, field, text) => {
  const parsed = schema.safeParse(value);
  expect(wrongInput(parsed.error!, value, Object.keys(schema.shape))).toMatchObject({ field, text });
});

test('a name far from all is near to none', () => {
  expect(nearest('xyzzy', ['command', 'tty'])).toBeUndefined();
  expect(nearest('Comand', ['tty', 'command'])).toBe('command');
});
