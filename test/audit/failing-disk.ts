import { type Disk, realDisk } from '../../src/audit/disk.js';

const failure = (call: string, code: string) => Object.assign(new Error(`${code}: ${call}`), { code });

/** A disk whose `write`th write, counted from 1, and every later one throw. */
export function failingFrom(write: number, code = 'EIO'): Disk {
  let writes = 0;
  return {
    ...realDisk,
    write(fd, bytes) {
      writes += 1;
      if (writes >= write) throw failure('write', code);
      return realDisk.write(fd, bytes);
    },
  };
}

/** A disk that takes every byte and never gets one to the platter. */
export const unsyncable: Disk = { ...realDisk, sync: () => Promise.reject(failure('fdatasync', 'EIO')) };

export interface SlowDisk extends Disk {
  /** How many syncs were begun. */
  readonly syncs: number;
  /** Ends the oldest sync under way. */
  release(): void;
}

/** A disk whose every sync takes until `release()`. */
export function slowDisk(): SlowDisk {
  const held: (() => void)[] = [];
  let syncs = 0;
  return {
    ...realDisk,
    sync() {
      syncs += 1;
      return new Promise(done => held.push(done));
    },
    get syncs() {
      return syncs;
    },
    release: () => held.shift()?.(),
  };
}
