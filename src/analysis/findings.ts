import type { Analysis, Effect, Program, Reason, Span, Word } from '../contract/analysis.js';
import { cpuMs } from './clock.js';
import { weightOf } from './environment.js';
import type { Flow } from './flow.js';
import { climbedDirectories } from './paths.js';
import type { KnownFunction } from './state.js';
import { isKnown, leadOf } from './word.js';

/** A program as it is being put together; the walk may still add what its neighbours in a pipeline mean for it. */
export interface DraftProgram {
  name: Word;
  argv: readonly Word[];
  span: Span;
  via: readonly string[];
  effects: Effect[];
  tags: Set<string>;
  opaque: Reason[];
  specified: boolean;
  /** Directories it may start in. */
  directories: readonly string[] | undefined;
  hashes: readonly string[];
  folders: readonly string[];
  undashed: readonly string[];
}

/** More programs than this and the line is opaque: nobody could read the question. */
const MAX_PROGRAMS = 1000;
/** Steps of the walk and the evaluator for one text (a word of a command is one), and processor time. */
const MAX_STEPS = 20_000;
const EFFECT_STEPS = 3;
const FIRST_LOOK = 512;
const MAX_CPU_MS = 40;

/** Everything one analysis has found so far. */
export class Findings {
  readonly programs: DraftProgram[] = [];
  readonly effects: Effect[] = [];
  readonly opaque: Reason[] = [];
  readonly names = new Set<string>();
  readonly variables = new Set<string>();
  readonly numeric = new Set<string>();
  readonly hashes = new Set<string>();
  readonly crossed = new Set<string>();
  /** Absolute patterns whose matches stand unquoted, with the pattern as it is written. */
  readonly cut = new Map<string, string>();
  /** Options of the shell by which the text makes its own patterns meet more files. */
  readonly widened = new Set<string>();
  /** Functions that the text defines, with the path they were defined on, and those of them that were walked at a call. */
  readonly defined = new Map<KnownFunction, Flow>();
  readonly called = new Set<KnownFunction>();
  #steps = 0;
  #codes = new Set<string>();
  #deadline: number | undefined;

