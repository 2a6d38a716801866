import type { Analysis, Program } from '../contract/analysis.js';
import type { SessionFacts } from '../contract/facts.js';
import { baseName, isTrustedBinary } from './binaries.js';

/** A program with the names that rules know it by, worked out once for all rules. */
export interface Subject {
  readonly program: Program;
  /** An allow means the program of that name in its proper place; a path must be written out in the rule. */
  readonly proper: readonly string[];
  /**
   * A deny means the program however it is reached: by path, by another letter case, by what the name resolves to.
   * Lower case; empty where only a lead of the name is known.
   */
  readonly reached: readonly string[];
}

export function subjectsOf({ programs }: Analysis, facts: SessionFacts, binaries: readonly string[]): readonly Subject[] {
  return programs.map(program => ({ program, proper: properNames(program, binaries), reached: reachedNames(program, facts) }));
}

function properNames({ name }: Program, binaries: readonly string[]): readonly string[] {
  if ('opaque' in name) return [];
  return isTrustedBinary(name.text, binaries) ? [name.text, baseName(name.text)] : [name.text];
}

function reachedNames({ name, effects }: Program, facts: SessionFacts): readonly string[] {
  if ('opaque' in name) return [];
  const names: string[] = [];
  const reach = (path: string) => {
    const folded = path.toLowerCase();
    const base = baseName(folded);
    if (!names.includes(folded)) names.push(folded);
    if (!names.includes(base)) names.push(base);
    // `pip3.11` is one of several names of one program.
    const plain = /^(pip)3?(?:\.\d+)?$|^(python3|perl5|ruby|php|lua|node)\.?[\d.]+$/.exec(base)?.slice(1).find(Boolean);
    if (plain !== undefined && !names.includes(plain)) names.push(plain);
  };
  reach(name.text);
  if (facts.known) {
    const path = Object.hasOwn(facts.names, name.text) ? facts.names[name.text]?.path : undefined;
    if (path !== undefined) reach(path);
    const real = facts.paths[path ?? name.text]?.real;
    if (real !== undefined) reach(real);
  }
  for (const { kind, target, detail } of effects) {
    if (!target || !('text' in target)) continue;
    if (kind === 'exec' && baseName(target.text) === baseName(name.text)) reach(target.text);
    // `bash ./evil` runs evil.
    if (kind === 'code' && detail?.endsWith('runs a script file')) reach(target.text);
  }
  return names;
}
