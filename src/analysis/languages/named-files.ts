import type { ReadingBuilder } from '../specs/reading-builder.js';

/** Names of files that nobody means by a general pattern, and that a narrow one is after. */
const PRIVATE = ['.env', '.env.local', '.env.production', '.npmrc', '.netrc', '.pgpass', 'id_rsa', 'id_ed25519', 'credentials'];
const PRIVATE_ENDINGS = ['server.key', 'server.pem', 'server.p12', 'server.pfx'];

/** Two names that ordinary files have: a pattern for both is after everything. */
const ORDINARY = ['a.ts', 'Makefile'];

/** A search that is told which names to look into reads files of these names. `name`: a name or a pattern of one. */
export function readNamed(into: ReadingBuilder, { name, below }: { readonly name: string; readonly below: string }): void {
  const found = /[*?[{]/.test(name) ? matched(name) : [name];
  for (const file of found) into.read({ text: `${below}/${file}` }, { detail: 'by its name' });
}

function matched(pattern: string): readonly string[] {
  const name = pattern.replace(/^!|^.*\//, '');
  if (name === '' || pattern.startsWith('!') || /[[\]{}\\]/.test(name) || name.length > 64 || name.split('*').length > 4)
    return [];
  const expression = new RegExp(
    `^${name
      .replace(/[.+^$()|]/g, '\\$&')
      .replace(/\*+/g, '.*')
      .replace(/\?/g, '.')}$`,
    'i',
  );
  if (ORDINARY.every(ordinary => expression.test(ordinary))) return [];
  return [...PRIVATE, ...PRIVATE_ENDINGS].filter(file => expression.test(file));
}
