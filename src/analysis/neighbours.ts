import type { DraftProgram } from './findings.js';

/** Programs that run what they are given as code. */
const INTERPRETERS =
  /^(.*\/)?(ba|da|a|k|z|mk|fi|c|tc)?sh$|^(.*\/)?(python|perl|ruby|node|php|lua|tclsh|deno|bun|pwsh|osascript)[\d.]*$|^(eval|source|\.)$/;

/** Does it bring something from elsewhere? */
export const usesNetwork = (program: DraftProgram): boolean =>
  program.effects.some(({ kind }) => kind === 'network') || program.tags.has('download') || program.tags.has('remote-exec');

const runsInput = (program: DraftProgram): boolean => {
  const name = 'text' in program.name ? program.name.text : program.name.lead;
  return INTERPRETERS.test(name) || program.tags.has('shell-code') || program.tags.has('foreign-code');
};

/** Marks what runs code that an earlier stage of its pipeline may have fetched. `stages`: where each stage's programs begin. */
export function noteNetwork(programs: readonly DraftProgram[], stages: readonly number[]): void {
  let fetched = false;
  for (const [index, from] of stages.entries()) {
    const stage = programs.slice(from, stages[index + 1]);
    if (fetched) for (const program of stage) if (runsInput(program)) program.tags.add('net-to-shell');
    fetched ||= stage.some(usesNetwork);
  }
}

/** Marks `sh <(curl …)` and `eval "$(curl …)"`: the code is what a substitution in their words fetched. */
export function noteSubstitutedNetwork(
  programs: readonly DraftProgram[],
  range: { readonly from: number; readonly to: number },
): void {
  if (!programs.slice(range.from, range.to).some(usesNetwork)) return;
  for (const program of programs.slice(range.to)) if (runsInput(program)) program.tags.add('net-to-shell');
}
