import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { runCli } from '../helpers/cli.js';
import { records } from '../mcp/connect.js';
import { ASSISTANTS, isInstalled } from './assistants.js';
import { fakeModel } from './fake-model.js';
import { questionAbout, start, userOf } from './start.js';

const REFUSAL = 'Pushes leave this machine through the release job only.';
const SENTENCE = 'Put it into the staging folder instead.';
const POLICY = `default = 'ask'

[[rule]]
id = 'look'
decision = 'allow'
command = 'cat **'

[[rule]]
id = 'no-push'
decision = 'deny'
command = 'git push **'
reason = '${REFUSAL}'
tell = true
`;
const TOKEN = 'only-the-file-says-5b1f';
const LIMIT_MS = 180_000;

describe.each(ASSISTANTS)('$name, started as it is, with what setup printed', assistant => {
  test('runs a command, is refused one, hears what a person says to two more', { timeout: LIMIT_MS }, async ({ skip }) => {
    if (!isInstalled(assistant)) skip(`${assistant.name} is not installed: npm run clients:install`);
    const user = await userOf(assistant, POLICY);
    const place = (name: string) => join(user.workspace, name);
    writeFileSync(place('token.txt'), `${TOKEN}\n`);
    const plan = ['cat token.txt', 'git push origin main', 'touch denied.txt', 'touch approved.txt'];
    const model = await fakeModel(assistant.wire, [...plan.map(run => ({ run })), { say: 'That was all.' }]);

    const { ended } = start(assistant, user, model.url);
    const denied = await questionAbout('touch denied.txt', user, ended);
    expect(await runCli(['deny', denied, SENTENCE], user)).toMatchObject({ status: 0 });
    const approved = await questionAbout('touch approved.txt', user, ended);
    expect(await runCli(['approve', approved], user)).toMatchObject({ status: 0 });
    const { status, screen } = await ended;

    expect(status, screen).toBe(0);
    const told = model.shown.at(-1)!.results;
    expect(told).toEqual([
      expect.stringContaining(TOKEN),
      expect.stringContaining(REFUSAL),
      expect.stringContaining(SENTENCE),
      expect.stringContaining('"exitCode":0'),
    ]);
    // Each of them was in the request that followed it, word for word as it stayed.
    const histories = plan.map((_, index) => model.shown.find(({ results }) => results.length === index + 1)?.results);
    expect(histories).toEqual(plan.map((_, index) => told.slice(0, index + 1)));
    expect([existsSync(place('denied.txt')), existsSync(place('approved.txt'))]).toEqual([false, true]);
    const asked = records(user.env).filter(({ type }) => type === 'command.requested');
    expect(asked.map(({ data }) => data['text'])).toEqual(plan);
    for (const { tools } of model.shown) {
      expect(tools).toContainEqual(expect.stringMatching(/shellgate.*run_shell$/));
      expect(tools.filter(name => assistant.ownShell.includes(name))).toEqual([]);
    }
  });
});
