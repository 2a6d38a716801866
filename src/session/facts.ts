import { isAbsolute, resolve } from 'node:path';
import type { FactsQuery } from '../contract/analysis.js';
import type { NameFact, SessionFacts } from '../contract/facts.js';
import type { SessionState } from '../contract/session-state.js';
import type { NameFacts, RawReport } from '../contract/shell-family.js';
import { latch, within } from './clock.js';
import type { LiveShell } from './live-shell.js';
import { nonce } from './nonce.js';

const ANSWER_MS = 2_000;
const SYNTAX_MS = 5_000;

export interface FactsOptions {
  readonly shell: LiveShell;
  readonly query: FactsQuery;
  /** Program and arguments of the session's shell. */
  readonly argv: readonly string[];
  readonly state: Pick<SessionState, 'cwd' | 'lineage'>;
}

/** One round trip: names and variables of the shell, files, and the grammar's own word, all at once. Never throws. */
export async function askFacts(options: FactsOptions, signal: AbortSignal): Promise<SessionFacts> {
  const { shell, query } = options;
  try {
    const [named, files, syntax] = await Promise.all([
      askShell(options),
      shell.channel.files(query, signal),
      checkSyntax(options),
    ]);
    if (!named) return { known: false, reason: 'the shell did not say what the names mean' };
    if (!syntax) return { known: false, reason: 'the shell did not say whether it accepts the text' };
    return { known: true, names: absolute(named.names, options.state.cwd), variables: named.variables, ...files, syntax };
  } catch (error) {
    return { known: false, reason: error instanceof Error ? error.message : String(error) };
  }
}

async function askShell({ shell, query, state }: FactsOptions): Promise<Pick<NameFacts, 'names' | 'variables'> | undefined> {
  if (query.names.length === 0 && query.variables.length === 0) return { names: {}, variables: {} };
  const { family, control, channel } = shell;
  const answer = latch<RawReport | undefined>();
  const asked = nonce();
  const end = nonce();
  control.expect(asked, answer.resolve);
  // A line that the shell gave up is answered by the one behind it.
  control.expect(end, () => answer.resolve(undefined));
  channel.commands.write(family.factsLine(query, asked) + family.sync(end));
  const came = await within(ANSWER_MS, Promise.race([answer.promise, shell.closed]));
  control.forget(asked);
  if (!came || shell.ended) return undefined;
  const raw = await answer.promise;
  const facts = raw && family.facts(raw, query);
  // What unseen code exported is cured with its shell.
  shell.exports(state.lineage === 'clean' ? facts?.exported : undefined);
  return facts;
}

async function checkSyntax({ shell, query, argv }: FactsOptions): Promise<'accepted' | 'rejected' | 'not-asked' | undefined> {
  if (query.text === '') return 'not-asked';
  const check = shell.family.syntaxCheck(argv);
  if (!check) return undefined;
  const { status } = await shell.channel.helper(check, query.text, SYNTAX_MS);
  return status === undefined ? undefined : status === 0 ? 'accepted' : 'rejected';
}

/** A PATH with a relative directory finds relative paths. */
function absolute(names: Record<string, NameFact>, cwd: string): Record<string, NameFact> {
  for (const [name, fact] of Object.entries(names)) {
    if (fact.path !== undefined && !isAbsolute(fact.path)) names[name] = { ...fact, path: resolve(cwd, fact.path) };
  }
  return names;
}
