const SERVICES = '../peers/node_modules/@google/gemini-cli-core/dist/src/services';

/** `@google/gemini-cli-core`'s shell service on child_process: a fresh shell for every command, ungated. */
export async function open({ directory }) {
  const { ShellExecutionService } = await import(`${SERVICES}/shellExecutionService.js`);
  const { NoopSandboxManager } = await import(`${SERVICES}/sandboxManager.js`);
  const config = {
    sanitizationConfig: {
      allowedEnvironmentVariables: [],
      blockedEnvironmentVariables: [],
      enableEnvironmentVariableRedaction: false,
    },
    sandboxManager: new NoopSandboxManager(),
  };
  const never = new AbortController().signal;
  return {
    run: async text => {
      const handle = await ShellExecutionService.execute(text, directory, () => {}, never, false, config);
      return handle.result;
    },
    close: async () => {},
  };
}
