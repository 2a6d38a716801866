#!/usr/bin/env node
import { CommanderError } from 'commander';
import { EXIT, errorLines } from './messages.js';
import { say } from './output.js';
import { buildProgram } from './program.js';

try {
  await buildProgram().parseAsync();
} catch (error) {
  if (error instanceof CommanderError) {
    process.exitCode = error.exitCode === 0 ? 0 : EXIT.failure;
  } else {
    for (const line of errorLines(error)) say(line);
    process.exitCode = EXIT.failure;
  }
}
