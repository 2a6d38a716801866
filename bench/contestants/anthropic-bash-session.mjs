/** `@anthropic-ai/sdk`'s BashSession: a persistent bash, ungated, unlogged, stdout and stderr merged. */
export async function open({ directory }) {
  const { BashSession } = await import('../peers/node_modules/@anthropic-ai/sdk/tools/agent-toolset/node.mjs');
  const session = new BashSession(directory);
  return { run: text => session.exec(text, { timeoutMs: 60_000 }), close: async () => session.close() };
}
