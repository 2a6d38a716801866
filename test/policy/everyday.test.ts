import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { FileFact } from '../../src/contract/facts.js';
import type { Question } from '../../src/contract/question.js';
import type { PolicyEngine } from '../../src/policy/create-policy.js';
import { verifies } from '../helpers/verifies.js';
import { analysedEngine, judging, questionWith } from './analysed.js';
import { YES } from './made.js';

const FOLDER = join(import.meta.dirname, '../fixtures/policy-corpus');
const read = (name: string): string => readFileSync(join(FOLDER, name), 'utf8');

const LISTS = ['everyday.txt', 'everyday-2.txt', 'everyday-3.txt'];

const commandsOf = (text: string) =>
  text
    .split('\n')
    .filter(line => line !== '' && !line.startsWith('#'))
    .map(line => line.replaceAll('⏎', '\n'));

/** Lines of a list by the profile they are judged under. */
function sectionsOf(name: string): Map<string, string[]> {
  const [, ...parts] = read(name).split(/^#: (.*)$/m);
  return new Map(parts.flatMap((profile, index) => (index % 2 === 0 ? [[profile, commandsOf(parts[index + 1]!)]] : [])));
}

/** Why asking about a line is right, by the line. */
const REASONS = new Map(commandsOf(read('everyday-asked.txt')).map(line => line.split('\t') as [string, string]));

async function askedOf(profile: string, commands: readonly string[]): Promise<string[]> {
  const judge = await judging({ files: [profile] });
  const found: string[] = [];
  for (const command of commands) if ((await judge(command)).decision !== 'allow') found.push(command);
  return found;
}

test.each([
  ['everyday.txt', 'read-only', 300, 0.02],
  ['everyday.txt', 'workspace', 76, 0.07],
  ['everyday-2.txt', 'read-only', 228, 0.12],
  ['everyday-2.txt', 'workspace', 86, 0.09],
  ['everyday-3.txt', 'read-only', 312, 0.06],
  ['everyday-3.txt', 'workspace', 124, 0.08],
])('%s under %s: few questions, each with its reason', async (name, profile, count, share) => {
  const commands = sectionsOf(name).get(profile)!;
  expect(commands).toHaveLength(count);
  const asked = await askedOf(profile, commands);
  expect(asked.filter(command => !REASONS.has(command))).toEqual([]);
  expect(asked.length / commands.length).toBeLessThan(share);
});

test('the first list is asked about in less than one line of twenty', async () => {
  const sections = sectionsOf('everyday.txt');
  let [asked, all] = [0, 0];
  for (const [profile, commands] of sections) {
    asked += (await askedOf(profile, commands)).length;
    all += commands.length;
  }
  expect(all).toBe(376);
  expect(asked / all).toBeLessThan(0.05);
});

test('no reason stands for a line that is not asked about', async () => {
  const asked = new Set<string>();
  for (const name of LISTS) {
    for (const [profile, commands] of sectionsOf(name)) {
      if (profile === 'read-only' || profile === 'workspace')
        for (const command of await askedOf(profile, commands)) asked.add(command);
    }
  }
  expect([...REASONS.keys()].filter(command => !asked.has(command))).toEqual([]);
  for (const [command, reason] of REASONS) expect(reason, command).toMatch(/^\S.{15,}/);
});

test('a line that is to ask does, and says why it is right', async () => {
  const lines = sectionsOf('everyday-3.txt')
    .get('asks')!
    .map(line => line.split('\t') as [string, string]);
  expect(lines).toHaveLength(90);
  const policy = await engine();
  for (const [command, reason] of lines) {
    expect((await questionOf(policy, command)).evaluation.decision, command).not.toBe('allow');
    expect(reason, command).toMatch(/^\S.{10,}/);
  }
});

test.each([...sectionsOf('everyday-2.txt').get('builds')!, ...sectionsOf('everyday-3.txt').get('builds')!])(
  'a build asks once: %s',
  async command => {
    const policy = await engine();
    const question = await questionOf(policy, command);
    expect(question.evaluation.decision).toBe('ask');
    const [offer] = question.evaluation.suggestions;
    const remember = { scope: 'session' as const, ...(offer && { rule: offer.rule, ...(offer.also && { also: offer.also }) }) };
    expect(await policy.remember(question, { ...YES, remember })).toHaveProperty('id');
    expect((await questionOf(policy, command)).evaluation.decision).toBe('allow');
    const changed = await questionOf(policy, command, 'other');
    const relies = Object.values(question.facts.known ? question.facts.hashes : {}).some(({ sha256 }) => sha256 !== undefined);
    expect(changed.evaluation.decision).toBe(relies ? 'ask' : 'allow');
  },
);

const engine = (): Promise<PolicyEngine> => analysedEngine({ files: ['workspace'] });

/** Judged where the scripts of the project hold `content`. */
const questionOf = (policy: PolicyEngine, text: string, content = 'first'): Promise<Question> =>
  questionWith(policy, text, path => (SCRIPTS.test(path) ? fileOf(path, content) : undefined));

const SCRIPTS = /\/(package\.json|Makefile|scripts\/.*|gradlew|Dockerfile|docker-compose\.yml)$/;

function fileOf(path: string, content: string): FileFact {
  const scripts = Object.fromEntries(['test', 'build'].map(name => [name, content]));
  const text = path.endsWith('.json') ? JSON.stringify({ scripts }) : `all build test:\n\t${content}\n`;
  return { sha256: createHash('sha256').update(text).digest('hex'), text };
}

test('under read-only, no hostile line runs unasked', async () => {
  verifies('P3');
  const judge = await judging({ files: ['read-only'] });
  const hostile = commandsOf(read('hostile.txt'));
  expect(hostile.length).toBeGreaterThan(250);
  const allowed: string[] = [];
  for (const command of hostile) if ((await judge(command)).decision === 'allow') allowed.push(command);
  expect(allowed).toEqual([]);
});
