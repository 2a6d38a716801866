import { visible } from '../contract/visible.js';

/** One JSON value a line on stdout. stdout carries nothing else in commands that use it. */
export function print(value: unknown): void {
  process.stdout.write(`${JSON.stringify(value)}\n`);
}

/** What was asked for, for a person: a line, or several, on stdout. */
export function tell(lines: string): void {
  process.stdout.write(`${harmless(lines)}\n`);
}

/** A line, or several, for the person, on stderr. */
export function say(lines: string): void {
  process.stderr.write(`${harmless(lines)}\n`);
}

/** Names, paths and commands in it may come from anybody: nothing in it acts on the terminal but its own line feeds. */
export function harmless(lines: string): string {
  return lines.split('\n').map(visible).join('\n');
}
