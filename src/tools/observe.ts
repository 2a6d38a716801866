import type { Execution, Judged, Status } from '../contract/execution.js';

const LOOK_MS = 50;

/** Looks at an execution, at once and then twenty times a second, until it is over. Never rejects. */
export async function observe(execution: Execution, look: (status: Status, judged: Judged) => void): Promise<void> {
  let over = false;
  const ended = execution.result.then(() => {
    over = true;
  });
  while (!over) {
    const status = await execution.status();
    look(status, (await execution.judged?.()) ?? {});
    await orLater(ended);
  }
}

async function orLater(ended: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const later = new Promise<void>(resolve => {
    timer = setTimeout(resolve, LOOK_MS);
  });
  await Promise.race([ended, later]);
  clearTimeout(timer);
}
