import type { Judged } from '../../contract/execution.js';
import type { Question } from '../../contract/question.js';
import type { Refusal } from '../../contract/result.js';
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

/** Not to run it; nothing where it never came to a decision: cancelled, or no shell. */
export function denied(recorder: Recorder, refusal: Refusal): void {
  const { by, code, reason, feedback } = refusal;
  if (by === 'caller' || by === 'session' || by === 'audit') return;
  const byPolicy = by === 'policy';
  recorder.decide('deny', {
    source: byPolicy ? 'policy_settings' : 'session',
    reason: { type: byPolicy ? 'rule' : 'permission_prompt_tool', text: reason, code },
    ...(feedback !== undefined && { feedback }),
  });
}

/** To run it, as submitted or as a person edited it. */
export function allowed(recorder: Recorder, judged: Judged, submitted: string): void {
  const isEdited = judged.text !== undefined && judged.text !== submitted;
  const input = isEdited ? { updated_input: { command: judged.text } } : {};
  recorder.decide('allow', { ...decider(judged), user_modified: isEdited, ...input });
}

const decider = ({ question }: Judged): Fields =>
  question
    ? { source: 'session', reason: { type: 'permission_prompt_tool', text: 'it was asked about and approved' } }
    : { source: 'policy_settings', reason: { type: 'rule', text: 'the policy allows it' } };
