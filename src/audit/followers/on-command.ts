import type { AuditFollower } from '../../contract/audit.js';

/**
 * The documents' audit hook (S3-10): called with the text of every command that passed policy and was started, redacted
 * as the log has it. It is told, not asked: a throw or a rejection is recorded as `follower.failed` and the command runs.
 */
export function onCommandFollower(onCommand: (text: string) => unknown): AuditFollower {
  return {
    name: 'onCommand',
    async write(records) {
      const failures: unknown[] = [];
      for (const { type, data } of records) {
        if (type !== 'command.started') continue;
        try {
          await onCommand(textOf(data));
        } catch (error) {
          failures.push(error);
        }
      }
      if (failures.length === 1) throw failures[0];
      if (failures.length > 1)
        throw new Error(failures.map(failure => (failure as Error)?.message ?? String(failure)).join('; '));
    },
  };
}

function textOf(data: unknown): string {
  const text = (data as { text?: unknown } | null)?.text;
  // A very long text is kept by its beginning only.
  return typeof text === 'string' ? text : String((text as { beginning?: unknown } | undefined)?.beginning ?? '');
}
