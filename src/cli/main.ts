#!/usr/bin/env node
import { CommanderError } from 'commander';
import { EXIT, errorLines } from './messages.js';
import { say } from './output.js';
import { buildProgram } from './program.js';

try {
  const program = await buildProgram(process.argv.slice(2));
  await program.parseAsync();
} catch (error) {
  if (error instanceof CommanderError) {
    process.exitCode = error.exitCode === 0 ? 0 : EXIT.failure;
  } else {
    for (const line of errorLines(error)) say(line);
    process.exitCode = EXIT.failure;
  }
}
