import { expect, test } from 'vitest';
import { isSecretName, secretNames } from '../../src/redaction/secret-names.js';
import { verifies } from '../helpers/verifies.js';

const SECRET = `
  PASSWORD PASSWD password Password db_password DB_PASS PGPASSWORD MYSQL_PWD REDIS_PASSPHRASE sudo-passwd
  SECRET CLIENT_SECRET clientSecret django_secret_key SECRET_KEY_BASE SECRETS
  TOKEN GH_TOKEN GITHUB_TOKEN NPM_TOKEN accessToken refresh_token_2 X-Api-Token TOKENS_SECRET
  API_KEY apiKey APIKEY X-Api-Key API_KEY_2 AWS_SECRET_ACCESS_KEY AWS_SESSION_TOKEN
  STRIPE_KEY ENCRYPTION_KEY SSH_PRIVATE_KEY privateKey SIGNING_KEYS
  Authorization Proxy-Authorization HTTP_AUTH NPM_AUTH BASIC_AUTH JWT USER_JWT OTP_CODE BEARER
  GITLAB_PAT CREDENTIALS gcp_credentials DB_CREDS
`;

const PLAIN = `
  PATH HOME PWD OLDPWD USER LANG TERM EDITOR pass key keys tokens
  SSH_AUTH_SOCK SSH_AGENT_PID TOKEN_FILE PASSWORD_FILE SECRET_NAME API_KEY_PATH CREDENTIALS_DIR AUTH_URL TOKEN_TTL
  max_tokens input_tokens total-tokens PUBLIC_KEY primary_key foreignKey sort_keys INDEX_KEY cache-key
  AUTHOR author AUTHORS KEYBOARD MONKEY TOKENIZER compass PATTERN passive PASSENGER secretary_of_state_id
  AWS_ACCESS_KEY_ID GIT_AUTHOR_NAME XAUTHORITY HISTSIZE
`;

const words = (text: string): string[] => text.trim().split(/\s+/);

test.each(words(SECRET))('%s names a secret', name => {
  verifies('P10');
  expect(isSecretName(name)).toBe(true);
});

test.each(words(PLAIN))('%s names none', name => {
  expect(isSecretName(name)).toBe(false);
});

test.each(['', '_', '--', 'é', 'x'.repeat(300), `${'A_'.repeat(200)}TOKEN`])(
  '%.10j is no name of a secret, or too long for one',
  name => {
    expect(isSecretName(name)).toBe(false);
  },
);

test('a shell under `--env safe` goes without what is named like a secret or looks like one', () => {
  verifies('P10', 'I19');
  expect(
    secretNames({
      PATH: '/bin',
      GH_TOKEN: 'x',
      EMPTY_TOKEN: '',
      GONE_TOKEN: undefined,
      DATABASE_URL: 'postgres://app:hunter22@db/app',
      PLAIN_URL: 'postgres://app@db/app',
      NOTES: `see ghp_${'a1'.repeat(18)}`,
      MESSAGE: 'sk-learn is a library',
      PGPASSWORD: 'p',
    }),
  ).toEqual(['GH_TOKEN', 'DATABASE_URL', 'NOTES', 'PGPASSWORD']);
});
