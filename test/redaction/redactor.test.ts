import { describe, expect, test } from 'vitest';
import { createRedactor } from '../../src/redaction/redactor.js';
import { redactorConformance, streamed } from '../conformance/redactor.js';
import { verifies } from '../helpers/verifies.js';

redactorConformance({ name: 'of one process', make: env => createRedactor({ env }) });
redactorConformance({ name: 'with a further rule', make: env => createRedactor({ env, extra: [text => text] }) });

const redactor = createRedactor({ env: {} });
const A40 = 'aB3/'.repeat(10);
const KEY = `${'MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7\n'.repeat(3)}abc=`;
const PEM = `-----BEGIN RSA PRIVATE KEY-----\n${KEY}\n-----END RSA PRIVATE KEY-----`;

describe('tokens by their shape', () => {
  test.each([
    `ghp_${'a1'.repeat(18)}`,
    `gho_${'a1'.repeat(18)}`,
    `ghs_${'A1'.repeat(18)}`,
    `github_pat_${'a1_'.repeat(10)}`,
    `glpat-${'a1-'.repeat(7)}`,
    `npm_${'a1'.repeat(18)}`,
    `AIza${'a1-'.repeat(12)}`,
    'xoxb-1234567890-abcdef',
    'xapp-1-A123-456-abcdef',
    'AKIAIOSFODNN7EXAMPLE',
    'ASIAIOSFODNN7EXAMPLE',
    `sk-proj-${'a1'.repeat(20)}`,
    `sk-ant-api03-${'a1'.repeat(20)}`,
    `sk_live_${'a1'.repeat(12)}`,
    `rk_test_${'a1'.repeat(12)}`,
    `hf_${'aB'.repeat(17)}`,
    `pypi-${'aB1'.repeat(20)}`,
    `glsa_${'aB1'.repeat(10)}`,
    `SG.${'aB1'.repeat(7)}.${'aB1'.repeat(14)}`,
    `ya29.${'aB1-'.repeat(10)}`,
    `AGE-SECRET-KEY-1${'Q2'.repeat(29)}`,
    `eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.${'aB1'.repeat(14)}`,
  ])('%.16s…', token => {
    verifies('P10');
    for (const text of [token, `echo ${token}`, `"${token}",`, `(${token})`, `x=${token};`, `https://h/?a=${token}&b=1`]) {
      expect(redactor.redact(text)).toMatch(/\[redacted:[\w-]+:[0-9a-f]{6}\]/);
      expect(redactor.redact(text)).not.toContain(token.slice(-8));
    }
  });

  test('the secret half of an AWS pair, on the same line or the next', () => {
    verifies('P10');
    for (const between of [' ', ': ', '\n', '","', '=']) {
      const text = `AKIAIOSFODNN7EXAMPLE${between}${A40}`;
      expect(redactor.redact(text)).not.toContain('aB3/');
      for (const size of [1, 7, 21]) expect(streamed(redactor, text, Array(70).fill(size))).toBe(redactor.redact(text));
    }
    expect(redactor.redact(A40)).toBe(A40); // on its own it has no shape
  });

  test.each([
    'sk-learn and sk-something-without-digits-in-it',
    'a risk-1234567890123456789012 b',
    'git log --format=%h 3f2a9c1d4e5b6a7f8091',
    'npm_config_registry=https://registry.npmjs.org',
    'eyJ',
    'the ghp_ prefix',
    'AKIA is a prefix',
    'xoxo',
    'bearer of news',
  ])('no token: %s', text => {
    expect(redactor.redact(text)).toBe(text);
  });
});

