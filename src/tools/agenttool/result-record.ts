import type { Ending } from '../records/ending.js';
import type { Fields, Recorder } from '../records/recorder.js';
import type { Fault } from '../tool.js';
import type { RanResult } from '../whole-output.js';
import type { ShownStream } from './inline.js';

/** The standard asks for a mark where a command printed nothing. */
const NO_OUTPUT = '(no output)';

const RECOVERABLE = new Set<Fault['errorClass']>([
  'unknown_tool',
  'invalid_arguments',
  'schema_validation_failed',
  'timeout',
  'rate_limited',
  'execution_failed',
  'result_too_large',
]);

/** A fault as the standard's error object. */
const errorObject = ({ errorClass, message, field, code }: Fault): Fields => ({
  error_code: code ?? errorClass.toUpperCase(),
  error_class: errorClass,
  message,
  recoverability: RECOVERABLE.has(errorClass) ? 'recoverable' : 'not_recoverable',
  ...(field !== undefined && { field }),
});

/** The status that every result has, and the error of one that did not succeed. */
export const statusFields = ({ status, fault }: Pick<Ending, 'status' | 'fault'>): Fields => ({
  status,
  is_error: fault !== undefined,
  ...(fault && { error: errorObject(fault) }),
});

/** The result of a call that ran nothing. */
export function faultResult(recorder: Recorder, fault: Fault): Fields {
  const status = fault.errorClass === 'canceled' ? 'canceled' : fault.errorClass === 'permission_denied' ? 'denied' : 'failed';
  const content = [{ type: 'text', text: fault.message }];
  return recorder.result({ ...statusFields({ status, fault }), content, summary: fault.message });
}

/** What a command that ran gives: text for the model, numbers for programs, references to what is kept elsewhere. */
export function ranFields(
  result: RanResult,
  { ending, shown }: { readonly ending: Ending; readonly shown: { stdout: ShownStream; stderr: ShownStream } },
): Fields {
  const { stdout, stderr } = shown;
  const kept = [stdout, stderr].flatMap(({ persisted }) => (persisted ? [persisted] : []));
  const texts = [
    ...(stdout.text === '' ? [] : [{ type: 'text', text: stdout.text }]),
    ...(stderr.text === '' ? [] : [{ type: 'log', stream: 'stderr', text: stderr.text }]),
  ];
  const content = [
    ...(texts.length === 0 ? [{ type: 'text', text: NO_OUTPUT }] : texts),
    ...kept.map(({ decisionId, ref }) => ({ type: 'persisted_output_ref', ref: decisionId, ...ref })),
    ...[stdout, stderr].flatMap(({ note }) => (note === undefined ? [] : [{ type: 'text', text: `[${note}]` }])),
    ...notesOf(result).map(text => ({ type: 'text', text })),
  ];
  return {
    content,
    structured_content: structured(result, { stdout: stdout.text, stderr: stderr.text }),
    model_facing_content: content,
    persistence_refs: kept.map(({ decisionId }) => decisionId),
    summary: ending.fault?.message ?? 'the command exited with 0',
  };
}

function structured(result: RanResult, texts: { readonly stdout: string; readonly stderr: string }): Fields {
  return {
    ...texts,
    ...(result.outcome === 'exited' && { exit_code: result.exitCode }),
    ...(result.outcome === 'signaled' && { signal: result.signal }),
    ...(result.outcome === 'timed-out' && { timed_out: true }),
    stdout_bytes: result.stdout.bytes,
    stderr_bytes: result.stderr.bytes,
    duration_ms: Math.round(result.durationMs),
    ...(result.cwd !== undefined && { cwd: result.cwd }),
    shell: result.shell,
    session_restarted: result.sessionRestarted,
    ...(result.ranInstead !== undefined && { ran_instead: result.ranInstead }),
    ...(result.survivors.length > 0 && { survivors: result.survivors }),
    ...(result.leftRunning.length > 0 && { left_running: result.leftRunning }),
  };
}

/** What a model must be told beside the output. */
function notesOf(result: RanResult): string[] {
  const { ranInstead, sessionRestarted } = result;
  return [
    ...(result.outcome === 'exited' ? [] : [`[${endWords(result)}]`]),
    ...(ranInstead === undefined ? [] : [`[a person edited the command; this ran instead: ${ranInstead}]`]),
    ...(sessionRestarted ? ['[a fresh shell ran this; variables of the last one are gone]'] : []),
  ];
}

function endWords(result: RanResult): string {
  if (result.outcome === 'timed-out') return `timed out after ${Math.round(result.durationMs)} ms`;
  if (result.outcome === 'signaled') return `the shell was ended by ${result.signal}`;
  return result.outcome === 'session-lost' ? `the shell was lost: ${result.reason}` : 'cancelled';
}
