import type { Command } from 'commander';
import type { Grant } from '../../contract/policy.js';
import { userGrants } from '../../load-policies.js';
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
      if (kept.length === 0 && !json) tell('No answer is remembered.');
    });
  grants
    .command('revoke')
    .description('forget one; the next such command asks again')
    .argument('<id>', 'as grants list shows it')
    .action(async (id: string) => {
      if (await userGrants().revoke(id)) return;
      say(`shellgate: GRANT_UNKNOWN ${id}  no such grant; see shellgate grants`);
      process.exitCode = EXIT.no;
    });
}

function grantText({ rule, text, hashes }: Grant): string {
  const files = Object.keys(hashes).length;
  return `${rule?.command ?? `exactly: ${text ?? ''}`}${files === 0 ? '' : ` (while ${files === 1 ? 'a file keeps' : `${files} files keep`} its content)`}`;
}
