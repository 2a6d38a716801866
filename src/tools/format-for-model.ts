import type { CommandResult, Refusal } from '../contract/result.js';

/**
 * A result as one text, in the form of document 003 (S3-21): stdout, `stderr: …`, `[output truncated]`,
 * `[command timed out]`, `exit_code: N`, joined by newlines, empty parts left out. The codes of what had no exit are the
 * document's: 124 timed out; others get a sentence instead.
 */
export function formatForModel(result: CommandResult): string {
  if (result.outcome === 'refused') return refusalText(result);
  const { stdout, stderr } = result;
  const parts = [
    stdout.text.replace(/\n$/, ''),
    stderr.text === '' ? '' : `stderr: ${stderr.text.replace(/\n$/, '')}`,
    stdout.omittedBytes + stderr.omittedBytes > 0 ? '[output truncated]' : '',
    result.outcome === 'timed-out' ? '[command timed out]' : '',
    endText(result),
    result.ranInstead === undefined ? '' : `[a person edited the command; this ran instead: ${result.ranInstead}]`,
    result.sessionRestarted ? '[the shell was restarted before this command]' : '',
  ];
  return parts.filter(part => part !== '').join('\n');
}

function endText(result: Exclude<CommandResult, Refusal>): string {
  switch (result.outcome) {
    case 'exited':
      return `exit_code: ${result.exitCode}`;
    case 'timed-out':
      return 'exit_code: 124';
    case 'signaled':
      return `[the shell was ended by ${result.signal}]`;
    case 'cancelled':
      return '[command cancelled]';
    case 'session-lost':
      return `[the shell was lost: ${result.reason}]`;
  }
}

/** `Command rejected by policy: …` is the document's own wording (S3-14); the others follow its form. */
function refusalText({ by, reason, feedback }: Refusal): string {
  const said = feedback === undefined ? '' : `\nA person said: ${feedback}`;
  const who = by === 'policy' ? 'by policy' : by === 'approver' ? 'by a person' : `(${by})`;
  return `Command rejected ${who}: ${reason}${said}`;
}
