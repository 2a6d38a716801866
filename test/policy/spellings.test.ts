import { describe, expect, test } from 'vitest';
import { judging } from './analysed.js';

const RULES = [
  'docker rm **',
  'docker rmi **',
  'docker compose down **',
  'npm install **',
  'npm run deploy **',
  'git config --global **',
  'curl -k **',
  'chmod 777 **',
  'chmod +x **',
  'kill -9 **',
  'make deploy **',
  'cargo install **',
  'helm uninstall **',
  'git rebase -i **',
  'pip install **',
  'evil **',
];

const decide = (async () => {
  const rule = RULES.map((command, index) => ({ id: `r${index}`, decision: 'deny', command }));
  return judging({ texts: [{ name: 'deny.json', text: JSON.stringify({ default: 'ask', rule }) }] });
})();

const decision = async (text: string): Promise<string> => (await (await decide)(text)).decision;

describe('a deny speaks of an act by all its names', () => {
  test.each([
    'docker container rm x',
    'docker --context c container rm -f x',
    'docker image rm x',
    'docker compose -f x.yml --profile p down -v',
    'npm i x',
    'npm --prefix a add b',
    'npm run-script deploy',
    'git config user.name x --global',
    'git -C a config --global user.name x',
    'curl -sk https://h',
    'curl https://h --insecure',
    'chmod 0777 f',
    'chmod -R a+rwx d',
    'chmod u+x f',
    'kill -KILL 1',
    'kill -s 9 1',
    'kill --signal=SIGKILL 1',
    'make -C x -j4 deploy',
    'cargo +nightly install x',
    'helm -n x del y',
    'git rebase --interactive HEAD~2',
    'pip3.11 -q install x',
    'python3 -m pip install x',
    'bash ./evil',
    'GIT_PAGER=evil git log',
    'GIT_SSH_COMMAND="evil -x" git fetch',
  ])('%s', async text => {
    expect(await decision(text)).toBe('deny');
  });
});

describe('and of no other', () => {
  test.each([
    'chmod 644 f',
    'chmod -x f',
    'kill 1',
    'kill -TERM 9',
    'docker ps -a',
    'docker volume rm x',
    'docker compose up -d down',
    'npm ls install',
    'npm run build -- deploy',
    'git config user.name x',
    'git log --global-x',
    'curl -s https://h/k',
    'make -C deploy all',
    'cargo build',
    'git rebase main',
    'GIT_PAGER=less git log',
    'echo bash ./evil',
  ])('%s', async text => {
    expect(await decision(text)).not.toBe('deny');
  });
});
