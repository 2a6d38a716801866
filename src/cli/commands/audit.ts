import { join } from 'node:path';
import { type Command, Option } from 'commander';
import { clip, padEnd } from '../../approval/prompt/text-layout.js';
import { toCloudEvent } from '../../audit/followers/cloudevents.js';
import { toEcs } from '../../audit/followers/ecs.js';
import { type ExportSource, sourceOf } from '../../audit/followers/export-fields.js';
import { toOcsf } from '../../audit/followers/ocsf.js';
import { toOtel } from '../../audit/followers/otel.js';
import { auditRecords, columnsOf, lineOf, readCommands, tailAudit } from '../../audit/read.js';
import { verifyAudit } from '../../audit/verify.js';
import type { AuditHead, AuditRecord, Verification } from '../../contract/audit.js';
import { ShellgateError } from '../../contract/error.js';
import { stateDirectory } from '../../platform.js';
import { EXIT } from '../messages.js';
import { print, tell } from '../output.js';
import { onInterrupt } from '../signals.js';

interface Flags {
  readonly audit?: string;
  readonly json?: boolean;
  readonly session?: string;
  readonly last?: string;
  readonly head?: string[];
  readonly format?: string;
}

/** Where the log is when nothing else is said. */
export const defaultAuditDirectory = (): string => join(stateDirectory(), 'audit');
const directoryOf = (flags: Flags): string => flags.audit ?? defaultAuditDirectory();

export function register(program: Command): void {
  const audit = program.command('audit').description('read and verify the log');
  const add = (name: string, description: string) =>
    audit
      .command(name)
      .description(description)
      .option('--audit <dir>', 'directory of the log')
      .option('--json', 'machine-readable output');
  add('show', 'what was asked, answered and run: one line a command')
    .option('--session <name>', 'one session only, by its name or id')
    .option('--last <n>', 'only the newest', '1000')
    .action(show);
  add('tail', 'follow the log as it grows').action(tail);
  add('export', "the records in a collector's form, one JSON line each")
    .addOption(new Option('--format <form>', 'the form').choices(Object.keys(FORMS)).default('ocsf'))
    .action(exportRecords);
  add('verify', 'is every record as it was written? exit status 1 if not')
    .option('--head <chain:seq:hash>', 'a head kept elsewhere (repeatable)', (value, before: string[] = []) => [...before, value])
    .action(verify);
}

async function show(flags: Flags): Promise<void> {
  const last = Number(flags.last);
  if (!Number.isInteger(last) || last < 1)
    throw new ShellgateError('OPTION_INVALID', `"${flags.last}" is no count`, { place: '--last' });
  const filter = { last, ...(flags.session !== undefined && { session: flags.session }) };
  const { commands, damaged } = await readCommands(directoryOf(flags), filter);
  if (flags.json) for (const command of commands) print(command);
  else {
    for (const command of commands) {
      const { time, session, who, text, decided, ended, took } = columnsOf(command);
      const clock = new Date(time).toLocaleString('sv');
      const columns = [clock, cell(session, 8), cell(who, 12), cell(text, 36, 60), cell(decided, 34, 80), ended, took];
      tell(columns.join('  ').trimEnd());
    }
    if (commands.length === 0) tell(`No commands in ${directoryOf(flags)}.`);
  }
  sayDamaged(damaged);
}

/** At least so wide, and no wider than `most`. */
const cell = (text: string, least: number, most = 24): string => padEnd(clip(text, most), least);

/** What could be read was printed; that it is not all is a failure. */
function sayDamaged(count: number): void {
  if (count === 0) return;
  const what = count === 1 ? '1 record or file cannot' : `${count} records or files cannot`;
  throw new ShellgateError('AUDIT_DAMAGED', `${what} be read; the rest is above. See shellgate audit verify`);
}

async function tail(flags: Flags): Promise<void> {
  const stopping = new AbortController();
  const stop = onInterrupt(() => stopping.abort());
  for await (const record of tailAudit(directoryOf(flags), { signal: stopping.signal })) {
    if (flags.json) print(record);
    else tell(lineOf(record));
  }
  stop();
}

/** One pure function a form; a record that the form has no word for gives nothing. */
const FORMS: Readonly<Record<string, (record: AuditRecord, source: ExportSource) => object | undefined>> = {
  ocsf: toOcsf,
  ecs: toEcs,
  otel: toOtel,
  cloudevents: toCloudEvent,
};

async function exportRecords(flags: Flags): Promise<void> {
  const form = FORMS[flags.format ?? 'ocsf']!;
  const sources = new Map<string, ExportSource>();
  let damaged = 0;
  for await (const record of auditRecords(directoryOf(flags), () => damaged++)) {
    if (record.type === 'audit.opened') sources.set(record.chain, sourceOf(record));
    const source = sources.get(record.chain);
    const exported = source && form(record, source);
    if (exported) print(exported);
  }
  sayDamaged(damaged);
}

async function verify(flags: Flags): Promise<void> {
  const verification = await verifyAudit(directoryOf(flags), { expect: (flags.head ?? []).map(parseHead) });
  if (flags.json) print(verification);
  else for (const line of verdictLines(verification)) tell(line);
  if (!verification.intact) process.exitCode = EXIT.no;
}

/** Screen k: what is broken and where; or how much is as it was written, and what that proves. */
function verdictLines({ intact, chains, records, problems, heads, assurance }: Verification): string[] {
  if (!intact) return problems.map(problem => `verify: ${problem.text}`);
  const count = `${chains} ${chains === 1 ? 'chain' : 'chains'}, ${records} ${records === 1 ? 'record' : 'records'}`;
  return [`verify: ${count} intact (${assurance})`, ...heads.map(head => `head ${head.chain}:${head.seq}:${head.hash}`)];
}

function parseHead(text: string): AuditHead {
  const match = /^([0-9a-f]+):(\d+):([0-9a-f]{64})$/.exec(text);
  if (!match)
    throw new ShellgateError('OPTION_INVALID', `"${text}" is no head; write chain:seq:hash as audit verify prints it`, {
      place: '--head',
    });
  return { chain: match[1]!, seq: Number(match[2]), hash: match[3]! };
}
