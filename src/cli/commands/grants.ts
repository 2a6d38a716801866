import type { Command } from 'commander';
import type { Grant } from '../../contract/policy.js';
import { visible } from '../../contract/visible.js';
import { userGrants } from '../../load-policies.js';
import { shortPath } from '../banner.js';
import { EXIT } from '../messages.js';
import { print, say, tell } from '../output.js';

export function register(program: Command): void {
  const grants = program.command('grants').description('remembered answers: list them, take one back');
  grants
    .command('list', { isDefault: true })
    .description('what is remembered, and for whom (the default)')
    .option('--json', 'machine-readable output')
    .action(({ json }: { json?: boolean }) => {
      const kept = userGrants().list();
      for (const grant of kept) {
        if (json) print(grant);
        else
          tell(
            `${grant.id}  ${grant.createdAt.slice(0, 10)}  ${grant.principal.padEnd(12)}  ${grantText(grant)}  by ${grant.by}`,
          );
      }
      if (json) return;
      tell(kept.length === 0 ? 'No answer is remembered.' : 'Take one back: shellgate grants revoke ID');
    });
  grants
    .command('revoke')
    .description('forget one; the next such command asks again')
    .argument('<id>', 'as grants list shows it')
    .action(async (id: string) => {
      if (await userGrants().revoke(id)) {
        tell(`${visible(id)} is forgotten; what it allowed asks again.`);
        return;
      }
      say(`shellgate: GRANT_UNKNOWN ${id}  no such grant; see shellgate grants`);
      process.exitCode = EXIT.no;
    });
}

/** What it allows, and which files must stay as they are for it to count. */
function grantText({ rule, text, hashes, names = {} }: Grant): string {
  const [first, ...more] = Object.keys(hashes);
  const files = first === undefined ? '' : more.length === 0 ? shortPath(first) : `${shortPath(first)} and ${more.length} more`;
  const condition = files === '' ? '' : ` (while ${files} ${more.length === 0 ? 'keeps its' : 'keep their'} content)`;
  const places = Object.values(names).map(path => `, from ${shortPath(path)}`);
  return visible(`${rule?.command ?? `exactly: ${text ?? ''}`}${places.join('')}${condition}`);
}
