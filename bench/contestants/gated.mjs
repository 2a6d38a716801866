import { createGate } from '../../dist/index.js';

/** The product as its users get it: policy, facts, a durable log, a persistent session. */
export async function open({ directory }) {
  const gate = await createGate({
    policy: 'read-only',
    audit: `${directory}/audit`,
    cwd: directory,
    env: 'clean',
    onAsk: 'allow',
    acknowledgeUnsafe: true,
  });
  const session = await gate.openSession();
  return { run: text => session.run(text), close: () => gate.close() };
}
