import { join } from 'node:path';
import { CALL_SECONDS, type Places, type Recipe, type Server } from './recipe.js';

const stdio = ({ command, args, env }: Server) => ({
  command,
  args,
  ...(Object.keys(env).length > 0 && { env }),
});

const claudeCode: Recipe = {
  name: 'claude-code',
  title: 'Claude Code',
  changes: (server, { home, env }) => {
    const folder = env['CLAUDE_CONFIG_DIR'];
    return [
      {
        path: folder ? join(folder, '.claude.json') : join(home, '.claude.json'),
        format: 'json',
        edits: [{ at: ['mcpServers', 'shellgate'], set: { type: 'stdio', ...stdio(server) } }],
      },
      {
        path: join(folder ?? join(home, '.claude'), 'settings.json'),
        format: 'json',
        edits: [
          { at: ['permissions', 'allow'], include: 'mcp__shellgate' },
          { at: ['permissions', 'deny'], include: 'Bash' },
        ],
      },
    ];
  },
  notes: [
    'Its own Bash tool is off (permissions.deny); run_shell takes its place and needs no question of Claude Code: shellgate asks.',
    'Close Claude Code first: it writes .claude.json itself.',
  ],
};

const codex: Recipe = {
  name: 'codex',
  title: 'Codex',
  changes: (server, { home, env }) => [
    {
      path: join(env['CODEX_HOME'] ?? join(home, '.codex'), 'config.toml'),
      format: 'toml',
      edits: [
        {
          at: ['mcp_servers', 'shellgate'],
          set: {
            ...stdio(server),
            // Codex waits a second for servers that are not required, and then runs the turn without their tools.
            required: true,
            startup_timeout_sec: 20,
            tool_timeout_sec: CALL_SECONDS,
            default_tools_approval_mode: 'approve',
          },
        },
        { at: ['features', 'shell_tool'], set: false },
        { at: ['features', 'unified_exec'], set: false },
      ],
    },
  ],
  notes: [
    'Its own shell tools are off (features); run_shell takes their place and needs no question of Codex: shellgate asks.',
    'required: Codex waits for the server, and opens no session without it; else the model would be left with no shell.',
    'apply_patch stays: it edits files, and no file setting turns it off.',
  ],
};

const cursor: Recipe = {
  name: 'cursor',
  title: 'Cursor',
  changes: (server, { home }) => [
    {
      path: join(home, '.cursor/mcp.json'),
      format: 'json',
      edits: [{ at: ['mcpServers', 'shellgate'], set: stdio(server) }],
    },
    {
      path: join(home, '.cursor/permissions.json'),
      format: 'json',
      edits: [{ at: ['mcpAllowlist'], include: 'shellgate:*' }],
    },
  ],
  notes: [
    'mcpAllowlist in this file takes the place of the list in its settings: copy other entries over.',
    'No file turns the editor’s own terminal tool off: keep its auto-run off. For the CLI, add "Shell(*)" to permissions.deny and "Mcp(shellgate:*)" to permissions.allow in ~/.cursor/cli-config.json.',
  ],
};

const vscode: Recipe = {
  name: 'vscode',
  title: 'VS Code',
  changes: (server, { home, env, isMac }) => {
    const folder = isMac
      ? join(home, 'Library/Application Support/Code/User')
      : join(env['XDG_CONFIG_HOME'] ?? join(home, '.config'), 'Code/User');
    return [
      {
        path: join(folder, 'mcp.json'),
        format: 'json',
        edits: [{ at: ['servers', 'shellgate'], set: { type: 'stdio', ...stdio(server) } }],
      },
    ];
  },
  notes: [
    'It asks once for each tool: choose "Always Allow" for shellgate; shellgate asks about the commands.',
    'Switch its own terminal tools off in the tool picker of the chat, and set "chat.tools.terminal.enableAutoApprove": false so that they always ask.',
  ],
};

const opencode: Recipe = {
  name: 'opencode',
  title: 'opencode',
  changes: ({ command, args, env }, places) => [
    {
      path: opencodeFile(places),
      format: 'json',
      edits: [
        {
          at: ['mcp', 'shellgate'],
          set: {
            type: 'local',
            command: [command, ...args],
            enabled: true,
            timeout: CALL_SECONDS * 1_000,
            ...(Object.keys(env).length > 0 && { environment: env }),
          },
        },
        { at: ['permission', 'bash'], set: 'deny' },
      ],
    },
  ],
  notes: ['Its own bash tool is off (permission.bash); its MCP tools run without a question of opencode: shellgate asks.'],
};

function opencodeFile({ home, env, exists }: Places): string {
  const folder = join(env['XDG_CONFIG_HOME'] ?? join(home, '.config'), 'opencode');
  const [plain, commented] = [join(folder, 'opencode.json'), join(folder, 'opencode.jsonc')];
  return exists(commented) && !exists(plain) ? commented : plain;
}

const gemini: Recipe = {
  name: 'gemini',
  title: 'Gemini CLI',
  changes: (server, { home }) => [
    {
      path: join(home, '.gemini/settings.json'),
      format: 'json',
      edits: [
        { at: ['mcpServers', 'shellgate'], set: { ...stdio(server), timeout: CALL_SECONDS * 1_000, trust: true } },
        { at: ['tools', 'exclude'], include: 'run_shell_command' },
      ],
    },
  ],
  notes: [
    'Its own run_shell_command is off (tools.exclude); trust means that Gemini CLI does not ask about our tools: shellgate asks.',
  ],
};

/** One line a client. */
export const RECIPES: readonly Recipe[] = [claudeCode, codex, cursor, vscode, opencode, gemini];
