import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';

const ROOT = resolve(import.meta.dirname, '../..');
const page = readFileSync(join(ROOT, 'docs/adapters.md'), 'utf8');

test('every example of docs/adapters.md passes the type checker, each against its major', () => {
  // Inside the package, so that `shellgate/ai` means this package as it is published.
  const folder = join(import.meta.dirname, '.scratch');
  mkdirSync(folder, { recursive: true });
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const examples = [...page.matchAll(/```ts( ai7)?\n([\s\S]*?)```/g)];
  expect(examples).toHaveLength(4);
  for (const [index, [, major, code]] of examples.entries()) {
    writeFileSync(join(folder, `example-${index}.ts`), major ? code!.replace("from 'ai'", "from 'ai7'") : code!);
  }
  const tsconfig = { extends: join(ROOT, 'tsconfig.json'), include: ['*.ts'] };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(tsconfig));
  execFileSync(join(ROOT, 'node_modules/.bin/tsc'), ['-p', folder], { stdio: 'inherit' });
});
