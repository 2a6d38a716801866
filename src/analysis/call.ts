import type { Effect, Reason, Span, Word } from '../contract/analysis.js';
import type { DraftProgram } from './findings.js';
import type { Flow, Stdin } from './flow.js';
import type { Command } from './parse.js';
import { resolvePath } from './paths.js';
import { isKnown, known } from './word.js';

/** One command about to run: its words are fields already, its redirections are applied. */
export interface Call {
  /** The name first; never empty. */
  readonly argv: readonly Word[];
  readonly flow: Flow;
  readonly span: Span;
  readonly stdin: Stdin;
  /** What can be read from those of its words that are a `<(…)`, where the text fixes it. */
  readonly printed?: ReadonlyMap<Word, Word>;
  /** Environment prefix. */
  readonly env: ReadonlyMap<string, Word>;
  /** Assignment words among the arguments (`declare x=(…)`), where the parser saw them. */
  readonly node?: Command | undefined;
  /** Programs found while this command's words were evaluated, as indices into the findings. */
  readonly substituted: { readonly from: number; readonly to: number };
}

export const textOf = (word: Word | undefined): string | undefined => (isKnown(word) ? word.text : undefined);

/** The name a program goes by in rules: absolute where it has a slash, as far as the directory is known. */
export function plannedNames(name: Word, flow: Flow): readonly Word[] {
  if (!isKnown(name) || !name.text.includes('/') || flow.elsewhere) return [name];
  if (name.text.startsWith('/')) return [known(resolvePath('/', name.text))];
  return flow.state.directories?.map(directory => known(resolvePath(directory, name.text))) ?? [name];
}

/** Lists a program. What it does is filled in by whoever knows. */
export function listProgram(call: Call, name: Word = call.argv[0]!): DraftProgram {
  const { flow } = call;
  const program: DraftProgram = {
    name,
    argv: call.argv,
    span: call.span,
    via: flow.via,
    effects: [],
    tags: new Set(),
    opaque: [],
    specified: true,
    directories: flow.state.directories,
    hashes: [],
    folders: [],
    undashed: [],
  };
  flow.findings.programs.push(program);
  return program;
}

export const effect = (kind: Effect['kind'], target?: Word, detail?: string): Effect => ({
  kind,
  ...(target && { target }),
  ...(detail !== undefined && { detail }),
});

export const reason = (code: string, text: string, span?: Span): Reason => ({ code, text, ...(span && { span }) });
