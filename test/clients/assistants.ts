import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { platform } from '../../src/platform.js';
import type { Wire } from './fake-model.js';
import { geminiApi } from './gemini-api.js';
import { openaiChat } from './openai-chat.js';
import { openaiResponses } from './openai-responses.js';

const MODULES = join(import.meta.dirname, 'node_modules');
const PROMPT = 'Do what is needed.';

/** How one assistant is started without a person, with a model of ours. Its own file stays as `setup` printed it. */
export interface Assistant {
  /** As `shellgate setup` calls it. */
  readonly name: string;
  readonly wire: Wire;
  /** The file that must be there. */
  readonly installed: string;
  /** Its own tools that run commands. */
  readonly ownShell: readonly string[];
  command(modelUrl: string): {
    readonly program: string;
    readonly args: readonly string[];
    readonly env: Readonly<Record<string, string>>;
  };
}

const codexScript = join(MODULES, '@openai/codex/bin/codex.js');
const codex: Assistant = {
  name: 'codex',
  wire: openaiResponses,
  installed: codexScript,
  ownShell: ['shell', 'shell_command', 'local_shell', 'exec_command', 'write_stdin'],
  command(url) {
    const settings = {
      model: 'fake',
      model_provider: 'fake',
      'model_providers.fake': `{name="fake", base_url="${url}/v1", wire_api="responses", env_key="FAKE_KEY"}`,
    };
    const flags = Object.entries(settings).flatMap(([key, value]) => ['-c', `${key}=${value}`]);
    return {
      program: process.execPath,
      args: [codexScript, 'exec', '--skip-git-repo-check', ...flags, PROMPT],
      env: { FAKE_KEY: 'fake' },
    };
  },
};

const geminiScript = join(MODULES, '@google/gemini-cli/bundle/gemini.js');
/** Says that the key counts: without it, a base URL means a way to sign in that its own check refuses. */
const geminiDefaults = join(import.meta.dirname, 'gemini-defaults.json');
const gemini: Assistant = {
  name: 'gemini',
  wire: geminiApi,
  installed: geminiScript,
  ownShell: ['run_shell_command'],
  command: url => ({
    program: process.execPath,
    // Its own tool is allowed here, so that it is what setup printed that takes it away.
    args: [geminiScript, '--skip-trust', '--allowed-tools', 'run_shell_command', '-m', 'gemini-2.5-flash', '-p', PROMPT],
    env: { GEMINI_API_KEY: 'fake', GOOGLE_GEMINI_BASE_URL: url, GEMINI_CLI_SYSTEM_DEFAULTS_PATH: geminiDefaults },
  }),
};

/** The program itself: the one in `.bin` is put in place by an install script, and those do not run here. */
const opencodeProgram = join(MODULES, `opencode-${platform}-${process.arch}/bin/opencode`);
const opencode: Assistant = {
  name: 'opencode',
  wire: openaiChat,
  installed: opencodeProgram,
  ownShell: ['bash'],
  command: url => ({
    program: opencodeProgram,
    args: ['run', '--model', 'fake/fake', PROMPT],
    env: {
      OPENCODE_CONFIG_CONTENT: JSON.stringify({
        provider: {
          fake: {
            npm: '@ai-sdk/openai-compatible',
            options: { baseURL: `${url}/v1`, apiKey: 'fake' },
            models: { fake: { tool_call: true } },
          },
        },
      }),
      OPENCODE_DISABLE_AUTOUPDATE: '1',
      OPENCODE_DISABLE_MODELS_FETCH: '1',
    },
  }),
};

export const ASSISTANTS: readonly Assistant[] = [codex, gemini, opencode];

export const isInstalled = ({ installed }: Assistant): boolean => existsSync(installed);
