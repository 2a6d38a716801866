import type { Command } from 'commander';
import { toolCatalog, toolFunction } from '../../tools/catalog.js';
import { shellExecDeclaration } from '../../tools/declaration.js';
import { print, tell } from '../output.js';

interface Flags {
  readonly declaration?: boolean;
  readonly json?: boolean;
}

export function register(program: Command): void {
  program
    .command('tools')
    .description('functions for a model in the formats of other systems (library: createTools; MCP: --tools)')
    .option('--declaration', 'the declaration of shell.exec in the form of the tool standard')
    .option('--json', 'machine-readable output')
    .action(({ declaration, json }: Flags) => {
      if (declaration) {
        tell(JSON.stringify(shellExecDeclaration({ confined: false }), null, 2));
        return;
      }
      const functions = toolCatalog({}).map(toolFunction);
      if (json) for (const each of functions) print(each);
      else for (const { name, set, description } of functions) tell(` ${name.padEnd(20)}${set.padEnd(11)}${description}`);
    });
}
