import type { ByteSource } from '../../contract/executor.js';

/** What is kept for a listener that has not come yet; more than this was said to nobody. */
const UNHEARD_BYTES = 64 * 1024;

/** A ByteSource that is fed by hand. Bytes pushed before the first listener wait for it, up to 64 KiB. */
export class Feed implements ByteSource {
  #data: ((bytes: Uint8Array) => void) | undefined;
  #end: (() => void) | undefined;
  #unheard: Uint8Array[] = [];
  #unheardBytes = 0;
  #ended = false;

  onData(listener: (bytes: Uint8Array) => void): void {
    this.#data = listener;
    if (this.#unheard.length > 0) queueMicrotask(() => this.#replay());
  }

  onEnd(listener: () => void): void {
    this.#end = listener;
    if (this.#ended) queueMicrotask(() => this.#close());
  }

  get ended(): boolean {
    return this.#ended;
  }

  push(bytes: Uint8Array): void {
    if (this.#ended) return;
    if (this.#data && this.#unheard.length > 0) this.#replay();
    if (this.#data) this.#data(bytes);
    else if (this.#unheardBytes < UNHEARD_BYTES) {
      this.#unheard.push(bytes);
      this.#unheardBytes += bytes.length;
    }
  }

  end(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#close();
  }

  #replay(): void {
    const waiting = this.#unheard;
    this.#unheard = [];
    for (const bytes of waiting) this.#data?.(bytes);
  }

  #close(): void {
    const listener = this.#end;
    if (!listener) return;
    this.#end = undefined;
    this.#replay();
    listener();
  }
}
