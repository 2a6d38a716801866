import { holdsToken } from './tokens.js';
import { holdsUserinfo } from './urls.js';

/** Words that make a name secret when they end one of its parts: PGPASSWORD, dbSecret, X-Api-Token. */
const SECRET_ENDING = /(?:password|passwd|passphrase|passcode|secret|token|apikey|privatekey|credential|authorization)s?\d*$/;

/** Words that must be a whole part. `auth` inside `author`, `pat` inside `path` mean nothing. */
const SECRET_PART = new Set(['pass', 'pwd', 'pat', 'auth', 'jwt', 'otp', 'creds', 'cred', 'bearer']);

/** A last part that says the value is not the secret but something about it. */
const ABOUT = new Set(
  `agent algorithm budget cmd command count dir directory enabled endpoint env expires expiration expiry file folder header
  helper host id kind length level limit location max method min mode name parallelism path policy port program prompt
  provider scope size sock socket stdin store timeout ttl type uri url usage user username valid var version`.split(/\s+/),
);

/** `max_tokens`, `input_tokens`: counts, not credentials. */
const COUNTED = new Set(['max', 'min', 'num', 'total', 'input', 'output', 'prompt', 'completion', 'cached', 'used']);

/** `<word>_KEY` that is no credential. */
const PLAIN_KEY = new Set(
  `cache column config display first foreign group hot idempotency index key last map object order partition primary public
  registry row shift short sort translation unique`.split(/\s+/),
);

const NEVER = new Set(['pwd', 'oldpwd', 'pass', 'key', 'keys', 'tokens']);

function partsOf(name: string): string[] {
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter(part => part !== '');
}

/**
 * Does a variable, option, header or field of this name usually hold a secret? `GH_TOKEN`, `--db-password`, `X-Api-Key`
 * and `clientSecret` do; `PWD`, `SSH_AUTH_SOCK`, `TOKEN_FILE`, `max_tokens` and `PUBLIC_KEY` do not.
 */
export function isSecretName(name: string): boolean {
  if (name.length > 256) return false;
  const parts = partsOf(name);
  const last = parts.at(-1);
  if (last === undefined || ABOUT.has(last)) return false;
  if (parts.length === 1 && NEVER.has(last)) return false;
  if (last === 'tokens' && COUNTED.has(parts.at(-2) ?? '')) return false;
  if (last === 'key' || last === 'keys') return !PLAIN_KEY.has(parts.at(-2) ?? 'key');
  return parts.some(part => SECRET_PART.has(part) || SECRET_ENDING.test(part)) || isKeyWithSuffix(parts);
}

/** `SECRET_KEY_BASE`, `API_KEY_2`: a credential's key that is not at the end. */
function isKeyWithSuffix(parts: readonly string[]): boolean {
  return parts.some(
    (part, at) => part === 'key' && at > 0 && /^(?:api|access|secret|private|signing|master)$/.test(parts[at - 1]!),
  );
}

/**
 * Names of the variables that a shell under `--env safe` does not get: those with a secret-looking name and a value, and
 * those whose value is a known kind of token or a URL with a password. In the order of the environment.
 */
export function secretNames(env: Readonly<Record<string, string | undefined>>): string[] {
  return Object.entries(env).flatMap(([name, value]) =>
    value !== undefined && value !== '' && (isSecretName(name) || holdsToken(value) || holdsUserinfo(value)) ? [name] : [],
  );
}
