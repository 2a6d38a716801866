import { z } from 'zod';

const part = z.looseObject({ type: z.string() });
const message = z.looseObject({ role: z.string(), content: z.array(z.unknown()) });
const requestPart = z.looseObject({
  type: z.literal('tool-approval-request'),
  approvalId: z.string(),
  toolCallId: z.string(),
  isAutomatic: z.boolean().optional(),
});
const responsePart = z.looseObject({
  type: z.literal('tool-approval-response'),
  approvalId: z.string(),
  approved: z.boolean(),
  reason: z.string().optional(),
});

/** What a person answered in the host's dialog. */
export interface HostAnswer {
  readonly approved: boolean;
  /** A sentence of theirs. */
  readonly reason?: string | undefined;
}

/**
 * What a conversation says about a call: its person's answer, undefined where nobody was asked or the host answered by
 * itself (`isAutomatic`). A later answer replaces an earlier one.
 */
export function answerIn(messages: readonly unknown[], toolCallId: string): HostAnswer | undefined {
  const parts = messages.flatMap(each => partsOf(each));
  const asked = new Set<string>();
  let said: HostAnswer | undefined;
  for (const each of parts) {
    const request = requestPart.safeParse(each);
    if (request.success && request.data.toolCallId === toolCallId && !request.data.isAutomatic)
      asked.add(request.data.approvalId);
    const response = responsePart.safeParse(each);
    if (response.success && asked.has(response.data.approvalId)) said = response.data;
  }
  return said;
}

function partsOf(value: unknown): readonly unknown[] {
  const parsed = message.safeParse(value);
  return parsed.success ? parsed.data.content.filter(each => part.safeParse(each).success) : [];
}
