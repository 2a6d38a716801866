import { readlinkSync } from 'node:fs';
import { hasProc } from '../platform.js';

/**
 * The program that started this process, by the kernel's word: the file of the parent's image. It says nothing of the
 * script that an interpreter runs. Undefined where it cannot be known.
 */
export function startedBy(pid: number = process.ppid): string | undefined {
  if (!hasProc) return undefined;
  try {
    return readlinkSync(`/proc/${pid}/exe`);
  } catch {
    return undefined;
  }
}
