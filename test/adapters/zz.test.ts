import { test } from 'vitest';
import { callback } from '../../src/index.js';
import { openHost } from './fixture.js';

test('x', async () => {
  const host = await openHost();
  const states: string[] = [];
  host.gate.approvals.attach(
    callback(q => {
      states.push(JSON.stringify(q.state));
      return 'approved';
    }),
  );
  const d = async () => (await host.session.check('touch two')).evaluation.digest.slice(0, 6);
  const ds = [await d()];
  for (const c of ['touch one', 'touch three', 'echo hi', 'touch four']) {
    await host.session.run(c);
    ds.push(await d());
  }
  console.log(ds, states.join('\n'));
});
