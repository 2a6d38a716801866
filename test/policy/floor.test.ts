import { describe, expect, test } from 'vitest';
import { stateDirectory } from '../../src/platform.js';
import { verifies } from '../helpers/verifies.js';
import { judging } from './analysed.js';

/** As loose as a policy can be: everything that is not denied is allowed, all effects granted. */
const LOOSE = `default = 'allow'
[[rule]]
id = 'all'
decision = 'allow'
effects = { read = ['**'], write = ['**'], network = ['*'], exec = ['*'], code = ['*'], state = ['*'], config = ['*'], environment = ['*'], process = ['*'], privilege = ['*'], disclosure = ['*'] }
`;
const loose = judging({ texts: [{ name: 'loose.toml', text: LOOSE }] });
const decide = async (text: string) => (await (await loose)(text)).decision;

describe('the floor, below the loosest policy', () => {
  test.each([
    'rm -rf /',
    'rm -rf /*',
    'rm -r -f --no-preserve-root /',
    'sudo rm -rf /usr',
    'rm -rf ~',
    'rm -rf ~/',
    'rm -rf $HOME',
    'rm -rf "$HOME"/*',
    'rm -rf .',
    'rm -rf *',
    'rm -rf ./*',
    'rm -rf .[!.]* *',
    'rm -rf /repo',
    'cd / && rm -rf repo',
    'cd .. && rm -rf *',
    'find / -delete',
    'find . -delete',
    'find . -type f -delete',
    'find ~ -exec rm -rf {} +',
    'sh -c "rm -rf /"',
    "eval 'rm -rf ~'",
    'env -S "rm -rf /"',
    'xargs -I{} rm -rf / < f',
    "r''m -rf /",
    'chmod -R 777 /',
    'shellgate approve k7qd',
    'shellgate policy trust x',
    'echo x >> ~/.bashrc',
    'cp evil ~/.profile',
    'tee ~/.zshrc < x',
    'echo x > ~/.config/shellgate/config.toml',
    `echo x > ${stateDirectory()}/grants.toml`,
    'rm ~/.local/state/shellgate/audit/x.jsonl',
    'echo 1 > /proc/sys/kernel/x',
    'dd if=/dev/zero of=/dev/sda',
    'echo x > /dev/nvme0n1',
  ])('denies %s', async text => {
    expect(await decide(text)).toBe('deny');
  });

  test.each([
    'rm -rf build',
    'rm -rf src/*',
    'rm -rf ../other/x',
    'touch a',
    'echo x > .bashrc',
    'cat ~/.bashrc',
    'cat /proc/cpuinfo',
    'echo "rm -rf /"',
    'ls /',
    'chmod -R u+w .',
  ])('has nothing against %s', async text => {
    expect(await decide(text)).toBe('allow');
  });

  test.each(["find . -name '*.bak' -delete", 'rm -rf *.log', 'git clean -fdx', 'rm -f *', 'find . -size 0 -exec rm -rf {} +'])(
    'leaves %s to a person: it takes a part, not the place',
    async text => {
      expect(await decide(text)).toBe('ask');
    },
  );

  test('what cannot be known still asks', async () => {
    verifies('P3');
    expect(await decide('rm -rf $X')).toBe('ask');
    expect(await decide('$X')).toBe('ask');
  });
});
