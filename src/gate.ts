import type { Analyzer } from './contract/analysis.js';
import type { Approved, Declined } from './contract/answer.js';
import type { AuditLog, CommandLog } from './contract/audit.js';
import type { Evaluation, PolicySource } from './contract/policy.js';
import type { ApprovalQueue } from './contract/question.js';
import type { CommandRequest, InputRequest, Request } from './contract/request.js';
import type { CommandResult, InputResult, Refusal } from './contract/result.js';
import type { Authorized, Shell, Watch } from './contract/shell.js';

export interface GateParts {
  readonly shell: Shell;
  readonly analyzer: Analyzer;
  readonly policies: PolicySource;
  readonly approvals: ApprovalQueue;
  readonly audit: AuditLog;
}

/**
 * The one door (P2). A command line, or what is to be typed into a running one (P9), takes its turn, is analysed, judged,
 * asked about where policy asks, recorded, and only then reaches the shell. Every way out but the last is a refusal:
 * nothing has run.
 */
export function passGate(submitted: CommandRequest, parts: GateParts, watch: Watch, signal: AbortSignal): Promise<CommandResult>;
export function passGate(submitted: InputRequest, parts: GateParts, watch: Watch, signal: AbortSignal): Promise<InputResult>;
export async function passGate(
  submitted: Request,
  parts: GateParts,
  watch: Watch,
  signal: AbortSignal,
): Promise<CommandResult | InputResult> {
  const { shell, analyzer, policies, approvals, audit } = parts;
  const log = audit.command(submitted);
  const events = EVENTS[submitted.kind];
  log.record(events.requested, submitted);
  const turn = await shell.turn(submitted, signal);
  if ('outcome' in turn) return refused(log, turn);
  using _held = turn; // given back on every refusal; start() takes it over
  let request: Request = submitted;
  let approved: Approved | undefined;
  for (;;) {
    const policy = await policies.current();
    const analysis = await analyzer.analyze(request, turn.state, signal);
    watch.judging(analysis, request.text);
    const facts = await turn.facts(analysis.query, signal);
    log.record('facts.queried', facts);
    const evaluation = policy.evaluate(request, turn.state, analysis, facts);
    log.record('command.evaluated', evaluation);
    if (signal.aborted) return refused(log, cancelled(signal));
    if (evaluation.decision === 'deny') return refused(log, denied(evaluation));
    if (evaluation.decision === 'allow' || approved?.digest === evaluation.digest) {
      const command = authorize(request, evaluation, approved);
      log.record(events.started, command.authority);
      const unrecorded = await log.durable();
      if (unrecorded) return unrecorded;
      const result = await turn.start(command, watch, signal);
      log.record(events.ended, result);
      return request === submitted || result.outcome === 'refused' ? result : { ...result, ranInstead: request.text };
    }
    const question = approvals.ask(request, turn.state, analysis, facts, evaluation);
    log.record('approval.requested', question);
    const unrecorded = await log.durable();
    if (unrecorded) return unrecorded;
    watch.pending(question);
    const answer = await approvals.answer(question, signal);
    log.record('approval.answered', answer);
    if (answer.outcome === 'refused') return refused(log, answer);
    approved = answer.outcome === 'approved' ? answer : undefined;
    if (answer.outcome === 'edited') request = { ...request, text: answer.text };
    else if (answer.remember) {
      const grant = await policy.remember(question, answer);
      log.record('problem' in grant ? 'grant.failed' : 'grant.added', grant);
    }
  }
}

/** What the log calls the steps of each kind. */
const EVENTS = {
  command: { requested: 'command.requested', started: 'command.started', ended: 'command.finished' },
  input: { requested: 'input.requested', started: 'input.started', ended: 'input.written' },
} as const;

/** The only cast in the code base: a request becomes runnable here and nowhere else. */
function authorize(request: Request, evaluation: Evaluation, approval: Approved | undefined): Authorized {
  const decision = evaluation.decision === 'allow' ? 'allow' : 'approved';
  const authority = { text: request.text, digest: evaluation.digest, decision, ...(approval && { approval }) };
  return { request, evaluation, authority } as unknown as Authorized;
}

/** Who said no is in the log, in the answer's own record; a caller is told the refusal. */
function refused(log: CommandLog, { answer: _, ...refusal }: Declined): Refusal {
  log.record('command.refused', refusal);
  return refusal;
}

function cancelled(signal: AbortSignal): Refusal {
  const reason = typeof signal.reason === 'string' ? signal.reason : 'cancelled before it started';
  return { outcome: 'refused', by: 'caller', code: 'CANCELLED', reason };
}

/** The model hears only reasons that their rule lets it hear. */
function denied(evaluation: Evaluation): Refusal {
  const told = evaluation.matches.filter(match => match.decision === 'deny' && match.tell).map(match => match.reason);
  return { outcome: 'refused', by: 'policy', code: 'POLICY_DENIED', reason: told.join('; ') || 'a policy rule forbids it' };
}
