import { z } from 'zod';

/** How the tools that look after commands are told which: by `c91` or by `k7qd-3f9a`, exactly one of them. */
export const whichCall = {
  command: z.string().min(1).optional().describe('The command, as run_shell named it: c91.'),
  request: z.string().min(1).optional().describe('Or the question it waits for: k7qd-3f9a.'),
};

export const isOneCall = ({ command, request }: { command?: string | undefined; request?: string | undefined }): boolean =>
  (command === undefined) !== (request === undefined);

export const ONE_CALL = { message: 'name one: command ("c91") or request ("k7qd-3f9a")' };
