import { closeSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { AuditHead, AuditProblem, AuditRecord, Verification } from '../contract/audit.js';
import { type ChainName, chainsIn } from './directory.js';
import { linesOf, openToRead } from './lines.js';
import { parseRecord } from './record.js';
import { walk } from './walk.js';

/** Somebody says that a chain has this record. */
interface Named extends AuditHead {
  readonly by: string;
}

/** By chain; the same head is kept once, however many openings name it. */
class NamedHeads {
  readonly #chains = new Map<string, Map<string, Named>>();

  add(head: Named): void {
    const heads = this.#chains.get(head.chain) ?? new Map<string, Named>();
    heads.set(`${head.seq} ${head.hash}`, head);
    this.#chains.set(head.chain, heads);
  }

  of(chain: string): readonly Named[] {
    return [...(this.#chains.get(chain)?.values() ?? [])];
  }

  chains(): string[] {
    return [...this.#chains.keys()];
  }
}

/**
 * Read a whole log directory and say what is broken and where, in bounded memory. It proves that the files are
 * consistent with each other and with the expected heads, not who wrote them; a tail cut from a chain that no later
 * opening and no expected head names is not found. Throws as `fs` does when the directory cannot be read.
 */
export async function verifyAudit(
  directory: string,
  options: { readonly expect?: readonly AuditHead[] } = {},
): Promise<Verification> {
  const names = chainsIn(directory);
  const named = new NamedHeads();
  for (const head of options.expect ?? []) named.add({ ...head, by: 'the expected head' });
  for (const name of names) for await (const head of namedIn(name)) named.add(head);
  const problems: AuditProblem[] = [];
  const heads: AuditHead[] = [];
  let records = 0;
  for (const name of names) {
    const { head, found } = await verifySettled(name, named.of(name.chain));
    problems.push(...found);
    if (head) heads.push(head);
    records += head?.seq ?? 0;
  }
  problems.push(...missing(named, names));
  return {
    intact: problems.length === 0,
    assurance: 'consistent, not authenticated',
    chains: names.length,
    records,
    problems,
    heads,
  };
}

/** The heads that the openings of a chain name. Its own integrity is judged later. */
async function* namedIn(name: ChainName): AsyncGenerator<Named> {
  const mark = Buffer.from('"type":"audit.opened"');
  for await (const { bytes } of linesIn(name)) {
    if (!bytes.includes(mark)) continue;
    const record = parseRecord(bytes);
    if (record?.type !== 'audit.opened') continue;
    for (const head of headsOf(record)) yield { ...head, by: `${name.chain} record ${record.seq}` };
  }
}

/** Nothing of a file that cannot be read: its own verdict will say so. */
async function* linesIn(name: ChainName) {
  let fd: number | undefined;
  try {
    fd = openToRead(name.path);
    yield* linesOf(fd);
  } catch {
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}

function headsOf({ data }: AuditRecord): AuditHead[] {
  const heads = (data as { heads?: unknown } | null)?.heads;
  return Array.isArray(heads) ? heads.filter(isHead) : [];
}

function isHead(value: unknown): value is AuditHead {
  const head = value as Partial<AuditHead> | null;
  return typeof head?.chain === 'string' && typeof head.seq === 'number' && typeof head.hash === 'string';
}

interface ChainVerdict {
  /** The last intact place. */
  readonly head?: AuditHead;
  readonly found: readonly AuditProblem[];
}

/** A line that is being written right now may be seen in part; a moment later it is whole. */
const WRITING_TAKES_MS = 50;

async function verifySettled(name: ChainName, named: readonly Named[]): Promise<ChainVerdict> {
  try {
    const verdict = await verifyChain(name, named);
    if (!verdict.found.some(problem => problem.kind === 'torn')) return verdict;
    await sleep(WRITING_TAKES_MS);
    return await verifyChain(name, named);
  } catch (error) {
    const { chain, file } = name;
    return { found: [{ kind: 'unreadable', chain, file, text: `${file} cannot be read: ${(error as Error).message}` }] };
  }
}

async function verifyChain(name: ChainName, named: readonly Named[]): Promise<ChainVerdict> {
  const found: AuditProblem[] = [];
  let head: AuditHead | undefined;
  let broken = false;
  const fd = openToRead(name.path);
  try {
    for await (const { record, problem } of walk(fd, name)) {
      if (problem) {
        broken = true;
        found.push(problem);
        continue;
      }
      head = { chain: record.chain, seq: record.seq, hash: record.hash };
      const other = named.find(place => place.seq === record.seq && place.hash !== record.hash);
      if (other) found.push(replaced(name, other));
    }
  } finally {
    closeSync(fd);
  }
  const length = head?.seq ?? 0;
  const beyond = named.filter(place => place.seq > length).sort((a, b) => b.seq - a.seq)[0];
  if (beyond && !broken) found.push(cutOff(name, length, beyond));
  return head ? { head, found } : { found };
}

function replaced(name: ChainName, { seq, by }: Named): AuditProblem {
  const text = `${name.file} record ${seq}: is not the record that ${by} names`;
  return { kind: 'replaced', chain: name.chain, file: name.file, record: seq, namedBy: by, text };
}

function cutOff(name: ChainName, length: number, { seq, by }: Named): AuditProblem {
  const text = `${name.file} ends at record ${length}, but ${by} names its record ${seq}`;
  return { kind: 'cut', chain: name.chain, file: name.file, record: length + 1, namedBy: by, text };
}

/** One problem a missing chain, with the last that names it. */
function missing(named: NamedHeads, present: readonly ChainName[]): AuditProblem[] {
  const there = new Set(present.map(name => name.chain));
  return named
    .chains()
    .filter(chain => !there.has(chain))
    .map(chain => {
      const namedBy = named.of(chain).at(-1)!.by;
      return { kind: 'missing-chain', chain, namedBy, text: `chain ${chain} is missing, named by ${namedBy}` };
    });
}
