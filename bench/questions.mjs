// How often a person is asked: recorded transcripts judged by each shipped profile, as in a session of a project that has
// the scripts it runs. `each`: every answer counts once. `kept`: a yes is remembered for the session where that is offered.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { createAnalyzer } from '../dist/analysis/analyzer.js';
import { specs } from '../dist/analysis/specs/index.js';
import { RISKS } from '../dist/load-policies.js';
import { createPolicy } from '../dist/policy/create-policy.js';
import { EXAMPLE_SIGNAL, EXAMPLE_STATE, exampleFacts, exampleRequest } from '../dist/policy/example-world.js';
import { combine } from '../dist/policy/layers.js';
import { loadPolicy } from '../dist/policy/load.js';
import { PROFILES } from '../dist/policy/policy-file.js';

const FOLDER = new URL('transcripts/', import.meta.url);
const SCRIPTS = ['build', 'lint', 'notion:fetch-all', 'start', 'test', 'test:api-server', 'typecheck'];
const FILES = {
  'package.json': JSON.stringify({ scripts: Object.fromEntries(SCRIPTS.map(name => [name, 'node scripts/it.js'])) }),
  Makefile: 'all:\n\tcc -o all main.c\nclean test benchmark:\n\ttrue\n',
};

const analyzer = createAnalyzer({ specs });

export function transcripts() {
  const names = readdirSync(FOLDER).filter(name => name.endsWith('.jsonl'));
  return names.sort().map(name => {
    const lines = readFileSync(new URL(name, FOLDER), 'utf8').split('\n').filter(Boolean);
    const commands = lines.map(line => JSON.parse(line).command.replaceAll('${workspace}', EXAMPLE_STATE.workspace));
    return { name: name.replace('.jsonl', ''), commands };
  });
}

/** The facts of a place where nothing is special, but for the files that a project's scripts stand in. */
function facts(query) {
  const known = exampleFacts(query);
  for (const [name, text] of Object.entries(FILES)) {
    const path = `${EXAMPLE_STATE.workspace}/${name}`;
    if (path in known.hashes) known.hashes[path] = { sha256: createHash('sha256').update(text).digest('hex'), text };
  }
  return known;
}

async function policyFor(profile) {
  const loaded = await loadPolicy({ files: [profile], analyzer });
  return createPolicy(combine([{ name: 'user', policies: [loaded], authority: 'full' }], { risks: RISKS }));
}

const PERSON = { kind: 'person', id: 'p', label: 'ana' };

/** Every question: its text and reasons. A deny is none. `keeps`: a yes is remembered where a rule is suggested. */
export async function questions(profile, commands, { keeps }) {
  const policy = await policyFor(profile);
  const asked = [];
  for (const text of commands) {
    const request = exampleRequest(text);
    const analysis = await analyzer.analyze(request, EXAMPLE_STATE, EXAMPLE_SIGNAL);
    const known = facts(analysis.query);
    const evaluation = policy.evaluate(request, EXAMPLE_STATE, analysis, known);
    if (evaluation.decision !== 'ask') continue;
    asked.push({ text, reasons: evaluation.matches.filter(({ decision }) => decision === 'ask').map(({ reason }) => reason) });
    const [offered] = evaluation.suggestions;
    if (!keeps || !offered) continue;
    const remember = { scope: 'session', rule: offered.rule, ...(offered.also && { also: offered.also }) };
    const question = { request, state: EXAMPLE_STATE, analysis, facts: known, evaluation };
    await policy.remember(question, { outcome: 'approved', approver: PERSON, remember });
  }
  return asked;
}

export async function questionTable() {
  const rows = [];
  for (const { name, commands } of transcripts()) {
    const cells = [];
    for (const profile of PROFILES) {
      for (const keeps of [false, true]) {
        const count = (await questions(profile, commands, { keeps })).length;
        cells.push(((100 * count) / commands.length).toFixed(0).padStart(keeps ? 5 : 12));
      }
    }
    rows.push(`  ${name}, ${commands.length} commands`.padEnd(44) + cells.join(''));
  }
  const head = 'questions per 100 commands: each, kept'.padEnd(44) + PROFILES.map(name => name.padStart(17)).join('');
  return [head, ...rows].join('\n');
}

if (process.argv[1] === new URL(import.meta.url).pathname) {
  const [profile, which, keeps] = process.argv.slice(2);
  if (!profile) console.log(await questionTable());
  for (const { name, commands } of profile ? transcripts() : []) {
    if (which && which !== name) continue;
    for (const { text, reasons } of await questions(profile, commands, { keeps: keeps === 'kept' })) {
      console.log(`${name}: ${text.slice(0, 110).replaceAll('\n', '⏎')}\n    ${reasons.slice(0, 4).join('; ').slice(0, 240)}`);
    }
  }
}
