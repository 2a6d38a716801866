import type { Judged } from '../../contract/execution.js';
import type { Question } from '../../contract/question.js';
import type { CommandResult } from '../../contract/result.js';
import type { Fields, Recorder } from './recorder.js';

/** A question is a decision of its own: policy wants a person to see it. */
export function asked(recorder: Recorder, { id, evaluation, expiresAt }: Question): void {
  const rules = evaluation.matches.flatMap(({ rule }) => (rule === undefined ? [] : [rule]));
  const reasons = evaluation.matches.filter(({ decision }) => decision === 'ask').map(({ reason }) => reason);
  recorder.decide('ask', {
    source: 'policy_settings',
    question_id: id,
    reason: { type: rules.length > 0 ? 'rule' : 'policy', text: reasons.join('; ') },
    risk: evaluation.risk,
    rule_refs: [...new Set(rules)],
    policy_refs: [evaluation.digest],
    suggested_updates: evaluation.suggestions.map(({ rule, scope }) => ({ type: 'add_rule', rule: rule.id, scope })),
    expires_at: expiresAt,
  });
}

/** What was decided in the end, from what came of it. Nothing where it never came to that: cancelled, or no shell. */
export function decided(recorder: Recorder, result: CommandResult, judged: Judged): void {
  if (result.outcome !== 'refused') {
    const edited = result.ranInstead;
    const input = edited === undefined ? {} : { updated_input: { command: edited } };
    recorder.decide('allow', { ...decider(judged), user_modified: edited !== undefined, ...input });
    return;
  }
  if (result.by === 'caller' || result.by === 'session' || result.by === 'audit') return;
  const byPolicy = result.by === 'policy';
  recorder.decide('deny', {
    source: byPolicy ? 'policy_settings' : 'session',
    reason: { type: byPolicy ? 'rule' : 'permission_prompt_tool', text: result.reason, code: result.code },
    ...(result.feedback !== undefined && { feedback: result.feedback }),
  });
}

/** Of a command that runs on beside: it was allowed. Whether it was edited shows at its end. */
export function allowed(recorder: Recorder, judged: Judged): void {
  recorder.decide('allow', decider(judged));
}

const decider = ({ question }: Judged): Fields =>
  question
    ? { source: 'session', reason: { type: 'permission_prompt_tool', text: 'it was asked about and approved' } }
    : { source: 'policy_settings', reason: { type: 'rule', text: 'the policy allows it' } };
