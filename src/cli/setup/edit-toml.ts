import { isDeepStrictEqual } from 'node:util';
import { parse, stringify } from 'smol-toml';
import { edited, invalid } from './edit-json.js';
import type { Edit } from './recipe.js';

/**
 * A TOML file's text after the edits; everything else keeps its place, comments included. What came out is read again
 * and must be exactly the file with the edits made. Errors: `CLIENT_CONFIG_INVALID`.
 */
export function editToml(text: string, edits: readonly Edit[], path: string): string {
  const before = read(text, path);
  const wanted = edited(before, edits, path);
  if (isDeepStrictEqual(wanted, before)) return text;
  let lines = text === '' ? [] : text.replace(/\n$/, '').split('\n');
  for (const edit of edits) if ('set' in edit) lines = withEdit(lines, edit.at, edit.set);
  const after = `${lines.join('\n')}\n`;
  if (!isDeepStrictEqual(tryRead(after), wanted)) {
    throw invalid(path, 'it is written in a way that a program cannot change safely; add what is printed by hand');
  }
  return after;
}

function withEdit(lines: readonly string[], at: readonly string[], value: unknown): string[] {
  const isTable = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isTable ? withTable(lines, at, value) : withKey(lines, at, value);
}

/** Our own table, with its subtables, replaced or put at the end. */
function withTable(lines: readonly string[], at: readonly string[], value: object): string[] {
  const name = at.join('.');
  const kept: string[] = [];
  let inside = false;
  for (const line of lines) {
    const header = headerOf(line);
    if (header !== undefined) inside = header === name || header.startsWith(`${name}.`);
    if (!inside) kept.push(line);
  }
  while (kept.at(-1)?.trim() === '') kept.pop();
  const nested = at.reduceRight<unknown>((inner, key) => ({ [key]: inner }), value) as Record<string, unknown>;
  return [...kept, ...(kept.length > 0 ? [''] : []), ...stringify(nested).trimEnd().split('\n')];
}

/** One key of a table that may hold others. */
function withKey(lines: readonly string[], at: readonly string[], value: unknown): string[] {
  const table = at.slice(0, -1).join('.');
  const key = at.at(-1)!;
  const line = stringify({ [key]: value }).trimEnd();
  const start = lines.findIndex(each => headerOf(each) === table);
  if (start < 0) return [...lines, ...(lines.length > 0 ? [''] : []), `[${table}]`, line];
  const next = lines.findIndex((each, index) => index > start && headerOf(each) !== undefined);
  const end = next < 0 ? lines.length : next;
  const isKey = new RegExp(`^\\s*"?${key}"?\\s*=`);
  const existing = lines.findIndex((each, index) => index > start && index < end && isKey.test(each));
  if (existing < 0) return [...lines.slice(0, start + 1), line, ...lines.slice(start + 1)];
  return [...lines.slice(0, existing), line, ...lines.slice(existing + 1)];
}

/** `a.b` of `[a."b"]`; undefined for any other line. */
function headerOf(line: string): string | undefined {
  return /^\s*\[+([^[\]]+)\]+\s*(?:#.*)?$/.exec(line)?.[1]?.replace(/[\s"']/g, '');
}

function read(text: string, path: string): unknown {
  try {
    return plain(parse(text));
  } catch (cause) {
    throw invalid(path, `it is not valid TOML (${(cause as Error).message.split('\n')[0]})`, cause);
  }
}

function tryRead(text: string): unknown {
  try {
    return plain(parse(text));
  } catch {
    return undefined;
  }
}

/** The parser's tables have no prototype, ours have. */
const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value));
