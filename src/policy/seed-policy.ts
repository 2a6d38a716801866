import { RE2JS } from 're2js';
import { ShellgateError } from '../contract/error.js';
import type { Match, Rule } from '../contract/policy.js';
import type { Request } from '../contract/request.js';
import type { SessionState } from '../contract/session-state.js';

/** What a `custom` callback is told. */
export interface ShellPolicyRequest {
  readonly command: string;
  /** Where it would run, when that is known. */
  readonly workdir?: string;
}

export interface ShellDecision {
  readonly decision: 'allow' | 'deny';
  /** Why not. Absent on an allow. */
  readonly reason?: string;
}

export interface ShellPolicyOptions {
  /** Regular expressions, case-insensitive, found anywhere in the trimmed command. Default: none. */
  readonly denylist?: readonly (string | RegExp)[];
  /** When given, a command that none of them matches is denied. */
  readonly allowlist?: readonly (string | RegExp)[];
  /** Can only tighten: what it returns counts when it denies. What it throws denies. */
  readonly custom?: (request: ShellPolicyRequest) => ShellDecision | undefined | null;
}

interface Pattern {
  readonly source: string;
  readonly compiled: RE2JS;
}

/**
 * The policy of the seed documents (S3-11 to S3-13): expressions on the text of the command. A filter for convenience,
 * not a boundary: `\rm -rf /`, `${RM:=rm} -rf /`, `python -c …` and encoded text pass it (S3-12). In a gate it can only
 * tighten what the analysed policy says. Expressions run in linear time, so lookaround and backreferences are errors.
 * Errors: `POLICY_INVALID`.
 */
export class ShellPolicy {
  readonly #denylist: readonly Pattern[];
  readonly #allowlist: readonly Pattern[] | undefined;
  readonly #custom: ShellPolicyOptions['custom'];

  constructor(options: ShellPolicyOptions = {}) {
    this.#denylist = (options.denylist ?? []).map(compile);
    this.#allowlist = options.allowlist?.map(compile);
    this.#custom = options.custom;
  }

  /** Judges the text alone; nothing is run or asked. */
  evaluate(request: string | ShellPolicyRequest): ShellDecision {
    const asked = typeof request === 'string' ? { command: request } : request;
    const command = asked.command.trim();
    if (command === '') return deny('command is empty');
    const denied = this.#denylist.find(({ compiled }) => compiled.matcher(command).find());
    if (denied) return deny(`matches denylist pattern: ${denied.source}`);
    if (this.#allowlist && !this.#allowlist.some(({ compiled }) => compiled.matcher(command).find())) {
      return deny('command does not match allowlist');
    }
    return this.#askCustom(asked);
  }

  #askCustom(request: ShellPolicyRequest): ShellDecision {
    try {
      const answer = this.#custom?.(request);
      return answer?.decision === 'deny' ? deny(answer.reason ?? 'denied by the custom policy') : { decision: 'allow' };
    } catch (error) {
      return deny(`the custom policy failed: ${error instanceof Error ? error.message : String(error)}`);
    }
  }

  /** The lists as rules of kind `text`, for the gate's policy; `tighten` adds what rules cannot say. */
  rules(): Rule[] {
    const rule = (decision: 'allow' | 'deny', { source }: Pattern, index: number): Rule => ({
      id: `${decision}list-${index + 1}`,
      decision,
      text: source,
      reason: decision === 'deny' ? `matches denylist pattern: ${source}` : `matches allowlist pattern: ${source}`,
      tell: true,
    });
    return [
      ...this.#denylist.map((pattern, index) => rule('deny', pattern, index)),
      ...(this.#allowlist ?? []).map((pattern, index) => rule('allow', pattern, index)),
    ];
  }

  /** For `PolicyParts.tighten`: the exclusive allow list, the empty command and the callback. */
  tighten = (request: Request, state: SessionState): Match | undefined => {
    const { decision, reason } = this.evaluate({ command: request.text, workdir: state.cwd });
    return decision === 'deny' ? { source: 'rule', decision, reason: reason ?? 'denied', tell: true } : undefined;
  };
}

const deny = (reason: string): ShellDecision => ({ decision: 'deny', reason });

function compile(pattern: string | RegExp): Pattern {
  const source = typeof pattern === 'string' ? pattern : pattern.source;
  try {
    return { source, compiled: RE2JS.compile(source, RE2JS.CASE_INSENSITIVE) };
  } catch (cause) {
    throw new ShellgateError('POLICY_INVALID', `the expression ${source} does not compile: ${(cause as Error).message}`, {
      cause,
    });
  }
}