/** `@` is the secret. What stands around it must stay. */
const TAKEN: readonly string[] = [
  'PASSWORD=@',
  'export DB_PASSWORD=@; ls',
  'API_KEY="@" make',
  "API_KEY='@' make",
  'env GITHUB_TOKEN=@ gh pr list',
  'tool --password @ --user ana',
  'tool --password=@ --user ana',
  "tool --api-key '@' x",
  'tool -token @',
  '{"password": "@", "user": "ana"}',
  '{"clientSecret":"@"}',
  '{\\"password\\": \\"@\\", \\"n\\": 1}',
  'password: @',
  'db.password = @',
  'Authorization: Bearer @',
  'curl -H "Authorization: Basic @" https://h',
  "curl -H 'X-Api-Key: @' https://h",
  'Proxy-Authorization: token @',
  'secret_key => "@"',
  'Cookie: sid=@',
  'Set-Cookie: sid=@; Path=/; HttpOnly',
  "curl -H 'Cookie: a=1; sid=@; b=2' https://h",
  '{"cookie": "a=1; sid=@"}',
  "curl --cookie 'sid=@' https://h",
  'curl -b sid=@ https://h',
  'mysql -p@ -u root',
  'mysqldump -u root -p@ db',
  'sshpass -p @ ssh host',
  "sshpass -p '@' ssh host",
  'docker login -u ana -p @ registry',
  'curl -u ana:@ https://h',
  'curl --user ana:@ https://h',
  'sudo curl -u ana:@ https://h',
  'zip -P @ a.zip b',
  'redis-cli -a @ ping',
  'ldapsearch -w @ -x',
  'smbclient -U ana%@ //h/s',
  'openssl rsa -passin pass:@ -in k',
  'git clone https://ana:@@host/repo.git'.replace('@@', '@\u0000'),
  'psql postgres://app:@\u0000db:5432/app',
];

describe('secrets by their place', () => {
  test.each(TAKEN)('%s', pattern => {
    verifies('P10', 'I19');
    const secret = 'Zx9qLm4T';
    const text = pattern.replace('@', secret).replace('\u0000', '@');
    const redacted = redactor.redact(text);
    expect(redacted).not.toContain(secret);
    const around = redacted.replace(/\[redacted:[\w-]+:[0-9a-f]{6}\]/, secret);
    expect(around).toBe(text); // exactly the secret was taken, once
  });

  test.each([
    'export PASSWORD=$PASSWORD',
    'curl -H "Authorization: Bearer $TOKEN"',
    'curl -H "Cookie: sid=$SID" https://h',
    'curl -b cookies.txt -c cookies.txt https://h',
    'the cookie: a biscuit',
    'TOKEN=$(cat token.txt) make',
    'TOKEN="$(op read op://vault/item)" make',
    'curl -H "Authorization: Bearer ${TOKEN}" https://h',
    'password: ${DB_PASSWORD}',
    'export DB_PASSWORD=${DB_PASSWORD}; make',
    '{"password": "${DB_PASSWORD}", "n": 1}',
    'password: <your password>',
    'password: {{ vault_password }}',
    'password=true',
    'token: null',
    'PWD=/home/ana',
    'TOKEN_FILE=/run/token make',
    'max_tokens=4096',
    'docker run -p 8080:80 nginx',
    'mysql -p',
    'mkdir -p build/token/keys',
    'cp -p secret.txt backup.txt',
    'git log --author=ana',
    'tar --keep-old-files -xf a.tar',
    'ssh -i ~/.ssh/id_ed25519 host',
    'see https://host/path?q=1',
    'git clone git@host:repo.git',
    'scp file ana@host:/tmp',
    'echo "the password is needed"',
    'token --help',
    'key: value',
  ])('stays readable: %s', text => {
    expect(redactor.redact(text)).toBe(text);
  });

  test('what only looks like a reference is a secret', () => {
    verifies('P10');
    for (const text of [
      'password: $ecret12',
      "PASSWORD='$ecret12'",
      'PASSWORD=$x-ecret12',
      'PASSWORD=${x}ecret12',
      'password: ${x}ecret12',
      "PASSWORD='basic $ecret12'",
    ]) {
      expect(redactor.redact(text)).not.toContain('ecret12');
    }
  });

  test('a secret with blanks goes whole when it is quoted', () => {
    verifies('P10');
    for (const text of ['PASSWORD="two words" x', "PASSWORD='two words' x", '{"password":"two \\"words\\""}']) {
      expect(redactor.redact(text)).not.toMatch(/two|words/);
    }
  });

  test('a long user name of a URL is a token', () => {
    const user = 'aB3'.repeat(10);
    expect(redactor.redact(`git clone https://${user}@host/r`)).toMatch(
      /^git clone https:\/\/\[redacted:url-password:\w+\]@host\/r$/,
    );
    expect(redactor.redact('https://ana@host/r')).toBe('https://ana@host/r');
  });

  test('a password of a URL goes up to the last @ before the path', () => {
    expect(redactor.redact('https://ana:p@ss:w@host/p@th')).toMatch(/^https:\/\/ana:\[redacted:url-password:\w+\]@host\/p@th$/);
  });
});

