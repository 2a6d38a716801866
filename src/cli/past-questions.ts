import { createHash } from 'node:crypto';
import { lstatSync, readFileSync } from 'node:fs';
import { auditRecords } from '../audit/read.js';
import type { Analyzer } from '../contract/analysis.js';
import type { FileFact, SessionFacts } from '../contract/facts.js';
import type { CommandRequest } from '../contract/request.js';
import type { SessionState } from '../contract/session-state.js';
import type { Answers, PastQuestion } from '../policy/learn.js';

export interface PastAnswers extends Answers {
  /** Yeses that cannot be judged again: the log keeps no stdin, no secrets and no end of a very long text. */
  readonly lostYeses: number;
}

type Data = Readonly<Record<string, unknown>>;

/** What of a command has been read so far. */
interface Draft {
  request?: Data;
  facts?: SessionFacts;
  question?: Data;
}

/** Longer files' text is no fact either. */
const LONGEST_FACT = 64 * 1024;

/**
 * The questions of a log that a person answered, analysed anew. An edit is a no to the text it replaced. What a program
 * answered (`--on-ask allow`, a host) is nobody's yes. Errors: those of reading the directory.
 */
export async function pastAnswers(directory: string, analyzer: Analyzer): Promise<PastAnswers> {
  const yeses: PastQuestion[] = [];
  const noes: PastQuestion[] = [];
  const unclear: string[] = [];
  let lostYeses = 0;
  const open = new Map<string, Draft>();
  for await (const { chain, command, type, data } of auditRecords(directory)) {
    if (command === undefined) continue;
    const key = `${chain} ${command}`;
    const draft = open.get(key) ?? {};
    if (type === 'command.requested') open.set(key, { request: data as Data });
    else if (type === 'facts.queried') draft.facts = data as SessionFacts;
    else if (type === 'approval.requested') draft.question = data as Data;
    else if (type === 'command.finished' || type === 'command.refused' || type === 'input.written') open.delete(key);
    const what = type === 'approval.answered' ? meaningOf(data as Data) : undefined;
    if (what === undefined) continue;
    const question = await askedAgain(draft, analyzer);
    if (what === 'yes') question ? yeses.push(question) : lostYeses++;
    else if (question) noes.push(question);
    else unclear.push(textOf(draft));
  }
  return { yeses, noes, unclear, lostYeses };
}

function meaningOf({ outcome, approver, level, code }: Data): 'yes' | 'no' | undefined {
  if (code === 'APPROVAL_DENIED' || outcome === 'edited') return 'no';
  const isPerson = (approver as Data | undefined)?.['kind'] === 'person' && level !== 'unverified';
  return outcome === 'approved' && isPerson ? 'yes' : undefined;
}

/** The question as it can be judged again; nothing where the log does not hold all of it. */
async function askedAgain({ request, facts, question }: Draft, analyzer: Analyzer): Promise<PastQuestion | undefined> {
  const text = question?.['text'];
  const state = question?.['state'] as SessionState | undefined;
  if (!request || !facts || !state || typeof text !== 'string' || text.includes('[redacted')) return undefined;
  if (request['stdin'] !== undefined || request['env'] !== undefined) return undefined;
  const again = { ...request, text } as unknown as CommandRequest;
  const analysis = await analyzer.analyze(again, state, new AbortController().signal);
  return { request: again, state, analysis, facts: withTexts(facts) };
}

function textOf({ request, question }: Draft): string {
  return JSON.stringify([question?.['text'], request?.['text']]);
}

/** The log keeps hashes; a file that still has that content tells what was read in it. */
function withTexts(facts: SessionFacts): SessionFacts {
  if (!facts.known) return facts;
  return {
    ...facts,
    hashes: Object.fromEntries(Object.entries(facts.hashes).map(([path, file]) => [path, withText(path, file)])),
  };
}

function withText(path: string, file: FileFact): FileFact {
  if (file.sha256 === undefined) return file;
  try {
    const stat = lstatSync(path);
    if (!stat.isFile() || stat.size > LONGEST_FACT) return file;
    const content = readFileSync(path);
    if (createHash('sha256').update(content).digest('hex') !== file.sha256) return file;
    return { ...file, text: content.toString('utf8') };
  } catch {
    return file;
  }
}
