/**
 * Two ways into OpenAI Agents: `shellTool(gatedShell(session))`, and `gatedSandbox(session, …)` for a `SandboxAgent`.
 * The SDK is named in types only.
 * @module
 */
export type { AdapterOptions } from './adapter.js';
export { type GatedSandbox, type GatedSandboxOptions, gatedSandbox } from './openai-sandbox.js';
export { type GatedShell, type GatedShellOptions, gatedShell } from './openai-shell.js';