describe('private keys', () => {
  test.each([
    ['as it stands in its file', PEM],
    ['with CRLF', PEM.replaceAll('\n', '\r\n')],
    ['escaped for JSON', JSON.stringify(PEM)],
    ['escaped twice', JSON.stringify(JSON.stringify(PEM))],
    ['on one line', PEM.replaceAll('\n', ' ')],
    ['indented', PEM.replaceAll('\n', '\n    ')],
    ['encrypted, with headers', PEM.replace('-----\n', '-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,0011\n\n')],
    ['OpenSSH', PEM.replaceAll('RSA', 'OPENSSH')],
    ['PGP', PEM.replaceAll('RSA PRIVATE KEY', 'PGP PRIVATE KEY BLOCK')],
    ['cut short', PEM.slice(0, 150)],
  ])('%s', (_, text) => {
    verifies('P10');
    const redacted = redactor.redact(`before\n${text}\n-- after`);
    expect(redacted).not.toMatch(/MIIE|AAoIBA|abc=/);
    expect(redacted).toContain('[redacted:private-key:');
    expect(redacted).toMatch(/^before\n/);
    expect(redacted).toMatch(/after$/);
    for (const size of [1, 7, 50]) {
      expect(streamed(redactor, `before\n${text}\n-- after`, Array(text.length).fill(size))).toBe(redacted);
    }
  });

  test('public parts stay, and a command cannot hide behind a lone beginning', () => {
    for (const text of [
      PEM.replaceAll('RSA PRIVATE KEY', 'CERTIFICATE'),
      PEM.replaceAll('PRIVATE', 'PUBLIC'),
      'echo -----BEGIN RSA PRIVATE KEY-----; rm -rf ~/work; echo done',
      'grep -r -- "-----BEGIN PRIVATE KEY-----" .',
    ]) {
      expect(redactor.redact(text)).toBe(text);
    }
  });
});

