#!/usr/bin/env node
import { CommanderError } from 'commander';
import { EXIT, errorLines } from './messages.js';
import { say } from './output.js';
import { buildProgram } from './program.js';

// `shellgate audit show | head`: a reader that has enough is no failure. What runs is ended in order all the same.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});

try {
  const program = await buildProgram(process.argv.slice(2));
  await program.parseAsync();
} catch (error) {
  if (error instanceof CommanderError) {
    if (error.code === 'commander.help' && error.exitCode !== 0) say('shellgate: USAGE this needs one of the commands above');
    process.exitCode = error.exitCode === 0 ? 0 : EXIT.failure;
  } else {
    for (const line of errorLines(error)) say(line);
    process.exitCode = EXIT.failure;
  }
}
