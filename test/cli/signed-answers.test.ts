import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { freshHome, runCli } from '../helpers/cli.js';
import { verifies } from '../helpers/verifies.js';
import { connect } from '../mcp/connect.js';

const POLICY = "[[rule]]\nid = 'releases'\ndecision = 'ask'\ncommand = 'touch **'\nlevel = 'keyed'\n";
const pem = (key: KeyObject): string => key.export({ format: 'pem', type: key.type === 'private' ? 'pkcs8' : 'spki' }).toString();

function configure(env: Record<string, string>, text: string): void {
  const directory = join(env['XDG_CONFIG_HOME']!, 'shellgate');
  mkdirSync(directory, { recursive: true });
  writeFileSync(join(directory, 'config.toml'), text);
}

/** A server with a question that only a signature answers, and Ana's private key in a file. */
async function asking() {
  const env = freshHome();
  const home = env['HOME']!;
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  configure(env, `[answer_keys]\nana = '''\n${pem(publicKey)}'''\n`);
  writeFileSync(join(home, 'policy.toml'), POLICY);
  writeFileSync(join(home, 'key.pem'), pem(privateKey));
  const connected = await connect({ env, args: ['--answer-wait', '0.2', '--policy', join(home, 'policy.toml')] });
  const { request } = await connected.run('touch made');
  return { ...connected, home, id: String(request), privateKey };
}

test('a signature of a key in config.toml answers what nothing else does', async () => {
  verifies('P3');
  const { env, home, id } = await asking();
  const unsigned = await runCli(['approve', id], { env });
  expect([unsigned.status, unsigned.stderr]).toEqual([
    126,
    'shellgate: LEVEL_TOO_LOW this question needs an answer at level keyed; this one is same-user; sign it: --key FILE\n',
  ]);
  const { status, stdout } = await runCli(['approve', id, '--key', join(home, 'key.pem')], { env });
  expect([status, stdout]).toEqual([0, `${id.slice(0, 4)} allowed once; running in session main.\n`]);
  await vi.waitFor(() => expect(existsSync(join(home, 'made'))).toBe(true));
});

test('a sealed key is opened by openssl, on stdin', async () => {
  const { env, home, id, privateKey } = await asking();
  const sealed = privateKey.export({ format: 'pem', type: 'pkcs8', cipher: 'aes256', passphrase: 'x' }).toString();
  writeFileSync(join(home, 'sealed.pem'), sealed);
  const refused = await runCli(['approve', id, '--key', join(home, 'sealed.pem')], { env });
  expect(refused.stderr).toMatch(
    /^shellgate: KEY_INVALID .*sealed\.pem {2}is sealed with a passphrase; .*openssl pkey -in KEY \|/,
  );
  const { status } = await runCli(['approve', id, '--key', '-'], { env, stdin: pem(privateKey) });
  expect(status).toBe(0);
});

test.each([
  [
    'of somebody else',
    () => pem(generateKeyPairSync('ed25519').privateKey),
    /^shellgate: LEVEL_TOO_LOW .* none of the answer_keys/,
  ],
  [
    'of another kind',
    () => pem(generateKeyPairSync('x25519').privateKey),
    /^shellgate: KEY_INVALID stdin {2}is no Ed25519 .* it is x25519/,
  ],
  ['that is none', () => 'key', /^shellgate: KEY_INVALID stdin {2}is no Ed25519 private key in PEM/],
])('a key %s answers nothing', async (_name, key, message) => {
  verifies('P3');
  const { env, id } = await asking();
  const { status, stderr } = await runCli(['approve', id, '--key', '-'], { env, stdin: key() });
  expect(stderr).toMatch(message);
  expect(status).not.toBe(0);
  expect((await runCli(['pending'], { env })).stdout).toContain(id);
});

test('a file that is not there, and a public key that is none, are named', async () => {
  const env = freshHome();
  const missing = await runCli(['approve', 'abcd-1234', '--key', '/nowhere.pem'], { env });
  expect(missing.stderr).toMatch(/^shellgate: KEY_UNREADABLE \/nowhere\.pem {2}ENOENT/);
  configure(env, "answer_keys = { ana = 'x' }\n");
  const { status, stderr } = await runCli(['run', 'true'], { env });
  expect(stderr).toMatch(/^shellgate: KEY_INVALID ana {2}the key of ana is no Ed25519 public key/);
  expect(status).toBe(125);
});
