import type { Reporter, TestModule } from 'vitest/node';

/** Names every skipped test with its reason and closes with `N passed, N failed`. */
export default class ClosingLine implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], errors: readonly unknown[]): void {
    let passed = 0;
    let failed = errors.length;
    const skipped: string[] = [];
    for (const module of modules) {
      if (module.errors().length > 0) failed += 1;
      for (const test of module.children.allTests()) {
        const result = test.result();
        if (result.state === 'passed') passed += 1;
        else if (result.state === 'failed') failed += 1;
        else skipped.push(`skipped: ${test.fullName}${result.state === 'skipped' && result.note ? ` (${result.note})` : ''}`);
      }
    }
    for (const line of skipped) console.log(line);
    console.log(`${passed} passed, ${failed} failed${skipped.length > 0 ? `, ${skipped.length} skipped` : ''}`);
  }
}
