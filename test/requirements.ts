/** What the source documents demand and this project does, by id. A test cites each with `verifies(id)`; an uncited one is red. */
export const REQUIREMENTS: Readonly<Record<string, string>> = {
  'S1-09': 'Exceeding `max_output` → first ~40 % and last ~40 % kept.',
  'S1-10':
    'Error-like lines from the middle kept ("error", "Error", "Traceback", "panic", etc.). `[src]` full list: error, Error, ERROR, failed, Failed, FAILED, exception, Exception, Traceback, panic, PANIC; at most 20 lines.',
  'S1-11': 'Marker `[... truncated N bytes ...]`.',
  'S1-12':
    'Below/at the limit output is byte-identical. `0` = unlimited (`[src]` negative too; ours: negative → argument error `[dec]`).',
  'S1-13':
    '`[dec]` the limit is combined over both streams and in bytes (the source applies it per stream and counts characters: bugs). Kept bytes ≤ max_output always; error lines come out of the remaining ~20 %.',
  'S2-08':
    '`is_read_only: "classifier:command_read_only"`; `is_concurrency_safe: "same_as:is_read_only"`; `is_destructive: "classifier:command_destructive"`; `is_open_world: true`; `classifier_input: "input.command"`.',
  'S3-01': 'Persistent (default): one long-lived shell; `cd`, `export` and shell functions persist across calls.',
  'S3-02': 'Stateless (`mode="stateless"`): a fresh subprocess per command.',
  'S3-03': 'Async context manager: closing the tool ends the session (TS: `close()` and `await using`).',
  'S3-05': 'Not a sandbox; the boundary is approval-in-the-loop. Documentation must say so.',
  'S3-06': 'Every command surfaces as an approval request (`user_input_request`); nothing runs without consent. Default on.',
  'S3-08':
    'Process-tree termination on timeout: children (make, watchers, network tools) cannot survive the timeout. `[src]` SIGTERM → 2 s grace → SIGKILL; Windows taskkill by absolute path.',
  'S3-09':
    'Output truncation to 64 KiB, head + tail with marker. `[src]` per stream; head = floor(cap/2), tail = rest; marker `\\n[... truncated N bytes ...]\\n`; N = input bytes − cap; `truncated: true` on the result; cap ≤ 0 is an error.',
  'S3-10':
    'Audit hook `on_command` for SIEM/append-only logs. `[src]` called with the command for every command that passed policy; hook exceptions are logged, not raised.',
  'S3-11':
    '`ShellPolicy(denylist=[…], allowlist=[…])`, optional, EMPTY by default. `[src]` order: empty/whitespace command → deny ("command is empty"); denylist → deny ("matches denylist pattern: …"); allowlist set and no match → deny ("command does not match allowlist"); `custom(request)` can only tighten and denies when it throws (the source\'s text says override, its code has already returned on deny) `[dec]`; else allow. Strings compile case-insensitively, `search` semantics, against the trimmed command.',
  'S3-12':
    'Policy is a UX pre-filter, not a boundary; documented bypasses: `\\rm -rf /`, `${RM:=rm} -rf /`, `python -c "…"`, encoded payloads, PowerShell equivalents; and tests document the residual risk.',
  'S3-13': 'Example passes: allowlist `[^ls\\b, ^cat\\b, ^git status$]` with `never_require` + `acknowledge_unsafe`.',
  'S3-22': 'Single-owner: one session per conversation; calls are serialized; concurrent first calls start ONE shell.',
  'S3-23':
    "Timeout in persistent mode: interrupt (SIGINT to the group); if the shell answers within 2 s the session is kept and the real exit code is reported with `timed_out`, else the session is torn down and the next call gets a fresh shell; the 003 text then says `exit_code: 124`. Ours: `shell:'killed'` on this result, `sessionRestarted:true` on the next one, tree kill in both branches `[dec]`.",
  'S3-21':
    '`ShellResult`: stdout, stderr, exit_code, duration_ms, truncated=false, timed_out=false; `format_for_model`: stdout, `stderr: …`, `[output truncated]`, `[command timed out]`, `exit_code: N` joined by newlines, in that order, empty parts skipped.',
  'S1-01': 'Four functions: `run_command`, `run_script`, `which`, `get_env`.',
  'S1-02':
    'Input `command: str` required; `working_dir: str = null`; `timeout: int = 60` (seconds); `max_output: int = 100000` ("maximum bytes for stdout+stderr combined (0 = unlimited)").',
  'S1-03': 'Output `ok: bool` (true iff exit code 0), `stdout`, `stderr`, `exit_code: int`, `command` (as given).',
  'S1-04':
    'Examples pass: `ls -la`; `pwd` with `working_dir:"/tmp"`; `echo \'hello\' | grep hello`; `sleep 5 && echo done` with `timeout: 10`.',
  'S1-05': 'Commands run through a shell (bash): pipes, redirects, globs work.',
  'S1-06':
    '`timeout` = maximum seconds to wait. On expiry `[src]`: `ok:false`, stderr contains "timed out after N seconds"; original loses partial output and returns `exit_code:-1`. Ours `[dec]`: keep partial stdout/stderr, append the message to stderr, `exit_code:124`, extra field `timed_out:true`.',
  'S1-07': '`[src]` `working_dir`: `~` and `$VAR` expanded; nonexistent dir → `ok:false`, message in stderr, no exception.',
  'S1-08': '`[src]` spawn failure → `ok:false, exit_code:-1, stderr:<message>` (never a thrown error through the tool surface).',
  'S1-14':
    'Input `script` required; `interpreter: str = "/bin/bash"`; `working_dir = null`; `timeout = 120`; `max_output = 100000`.',
  'S1-15': 'Output `ok, stdout, stderr, exit_code` (no `command`).',
  'S1-16':
    'Shared state inside one script (cd, variables). Examples: `cd /tmp\\necho $(pwd)\\nls -la`; `import sys\\nprint(sys.version)` with `/usr/bin/python3`.',
  'S1-17':
    '`[src]` script goes to the interpreter\'s stdin; message on timeout "Script timed out after N seconds". Ours `[dec]`: write a 0600 temp file and pass its path, so that the script may itself read stdin (`/dev/null`); fall back to stdin for interpreters given with arguments.',
  'S1-18':
    'Input `command`; output `ok`, `path` (absolute) or `error: "Command not found: <command>"`. `path`/`error` absent or null when not applicable.',
  'S1-19':
    '`[src]` semantics of `shutil.which`: PATH order, must be an executable regular file; a name with `/` is checked directly; ours always returns an absolute path `[dec]`.',
  'S1-20': 'Input `name` required, `default = null`; output `ok`, `value` or `error: "Environment variable not set: <name>"`.',
  'S1-21':
    '`ok` true if the variable exists OR a default is provided; set-but-empty counts as set (value `""`) `[src]`; `default:""` counts as provided.',
  'S1-22':
    '`[dec]` `which`/`get_env` read the environment a run_command child would get (the session\'s environment after `--env`, overlaid by `env`). Names that look secret ask; a name the gate refuses gives the same "not set" error. (Supyagent reads `os.environ`.)',
  'S3-14':
    '`[src]` policy is evaluated before approval and before execution; rejection text `Command rejected by policy: <reason>` is returned to the model, not thrown.',
  'S2-01':
    'Shell tools need: command classification, sandbox facts, permission matching, progress, timeouts, large-output policy. The product exports all six per call.',
  'S2-02':
    'Progress for shell tools SHOULD include elapsed time, stdout/stderr byte counts, line counts, timeout, background task id, and exit code when known.',
  'S2-03': 'Footer scope: declarations, runtime interfaces, invocations, progress, results, permissions, scheduling, audit refs.',
  'S2-04':
    '`schema_version:"0.2.0"`, `tool_id:"tool_shell_exec"`, `namespace:"local.shell"`, `name:"shell.exec"`, `search_hint:"run local shell commands"`, `tool_kind:"shell_command"`.',
  'S2-05': '`input_contract.strict: true`.',
  'S2-06':
    'model schema: object; `command` string (required); `timeout_ms` integer ≥ 1000; `run_in_background` boolean; `description` string; `additionalProperties:false`.',
  'S2-07':
    'runtime schema: `sandbox_override_ref` string, `simulated_edit_ref` string; both listed in `internal_only_fields`; never present in the model-facing schema; a model that sends them gets `schema_validation_failed`; a hook/permission prompt may inject them, recorded as an input mutation.',
  'S2-10': '`interrupt_behavior: "cancel"`: an interrupt stops the command and yields a canceled/synthetic result.',
  'S2-11': '`max_inline_chars: 30000`: larger results are not inlined.',
  'S2-12':
    '`execution_profile`: `execution_kind:"shell"`, `supports_progress`, `supports_cancel`, `supports_background` true, `sandboxed: true`. (Ours: `sandboxed` reflects the executor in use: false for the plain local executor `[dec]`.)',
  'S2-13':
    '`permission_profile`: `risk_level:"high"`, `access_kinds:["file_read","file_write","network","code_execution"]`, `write_effects:["local_persistent","remote_mutation"]`, `approval_required:true`, `sandbox_profile:"workspace_shell_sandbox"`.',
  'S2-14':
    "`[src]` the seed's object does NOT validate against the standard's own schemas (verified with jsonschema: the declaration lacks `description`, `lifecycle`; the nested objects lack `schema_version` and their ids). Export a superset that does: see acceptance/records.md.",
  'S3-07':
    'Disabling approval (`approval_mode="never_require"`) requires `acknowledge_unsafe=True`; otherwise construction fails.',
  'S3-15': 'Windows: `pwsh -NoProfile -Command -`, falling back to `powershell.exe`.',
  'S3-16': 'Linux/macOS: `/bin/bash --noprofile --norc`, falling back to `/bin/sh`.',
  'S3-17':
    'Override by the `shell=` argument or `AGENT_FRAMEWORK_SHELL`. `[src]` precedence argument > env > default; string is shlex-split, list verbatim; empty override is an error; stateless mode appends `-c`/`-Command` unless present.',
  'S3-18':
    "`workdir`; `confine_workdir=True`: with a workdir set, each persistent command is re-anchored (`cd -- 'workdir'`) first — so by default `cd` does NOT persist when `workdir` is given; it does when no workdir is given or `confine_workdir=False`.",
  'S3-19':
    '`env` seeds variables; `clean_env` drops the inherited environment. (Python: only `env`; .NET keeps PATH, HOME, USER, USERNAME, USERPROFILE, SystemRoot, TEMP, TMP.)',
  'S3-20': '`timeout` default 30 s (Python; .NET: none), `None` disables; per-call override.',
  'S3-24':
    '`ShellEnvironmentProvider` probes the live shell once per session: family, version, OS, working directory, a configurable list of CLI tools; default `git, node, python, docker`.',
  'S3-25':
    "Injects a system-prompt block: which idiom to use, available CLIs. (Ours: returns the block; injecting it is the host's job.)",
  'S3-26':
    '`ShellEnvironmentProviderOptions(probe_tools=("git","uv","node"))`. `[src]` also `override_family`, `probe_timeout=5.0`, `instructions_formatter`.',
  'S3-27':
    'Expected failures (timeout, policy rejection, spawn failure) → `None` fields, not raised; other errors propagate `[src]`. A missing CLI never fails the agent.',
  'S3-28':
    'A failed first probe does not poison the cache: the next call retries. `[src]` concurrent first callers share one probe; `refresh()` re-probes; tool names must match `^[A-Za-z0-9._-]+$`; duplicates are case-insensitive; version = first non-empty line of stdout, else stderr; non-zero exit → null.',
  'S3-29':
    '`[src]` default block text (POSIX and PowerShell variants), lines "Working directory: …", "Available CLIs: …", "Not installed: …".',
  'S1-23':
    '"Consider restricting via agent tool permissions for untrusted environments": each tool can be disabled/gated by name.',
  'S3-04':
    'Exposed to any chat client as a function (`as_function`); `[src]` default function name `run_shell`, kind `shell`, one argument `command`, returns text.',
};
