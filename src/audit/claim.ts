import { closeSync, constants, openSync, readdirSync, readFileSync, unlinkSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { isDead, type Owner, thisProcess } from './owner.js';

/**
 * The right to append to a chain from one place on: a file `<chain file's stem>.<seq>.claim`, made only if it does not
 * exist, holding its owner, deleted at a clean close. A dead owner's claim is never taken over, so there is nothing to
 * race for: whoever goes on claims the place the chain has grown to since, and then looks whether a living owner holds
 * another place of it (`isHeldBesides`). A chain that a dead owner claimed and did not write to stays as it is.
 */
export interface Claim {
  readonly stem: string;
  /** The chain's length when it was claimed; 0 for a new one. */
  readonly seq: number;
  /** undefined: its owner had no time to sign it; nobody may assume that it is dead. */
  readonly owner: Owner | undefined;
}

export function claimsIn(directory: string): Claim[] {
  return readdirSync(directory).flatMap(name => {
    const match = /^(.+)\.(\d+)\.claim$/.exec(name);
    return match ? [{ stem: match[1]!, seq: Number(match[2]), owner: ownerOf(join(directory, name)) }] : [];
  });
}

/** false: somebody else has it. */
export function takeClaim(directory: string, stem: string, seq: number): boolean {
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
  let fd: number;
  try {
    fd = openSync(claimFile(directory, stem, seq), flags, 0o600);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
  try {
    writeSync(fd, JSON.stringify(thisProcess()));
    return true;
  } catch (error) {
    dropClaim(directory, stem, seq);
    throw error;
  } finally {
    closeSync(fd);
  }
}

/**
 * Does somebody who may be alive hold another place of this chain? To be asked after taking a claim: what was read
 * before it, a living owner may have written on since.
 */
export function isHeldBesides(directory: string, stem: string, seq: number): boolean {
  const self = thisProcess();
  return claimsIn(directory).some(
    claim => claim.stem === stem && claim.seq !== seq && !(claim.owner && isDead(claim.owner, self)),
  );
}

/** A claim that cannot be deleted only keeps its chain from being continued. */
export function dropClaim(directory: string, stem: string, seq: number): void {
  try {
    unlinkSync(claimFile(directory, stem, seq));
  } catch {}
}

const claimFile = (directory: string, stem: string, seq: number): string => join(directory, `${stem}.${seq}.claim`);

function ownerOf(path: string): Owner | undefined {
  try {
    const value = JSON.parse(readFileSync(path, 'utf8'));
    return typeof value?.host === 'string' && typeof value.pid === 'number' ? value : undefined;
  } catch {
    return undefined;
  }
}
