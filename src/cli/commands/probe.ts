import type { Command } from 'commander';
import { createGate } from '../../create-gate.js';
import { formatInstructions } from '../../environment/instructions.js';
import { DEFAULT_PROBE_TOOLS, ShellEnvironmentProvider } from '../../environment/provider.js';
import { type CommonFlags, gateOptions, withRunOptions } from '../options.js';
import { print, tell } from '../output.js';

interface Flags extends CommonFlags {
  readonly tools?: string;
}

export function register(program: Command): void {
  withRunOptions(program.command('probe').description('what there is to work with here, as a block for a system prompt'))
    .option('--tools <names>', 'programs to look for, separated by commas', DEFAULT_PROBE_TOOLS.join(','))
    .action(async ({ tools = '', ...flags }: Flags) => {
      await using gate = await createGate({ ...gateOptions(flags), chain: 'day' });
      const probeTools = tools.split(',').filter(name => name !== '');
      const snapshot = await new ShellEnvironmentProvider(gate, { probeTools }).snapshot();
      if (flags.json) print(snapshot);
      else tell(formatInstructions(snapshot));
    });
}