describe('values', () => {
  test('fields with a secret name lose their text; every other string is looked through', () => {
    verifies('P10', 'I19');
    const value = {
      env: { DB_PASSWORD: 'p w', PATH: '/bin', EMPTY_TOKEN: '', SHORT_TOKEN: 'ab' },
      headers: [{ authorization: 'Bearer Zx9qLm4TZx9qLm4T1' }],
      list: ['PASSWORD=hunter22', 'plain'],
      max_tokens: 'plain text',
      api_key: 12_345,
    };
    const redacted = redactor.redactValue(value);
    expect(redacted.env).toEqual({
      DB_PASSWORD: expect.stringMatching(/^\[redacted:value:/),
      PATH: '/bin',
      EMPTY_TOKEN: '',
      SHORT_TOKEN: 'ab',
    });
    expect(redacted.headers[0]!.authorization).not.toContain('Zx9qLm4T');
    expect(redacted.list).toEqual([expect.stringMatching(/^PASSWORD=\[redacted:value:\w+\]$/), 'plain']);
    expect([redacted.max_tokens, redacted.api_key]).toEqual(['plain text', 12_345]);
    expect(redactor.redactValue(redacted)).toEqual(redacted);
  });

  test('a value without secrets is the same object', () => {
    const value = { a: [{ b: 'text' }], c: 1 };
    expect(redactor.redactValue(value)).toBe(value);
  });

  test('a name that every object has is a key like any other', () => {
    const value = JSON.parse('{"__proto__": "PASSWORD=hunter22", "constructor": "x"}') as Record<string, string>;
    const redacted = redactor.redactValue(value);
    expect(Object.keys(redacted)).toEqual(['__proto__', 'constructor']);
    expect(JSON.stringify(redacted)).not.toContain('hunter22');
  });
});

describe('what the environment knows', () => {
  const KNOWN = 'it\'s "a$b`c\\d\nsecond line of it\u0007é';
  const known = createRedactor({ env: { MY_SECRET: KNOWN, DB_URL: 'postgres://app:pg-Pass%21word@db/x', HOME: '/home/ana' } });

  test.each<[string, (value: string) => string]>([
    ['raw', value => value],
    ['in JSON', value => JSON.stringify(value).slice(1, -1)],
    ['in JSON in JSON', value => JSON.stringify(JSON.stringify(value).slice(1, -1)).slice(1, -1)],
    ['with CRLF', value => value.replaceAll('\n', '\r\n')],
    ['in single quotes', value => value.replaceAll("'", "'\\''")],
    ['in double quotes', value => value.replace(/["\\$`]/g, '\\$&')],
    ['for a URL', encodeURIComponent],
    ['base64', value => Buffer.from(value).toString('base64')],
    ['base64url', value => Buffer.from(value).toString('base64url')],
    ['as a person is shown it', value => value.replace('\n', '⏎').replace('\u0007', '<U+0007>')],
    ['as a person is shown it, plain', value => value.replace('\u0007', '<U+0007>').replace('é', '<U+00E9>')],
    ['with escaped control characters', value => value.replace('\n', '\\x0a').replace('\u0007', '\\x07')],
  ])('a value is found %s', (_, form) => {
    verifies('P10');
    const text = `before ${form(KNOWN)} after`;
    const redacted = known.redact(text);
    expect(redacted).toMatch(/^before \[redacted:env:[0-9a-f]{6}\]=* after$/);
  });

  test('a line of it that is long enough, and the password in a URL, are secrets of their own', () => {
    expect(known.redact('second line of it\u0007é')).toMatch(/^\[redacted:env/);
    expect(known.redact('psql --pw pg-Pass%21word')).toMatch(/^psql --pw \[redacted:env/);
    expect(known.redact('postgres://app')).toBe('postgres://app');
  });

  test('values that everything holds are not secrets', () => {
    const env = {
      A_TOKEN: 'true',
      B_SECRET: 'password',
      C_TOKEN: '/usr/bin',
      D_SECRET: '1234567',
      E_TOKEN: 'xxxxxxxx',
      F_TOKEN: '/home/ana/a/b',
      HOME: '/home/ana/a/b',
      G_TOKEN: 'short',
      H_KEY: '',
    };
    const text = `${Object.values(env).join(' ')}`;
    expect(createRedactor({ env }).redact(text)).toBe(text);
  });

  test('of overlapping secrets nothing stays', () => {
    verifies('P10');
    const both = createRedactor({ env: { A_TOKEN: 'abcdefgh', B_TOKEN: 'efghijkl', C_TOKEN: 'abcdefghijklmnop' } });
    expect(both.redact('abcdefghijkl')).toMatch(/^\[redacted:env:\w+\]$/);
    expect(both.redact('xabcdefghijklmnopx')).toMatch(/^x\[redacted:env:\w+\]x$/);
    expect(both.redact('abcdefghabcdefgh')).toMatch(/^(?:\[redacted:env:\w+\]){2}$/);
  });
});

test('a further rule comes after ours, and one that throws costs the text', () => {
  verifies('P10');
  const more = createRedactor({ env: { A_TOKEN: 'abcdefgh' }, extra: [text => text.replaceAll('ACME-1234', '#')] });
  expect(more.redact('ACME-1234 abcdefgh')).toMatch(/^# \[redacted:env:\w+\]$/);
  expect(more.redactValue({ a: ['ACME-1234'] })).toEqual({ a: ['#'] });
  const broken = createRedactor({
    env: {},
    extra: [
      () => {
        throw new Error('broken');
      },
    ],
  });
  expect(broken.redact('anything at all')).toMatch(/^\[redacted:unread:\w+\]$/);
  const stream = broken.stream();
  expect(stream.write('anything\nat all') + stream.end()).toMatch(/^(?:\[redacted:unread:\w+\]){2}$/);
});
