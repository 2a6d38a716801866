/** One JSON value a line on stdout. stdout carries nothing else in commands that use it. */
export function print(value: unknown): void {
  process.stdout.write(`${JSON.stringify(value)}\n`);
}

/** A line for the person, on stderr. */
export function say(line: string): void {
  process.stderr.write(`${line}\n`);
}
