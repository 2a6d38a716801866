import { ShellgateError } from '../../contract/error.js';
import type { Edit } from './recipe.js';

type Table = Record<string, unknown>;

/** The same value with the edits made. Errors: `CLIENT_CONFIG_INVALID` where something else stands in the way. */
export function edited(before: unknown, edits: readonly Edit[], path: string): Table {
  const root = structuredClone(asTable(before, [], path));
  for (const edit of edits) {
    const last = edit.at.at(-1)!;
    let table = root;
    edit.at.slice(0, -1).forEach((key, depth) => {
      if (ownValue(table, key) === undefined) put(table, key, {});
      table = asTable(ownValue(table, key), edit.at.slice(0, depth + 1), path);
    });
    put(table, last, 'set' in edit ? edit.set : included(ownValue(table, last), edit, path));
  }
  return root;
}

function included(list: unknown, { at, include }: Extract<Edit, { include: string }>, path: string): unknown[] {
  if (list === undefined) return [include];
  if (!Array.isArray(list)) throw invalid(path, `${at.join('.')} is no list`);
  return list.includes(include) ? list : [...list, include];
}

function asTable(value: unknown, at: readonly string[], path: string): Table {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Table;
  throw invalid(path, `${at.length === 0 ? 'the whole file' : at.join('.')} is no object`);
}

const ownValue = (table: Table, key: string): unknown => (Object.hasOwn(table, key) ? table[key] : undefined);

/** A key of a file may be called `__proto__`. */
function put(table: Table, key: string, value: unknown): void {
  Object.defineProperty(table, key, { value, enumerable: true, configurable: true, writable: true });
}

/** A JSON file's text after the edits, in its own indentation. An empty or missing file is an empty object. */
export function editJson(text: string, edits: readonly Edit[], path: string): string {
  const before = text.trim() === '' ? {} : parseJson(text, path);
  const after = edited(before, edits, path);
  if (JSON.stringify(after) === JSON.stringify(before)) return text;
  const indent = /^([ \t]+)"/m.exec(text)?.[1] ?? '  ';
  return `${JSON.stringify(after, null, indent)}\n`;
}

function parseJson(text: string, path: string): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch (cause) {
    const message = (cause as Error).message.split('\n')[0];
    throw invalid(path, `it is not plain JSON (${message}); a file with comments is left to you: add what is printed`, cause);
  }
}

export function invalid(path: string, what: string, cause?: unknown): ShellgateError {
  return new ShellgateError('CLIENT_CONFIG_INVALID', `${what}. Nothing was written`, {
    place: path,
    ...(cause !== undefined && { cause }),
  });
}