  /** Counts work. false: the budget is spent, the line is opaque and the caller goes no deeper. */
  step(cost = 1): boolean {
    const before = this.#steps;
    this.#steps += cost;
    if (this.#steps <= MAX_STEPS && this.programs.length < MAX_PROGRAMS && !this.#overdue(before)) return true;
    this.#steps = MAX_STEPS + 1;
    this.reason({ code: 'too-complex', text: 'starts more than can be analysed in time' });
    return false;
  }

  /** Looks at the clock now and then: few lines are long enough to be worth the look. */
  #overdue(before: number): boolean {
    if (this.#steps < FIRST_LOOK || before >> 6 === this.#steps >> 6) return false;
    this.#deadline ??= cpuMs() + MAX_CPU_MS;
    return cpuMs() > this.#deadline;
  }

  /** true: the budget is spent, so some of the text was not walked. */
  get exhausted(): boolean {
    return this.#steps > MAX_STEPS;
  }

  /** Keeps a reason of the whole line, once. */
  reason(reason: Reason): void {
    const key = `${reason.code}\0${reason.text}`;
    if (this.#codes.has(key)) return;
    this.#codes.add(key);
    this.opaque.push(reason);
  }

  effect(effect: Effect): void {
    if (this.stepEffects(1)) this.effects.push(effect);
  }

  /** Counts effects, each of which every rule will look at. false: there are too many to be kept. */
  stepEffects(count: number): boolean {
    return this.step(count * EFFECT_STEPS);
  }

  /** Notes a variable set for one program. */
  prefix(name: string, value: Word | undefined): void {
    if (weightOf(name, value) === 'safe') return;
    this.effect({ kind: 'environment', target: { text: name }, detail: `sets ${name} for one program` });
  }

  /** Notes the directories that `path`, as written, leaves through `..`. */
  climbs(directories: readonly string[] | undefined, word: Word): void {
    if (!isKnown(word) || !word.text.includes('..')) return;
    for (const directory of directories ?? [undefined]) {
      for (const climbed of climbedDirectories(directory, word.text)) this.crossed.add(climbed);
    }
  }

  #paths(): string[] {
    const paths = new Set<string>(this.crossed);
    const add = (effect: Effect) => {
      if ((effect.kind !== 'read' && effect.kind !== 'write') || !effect.target) return;
      const text = isKnown(effect.target)
        ? effect.target.text
        : effect.target.lead.slice(0, effect.target.lead.lastIndexOf('/') + 1);
      const path = text.replace(/\/\*\*$/, '') || '/';
      if (path.startsWith('/')) paths.add(path.length > 1 ? path.replace(/\/$/, '') : path);
    };
    for (const effect of this.effects) add(effect);
    for (const program of this.programs) {
      for (const effect of program.effects) add(effect);
      if (isKnown(program.name) && program.name.text.startsWith('/')) paths.add(program.name.text);
      // Of the repositories that a git may find on its way up, one is written.
      if (program.effects.some(({ kind, target }) => kind === 'write' && target && leadOf(target).endsWith('/.git')))
        for (const file of program.hashes) if (file.endsWith('/.git/config')) paths.add(file.slice(0, -'/config'.length));
    }
    for (const folder of this.#folders()) paths.add(folder);
    return [...paths];
  }

  /** Which files a pattern matches depends on options of the session as well. */
  #globs(): string[] {
    const named = this.programs.flatMap(({ effects }) => effects.flatMap(({ glob }) => glob ?? []));
    const globs = new Set([...named, ...this.#undashed(), ...this.cut.keys()]);
    if (globs.size > 0) this.variables.add('BASHOPTS').add('GLOBIGNORE');
    for (const option of this.widened) {
      if (globs.size === 0 || (option === 'globstar' && ![...globs].some(glob => glob.includes('**')))) continue;
      const text = `patterns of this line meet more files than were looked up (${option})`;
      this.reason({ code: 'changed-in-line', text });
    }
    return [...globs];
  }

  #undashed(): Set<string> {
    return new Set(this.programs.flatMap(({ undashed }) => undashed));
  }

  #folders(): Set<string> {
    return new Set(this.programs.flatMap(({ folders }) => folders.map(folder => (folder === '/' ? '/' : `${folder}/`))));
  }

  /** `text`: what the shell itself must accept, empty when there is no doubt about the grammar. */
  finish(text: string): Analysis {
    const hashes = new Set(this.hashes);
    for (const program of this.programs) for (const path of program.hashes) hashes.add(path);
    const globs = this.#globs();
    return {
      programs: this.#programs(),
      effects: uniqueEffects(this.effects),
      opaque: this.opaque,
      query: {
        names: [...this.names],
        variables: [...this.variables],
        numeric: [...this.numeric],
        paths: this.#paths(),
        crossed: [...this.crossed],
        folders: [...this.#folders()],
        hashes: [...hashes],
        globs,
        undashed: [...this.#undashed()],
        cut: [...this.cut.keys()],
        text,
      },
    };
  }

  // A loop body and a function are walked more than once; the same finding is shown once.
  #programs(): Program[] {
    const programs = this.programs.map(({ name, argv, span, via, effects, tags, opaque, specified }) => ({
      name,
      argv,
      span,
      via,
      effects: uniqueEffects(effects),
      tags: [...tags],
      opaque: unique(opaque, ({ code, text }) => code + text),
      specified,
    }));
    return unique(programs, ({ name, argv, span }) => `${span.start} ${argv.length} ${leadOf(name)}`);
  }
}

const uniqueEffects = (effects: readonly Effect[]): Effect[] =>
  unique(effects, ({ kind, target }) => (target ? kind + leadOf(target) : kind));

/** Only what has the same `hint` is written out and compared. */
function unique<T>(values: readonly T[], hint: (value: T) => string): T[] {
  if (values.length < 2) return [...values];
  const seen = new Map<string, { readonly first: T; texts?: Set<string> }>();
  return values.filter(value => {
    const key = hint(value);
    const same = seen.get(key);
    if (!same) {
      seen.set(key, { first: value });
      return true;
    }
    same.texts ??= new Set([JSON.stringify(same.first)]);
    const before = same.texts.size;
    return same.texts.add(JSON.stringify(value)).size > before;
  });
}
