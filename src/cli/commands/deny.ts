import type { Command } from 'commander';
import { answerNamed, boundTo } from '../give-answer.js';

export function register(program: Command): void {
  program
    .command('deny')
    .description('refuse one command that waits')
    .argument('<id>', 'k7qd or k7qd-3f9a, as shellgate pending shows it')
    .argument('[why]', 'a sentence for the assistant: what to do instead')
    .action((id: string, why: string | undefined) =>
      answerNamed(id, async ({ question }) => ({
        ...boundTo(question),
        outcome: 'denied',
        how: 'answered',
        ...(why && { feedback: why }),
      })),
    );
}
