import { mkdirSync, readdirSync, readFileSync, realpathSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { parse } from 'smol-toml';
import { describe, expect, test } from 'vitest';
import { diffLines } from '../../src/cli/setup/diff.js';
import { edited, editJson } from '../../src/cli/setup/edit-json.js';
import { editToml } from '../../src/cli/setup/edit-toml.js';
import { freshHome, MAIN, runCli } from '../helpers/cli.js';

const CLIENTS = ['claude-code', 'codex', 'cursor', 'vscode', 'opencode', 'gemini'];
const SCRIPT = realpathSync(MAIN);

/** A user's home that clients keep their files in. */
function home() {
  const { XDG_CONFIG_HOME: _unset, ...env } = freshHome();
  const place = (path: string) => join(env['HOME']!, path);
  const put = (path: string, text: string | Buffer) => {
    mkdirSync(dirname(place(path)), { recursive: true });
    writeFileSync(place(path), text);
  };
  const read = (path: string) => readFileSync(place(path), 'utf8');
  const files = () =>
    readdirSync(env['HOME']!, { recursive: true, encoding: 'utf8' }).filter(name => statSync(place(name)).isFile());
  return { env, place, put, read, files };
}

test.each(CLIENTS)('setup %s prints what to add, by absolute paths, and writes nothing', async client => {
  const { env, files } = home();
  const { status, stdout, stderr } = await runCli(['setup', client], { env });
  expect([status, stderr]).toEqual([0, '']);
  expect(stdout).toContain(process.execPath);
  expect(stdout).toContain(SCRIPT);
  expect(stdout).not.toMatch(/npx/);
  expect(files()).toEqual([]);
});

const JSON_CLIENTS: readonly (readonly [client: string, path: string, servers: 'mcpServers' | 'servers' | 'mcp'])[] = [
  ['claude-code', '.claude.json', 'mcpServers'],
  ['cursor', '.cursor/mcp.json', 'mcpServers'],
  ['vscode', '.config/Code/User/mcp.json', 'servers'],
  ['opencode', '.config/opencode/opencode.json', 'mcp'],
  ['gemini', '.gemini/settings.json', 'mcpServers'],
];

test.each(JSON_CLIENTS)('setup %s --write adds itself to %s, keeps the rest and a backup, and does it once', async (...row) => {
  const [client, path, servers] = row;
  const { env, put, read, files } = home();
  const before = { theme: 'dark', [servers]: { other: { command: 'o' } } };
  put(path, `${JSON.stringify(before, null, '\t')}\n`);
  const first = await runCli(['setup', client, '--write'], { env });
  expect([first.status, first.stderr]).toEqual([0, '']);
  expect(first.stdout).toMatch(/^\+\t\t"shellgate": \{$/m);
  expect(first.stdout).not.toMatch(/^-\t"theme"/m);
  const after = JSON.parse(read(path)) as typeof before;
  expect(after.theme).toBe('dark');
  expect(Object.keys(after[servers]!)).toEqual(['other', 'shellgate']);
  expect(JSON.stringify(after[servers])).toContain(SCRIPT);
  expect(read(path)).toContain('\n\t"theme": "dark"');
  const backups = files().filter(name => name.includes('.before-shellgate-'));
  expect(backups.map(name => JSON.parse(read(name)))).toEqual([before]);

  const second = await runCli(['setup', client, '--write'], { env });
  expect(second.stdout).toContain('has it already');
  expect(second.stdout).not.toMatch(/^(?:---|\+\+\+) /m);
  expect(files().filter(name => name.includes('.before-shellgate-'))).toEqual(backups);
});

test("the client's own shell is off, and it does not ask about ours, where a file can say so", async () => {
  const { env, read } = home();
  for (const client of ['claude-code', 'opencode', 'gemini', 'cursor']) await runCli(['setup', client, '--write'], { env });
  expect(JSON.parse(read('.claude/settings.json'))).toEqual({ permissions: { allow: ['mcp__shellgate'], deny: ['Bash'] } });
  expect(JSON.parse(read('.config/opencode/opencode.json'))).toHaveProperty('permission.bash', 'deny');
  expect(JSON.parse(read('.gemini/settings.json'))).toMatchObject({
    tools: { exclude: ['run_shell_command'] },
    mcpServers: { shellgate: { trust: true, timeout: 660_000 } },
  });
  expect(JSON.parse(read('.cursor/permissions.json'))).toEqual({ mcpAllowlist: ['shellgate:*'] });
});

test('setup codex --write keeps comments and order, and switches the built-in shell off', async () => {
  const { env, put, read } = home();
  put(
    '.codex/config.toml',
    '# mine\nmodel = "x" # keep\n\n[features]\nshell_tool = true\nweb = true # yes\n\n[mcp_servers.other]\ncommand = "o"\n',
  );
  expect(await runCli(['setup', 'codex', '--write'], { env })).toMatchObject({ status: 0, stderr: '' });
  const text = read('.codex/config.toml');
  expect(text).toContain('# mine\nmodel = "x" # keep\n\n[features]\n');
  expect(text).toContain('web = true # yes');
  expect(parse(text)).toMatchObject({
    model: 'x',
    features: { shell_tool: false, unified_exec: false, web: true },
    mcp_servers: {
      other: { command: 'o' },
      shellgate: { command: process.execPath, args: [SCRIPT, 'mcp'], required: true, tool_timeout_sec: 660 },
    },
  });
});

test('a configuration that is a link stays one', async () => {
  const { env, put, place, read } = home();
  put('dotfiles/gemini.json', '{}');
  mkdirSync(place('.gemini'));
  symlinkSync(place('dotfiles/gemini.json'), place('.gemini/settings.json'));
  await runCli(['setup', 'gemini', '--write'], { env });
  expect(JSON.parse(read('dotfiles/gemini.json'))).toHaveProperty('mcpServers.shellgate.trust', true);
});

test('tells clients that pass on little where our sockets are', async () => {
  const { env } = home();
  const { stdout } = await runCli(['setup', 'codex'], { env });
  expect(parse(stdout)).toMatchObject({
    mcp_servers: { shellgate: { env: { XDG_STATE_HOME: env['XDG_STATE_HOME'] } } },
  });
});

describe('what cannot be done is said, and nothing is written', () => {
  test('an unknown client', async () => {
    const { env, files } = home();
    const { status, stdout, stderr } = await runCli(['setup', 'emacs', '--write'], { env });
    expect([status, stdout, files()]).toEqual([125, '', []]);
    expect(stderr).toMatch(
      /^shellgate: UNKNOWN_CLIENT .*"emacs" is none of claude-code, codex, cursor, vscode, opencode, gemini\n/,
    );
  });

  test.each<[string, string, string, string | Buffer, string]>([
    ['no JSON', 'gemini', '.gemini/settings.json', '{"a": 1,}', 'not plain JSON'],
    ['comments', 'opencode', '.config/opencode/opencode.jsonc', '{ // mine\n}', 'a file with comments is left to you'],
    ['a list instead of an object', 'gemini', '.gemini/settings.json', '[]', 'the whole file is no object'],
    ['something in the way', 'gemini', '.gemini/settings.json', '{"mcpServers": "none"}', 'mcpServers is no object'],
    ['no list where one is needed', 'gemini', '.gemini/settings.json', '{"tools": {"exclude": "x"}}', 'tools.exclude is no list'],
    ['no TOML', 'codex', '.codex/config.toml', 'a = \n', 'not valid TOML'],
    ['an inline table', 'codex', '.codex/config.toml', 'features = { web = true }\n', 'cannot change safely'],
    ['no UTF-8', 'gemini', '.gemini/settings.json', Buffer.from([0x7b, 0xff, 0x7d]), 'cannot be read'],
  ])('%s', async (_what, client, path, content, says) => {
    const { env, put, place, files } = home();
    put(path, content);
    const before = readFileSync(place(path));
    const { status, stdout, stderr } = await runCli(['setup', client, '--write'], { env });
    expect([status, stdout]).toEqual([125, '']);
    expect(stderr).toContain(`shellgate: CLIENT_CONFIG_INVALID ${place(path)}`);
    expect(stderr).toContain(says);
    expect(stderr).toContain('Nothing was written');
    expect(files()).toEqual([path]);
    expect(readFileSync(place(path))).toEqual(before);
  });

  test('of two files, a bad second one keeps the first from being written', async () => {
    const { env, put, files } = home();
    put('.claude/settings.json', 'nonsense');
    expect((await runCli(['setup', 'claude-code', '--write'], { env })).status).toBe(125);
    expect(files()).toEqual(['.claude/settings.json']);
  });
});

describe('editing, for any file', () => {
  const clone = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

  test('JSON: every other value stays, and a second time changes nothing', () => {
    const key = fc.constantFrom('a', 'b', 'mcp', '__proto__', 'constructor', 'x y', 'é');
    const edits = [
      { at: ['mcp-servers', 'shellgate'], set: { command: '/x', args: ['y'] } },
      { at: ['lists', 'deny'], include: 'Bash' },
    ] as const;
    fc.assert(
      fc.property(fc.dictionary(key, fc.jsonValue({ maxDepth: 2 })), before => {
        const text = JSON.stringify(before);
        const once = editJson(text, edits, 'f');
        const after = JSON.parse(once) as Record<string, unknown>;
        for (const [name, value] of Object.entries(JSON.parse(text) as object)) {
          expect(Object.getOwnPropertyDescriptor(after, name)?.value).toEqual(value);
        }
        expect(after).toMatchObject({ 'mcp-servers': { shellgate: { command: '/x', args: ['y'] } }, lists: { deny: ['Bash'] } });
        expect(editJson(once, edits, 'f')).toBe(once);
      }),
    );
  });

  test('TOML: the result is the file with the edits made, comments kept, and a second time changes nothing', () => {
    const edits = [
      { at: ['servers', 'shellgate'], set: { command: '/x', env: { A: 'b' } } },
      { at: ['features', 'shell'], set: false },
    ];
    const blocks = fc.subarray([
      '[features]\nweb = true # kept',
      '[features.sub]\nshell = 1 # kept',
      '[servers.other]\ncommand = "o" # kept\n# kept',
      '[servers.shellgate]\ncommand = "old"\n[servers.shellgate.env]\nB = "c"',
      '[[many]]\nx = 1 # kept\n[[many]]\nx = 2',
      '[last]\ntext = """\na\n""" # kept',
    ]);
    fc.assert(
      fc.property(blocks, fc.boolean(), (chosen, top) => {
        const text = `${top ? 'model = "x" # kept\n' : ''}${chosen.join('\n')}\n`;
        const once = editToml(text, edits, 'f');
        expect(clone(parse(once))).toEqual(edited(clone(parse(text)), edits, 'f'));
        expect(once.match(/# kept/g) ?? []).toEqual(text.match(/# kept/g) ?? []);
        expect(editToml(once, edits, 'f')).toBe(once);
      }),
    );
  });

  test('a diff holds every line of both sides that differs, in order', () => {
    const lines = fc.array(fc.constantFrom('a', 'b', 'c'), { minLength: 1, maxLength: 7 });
    fc.assert(
      fc.property(lines, lines, (old, fresh) => {
        const drawn = diffLines('f', `${old.join('\n')}\n`, `${fresh.join('\n')}\n`).slice(2);
        const side = (hidden: string) =>
          drawn.filter(line => !line.startsWith(hidden)).map(line => (line === '…' ? line : line.slice(1)));
        expect(holds(side('+'), old)).toBe(true);
        expect(holds(side('-'), fresh)).toBe(true);
        if (old.join() === fresh.join()) expect(drawn).toEqual([]);
      }),
    );
  });

  /** Do these drawn lines stand in the text in this order, with nothing in between but where an ellipsis says so? */
  function holds(drawn: readonly string[], text: readonly string[]): boolean {
    const pattern = drawn.map(line => (line === '…' ? '(?:.\n)*' : `${line}\n`)).join('');
    return new RegExp(`^(?:.\n)*${pattern}(?:.\n)*$`).test(`${text.join('\n')}\n`);
  }
});
