/**
 * The RFC 8785 form of a JSON-like value: keys in UTF-16 order, no white space, numbers as ECMAScript prints them. One
 * value has one form, so its hash can be compared anywhere.
 *
 * What is no JSON is treated as `JSON.stringify` does: undefined, functions and symbols are left out of objects and
 * become `null` in arrays, numbers that are not finite become `null`, `toJSON` is honoured. A lone surrogate is escaped
 * where the RFC would stop: a log has to be able to hold any text. A bigint or a cycle throws.
 */
export function canonicalJson(value: unknown): string {
  return write(value, '') ?? 'null';
}

function write(input: unknown, key: string): string | undefined {
  const value = hasToJson(input) ? input.toJSON(key) : input;
  switch (typeof value) {
    case 'string':
      return quoted(value);
    case 'number':
      return Number.isFinite(value) ? String(value === 0 ? 0 : value) : 'null';
    case 'boolean':
      return value ? 'true' : 'false';
    case 'object':
      if (value === null) return 'null';
      return Array.isArray(value) ? writeArray(value) : writeObject(value as Record<string, unknown>);
    case 'bigint':
      throw new TypeError('a bigint has no JSON form');
    default:
      return undefined;
  }
}

function writeArray(values: readonly unknown[]): string {
  let out = '[';
  for (let i = 0; i < values.length; i++) {
    if (i > 0) out += ',';
    out += write(values[i], String(i)) ?? 'null';
  }
  return `${out}]`;
}

function writeObject(value: Readonly<Record<string, unknown>>): string {
  let out = '{';
  for (const key of sortedKeys(value)) {
    const text = write(value[key], key);
    if (text === undefined) continue;
    out += `${out.length > 1 ? ',' : ''}${quoted(key)}:${text}`;
  }
  return `${out}}`;
}

/** Most objects here are small and nearly in order: an insertion costs less than a sort. */
function sortedKeys(value: object): string[] {
  const keys = Object.keys(value);
  if (keys.length > 20) return keys.sort();
  for (let i = 1; i < keys.length; i++) {
    const key = keys[i]!;
    let at = i;
    for (; at > 0 && keys[at - 1]! > key; at--) keys[at] = keys[at - 1]!;
    keys[at] = key;
  }
  return keys;
}

const PLAIN = /^[ !#-[\]-~]*$/;

/** Looking costs less than JSON's own quoting, for the short texts without anything to escape that most are. */
const quoted = (text: string): string => (text.length < 256 && PLAIN.test(text) ? `"${text}"` : JSON.stringify(text));

function hasToJson(value: unknown): value is { toJSON(key: string): unknown } {
  return typeof value === 'object' && value !== null && typeof (value as { toJSON?: unknown }).toJSON === 'function';
}
