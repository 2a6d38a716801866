import type { Live } from '../contract/execution.js';
import type { CommandRequest } from '../contract/request.js';
import { type Dispatched, dispatch, type Order } from './dispatch.js';
import type { LiveShell } from './live-shell.js';
import type { Streams } from './streams.js';

/** What a command writes to and reads from: private pipes, or the session's terminal. */
export interface Outlet {
  readonly order: Pick<Order, 'capture' | 'terminal' | 'onStarted'>;
  /** What a `Live` shows beside the streams. */
  readonly face: Pick<Live, 'screen' | 'resize' | 'type'>;
  /** The end has been reported: delivers what was written before it. true: a process still holds the way out. */
  finish(): Promise<boolean>;
}

export interface OutletOptions {
  readonly shell: LiveShell;
  readonly request: CommandRequest;
  readonly streams: Streams;
  /** Output that came after the result. */
  late(stream: 'stdout' | 'stderr', bytes: Uint8Array): void;
}

/** Sends the command; when that fails, its way out is given back. */
export async function send(outlet: Outlet, shell: LiveShell, order: Omit<Order, keyof Outlet['order']>): Promise<Dispatched> {
  try {
    return dispatch(shell, { ...order, ...outlet.order });
  } catch (error) {
    await outlet.finish();
    throw error;
  }
}

/** Two private pipes, and a third one where there are stdin bytes. */
export async function pipesOutlet({ shell, request, streams, late }: OutletOptions): Promise<Outlet> {
  const pair = await shell.channel.capture(request.stdin === undefined ? undefined : Buffer.from(request.stdin));
  streams.follow('stdout', pair.out);
  streams.follow('stderr', pair.err);
  const inlet = pair.in;
  return {
    order: {
      capture: { out: pair.out.path, err: pair.err.path, ...(inlet && { in: inlet.path }) },
      ...(inlet && { onStarted: () => inlet.opened() }),
    },
    face: { screen: async () => undefined, resize: () => {} },
    async finish() {
      const { held } = await pair.finish((stream, bytes) => late(stream === 'out' ? 'stdout' : 'stderr', bytes));
      return held.length > 0;
    },
  };
}
