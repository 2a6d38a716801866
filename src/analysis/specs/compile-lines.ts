import { compileAction, compileClauses } from './compile-clause.js';
import type { Line } from './outline.js';
import { SpecError } from './spec-error.js';
import type { Clause, Example, OperandRule, OptionRule, Table } from './table.js';

/** A table while its lines are read. */
export type Draft = { -readonly [Key in keyof Table]: Table[Key] } & {
  options: Map<string, OptionRule>;
  operands: OperandRule[];
  bare: Clause[];
  always: Clause[];
  commands: Map<string, Table>;
  peels: Set<string>;
  variables: string[];
  examples: Example[];
  /** Its options may also stand behind a sub-command. */
  anywhere: boolean;
};

const SWITCHES: Readonly<Record<string, (draft: Draft) => void>> = {
  'options end at the first operand': draft => {
    draft.stops = true;
  },
  'options are single-dash words': draft => {
    draft.dashWords = true;
  },
  'options anywhere': draft => {
    draft.anywhere = true;
  },
  'no abbreviations': draft => {
    draft.abbreviates = false;
  },
  'first operand may be an option cluster': draft => {
    draft.firstCluster = true;
  },
  'numbers are options': draft => {
    draft.numbers = true;
  },
};

const STATEMENTS: readonly [RegExp, (draft: Draft, match: RegExpExecArray, place: string) => void][] = [
  [
    /^operand\s+(\d+|last)\s+(.*)$/,
    (draft, match, place) => {
      draft.operands.push({
        place: match[1] === 'last' ? 'last' : Number(match[1]),
        clauses: compileClauses(match[2]!, place),
      });
    },
  ],
  [
    /^operands\s+(.*)$/,
    (draft, match, place) => {
      draft.operands.push({ place: 'each', clauses: compileClauses(match[1]!, place) });
    },
  ],
  [
    /^no operands\s+(.*)$/,
    (draft, match, place) => {
      draft.bare.push(...compileClauses(match[1]!, place));
    },
  ],
  [
    /^always\s+(.*)$/,
    (draft, match, place) => {
      draft.always.push(...compileClauses(match[1]!, place));
    },
  ],
  [
    /^(command|script) from operand (\d+)( elsewhere)?$/,
    (draft, match) => {
      draft.command = {
        from: Number(match[2]),
        as: match[1] === 'script' ? 'script' : 'argv',
        elsewhere: match[3] !== undefined,
      };
      draft.stops = true;
    },
  ],
  [
    /^other options\s+(.*)$/,
    (draft, match, place) => {
      draft.otherOptions = compileAction(match[1]!, place);
    },
  ],
  [
    /^other commands\s+(.*)$/,
    (draft, match, place) => {
      draft.otherCommands = compileAction(match[1]!, place);
    },
  ],
  [
    /^peel\s+(.*)$/,
    (draft, match) => {
      for (const name of match[1]!.split(/\s+/)) draft.peels.add(name);
    },
  ],
  [
    /^language\s+(\S+)$/,
    (draft, match) => {
      draft.language = match[1]!;
    },
  ],
  [
    /^variables\s+(.*)$/,
    (draft, match) => {
      draft.variables.push(...match[1]!.split(/\s+/));
    },
  ],
  [
    /^(match|not_match)\s+(.*?)\s+=>\s+(.*)$/,
    (draft, match, place) => {
      draft.examples.push({
        kind: match[1] as Example['kind'],
        command: match[2]!,
        terms: match[3]!.split(/\s+/),
        place,
      });
    },
  ],
];

/** Where a line goes; `own`: the options the table itself has described so far. */
interface Into {
  readonly draft: Draft;
  readonly own: Set<string> | undefined;
}

/** Reads one line below a program, a sub-command or a block. */
export function readLine(line: Line, into: Into): void {
  const { draft } = into;
  if (line.children.length > 0) throw new SpecError(line.place, 'only "sub" and "block" have lines below them');
  if (/^[-+]/.test(line.text)) {
    for (const option of optionRules(line)) addOption(into, option, line.place);
    return;
  }
  const flip = SWITCHES[line.text];
  if (flip) {
    flip(draft);
    return;
  }
  const bare = /^(flags|values|optional)\s+(.*)$/.exec(line.text);
  if (bare) {
    const arity = bare[1] === 'flags' ? 0 : bare[1] === 'values' ? 1 : 'optional';
    for (const name of bare[2]!.split(/\s+/).flatMap(spellings))
      addOption(into, { ...rule([name], arity), listed: true }, line.place);
    return;
  }
  for (const [pattern, apply] of STATEMENTS) {
    const match = pattern.exec(line.text);
    if (match) {
      apply(draft, match, line.place);
      return;
    }
  }
  throw new SpecError(line.place, `"${line.text}" is not understood`);
}

/** `-f --file FILE   write if -c, else read`: one option for each group of names that mean the same. */
function optionRules(line: Line): OptionRule[] {
  const [, head, effects] = /^(\S.*?)(?:\s{2,}(.*))?$/.exec(line.text)!;
  const names: string[] = [];
  let arity: OptionRule['arity'] = 0;
  for (const word of head!.split(/\s+/)) {
    if (/^[-+]/.test(word)) names.push(...spellings(word));
    else if (word === '[DIGITS]') arity = 'digits';
    else if (/^\[.+\]$/.test(word)) arity = 'optional';
    else if (/^[A-Z]+\.\.\.$/.test(word)) arity = 'rest';
    else if (/^[A-Z0-9]+$/.test(word) && typeof arity === 'number') arity += 1;
    else throw new SpecError(line.place, `"${word}" is neither an option nor an argument in capitals`);
  }
  const described = describe(compileClauses(effects ?? 'harmless', line.place));
  return synonyms(names).map(group => ({ ...rule(group, arity), ...described }));
}

/** `-r -R --recursive -f --force` → `-r -R --recursive` and `-f --force`; short names without a long one stand alone. */
function synonyms(names: readonly string[]): string[][] {
  const groups: string[][] = [];
  let shorts: string[] = [];
  let last: 'short' | 'long' = 'short';
  for (const name of names) {
    if (!name.startsWith('--')) {
      shorts.push(name);
      last = 'short';
    } else if (last === 'long' && shorts.length === 0) groups.at(-1)!.push(name);
    else {
      groups.push([...shorts, name]);
      shorts = [];
      last = 'long';
    }
  }
  return [...groups, ...shorts.map(name => [name])];
}

/** `--[no-]color` is two options. */
const spellings = (word: string): string[] => {
  const match = /^(--?)\[(no-?)\](.*)$/.exec(word);
  return match ? [`${match[1]}${match[3]}`, `${match[1]}${match[2]}${match[3]}`] : [word];
};

const QUIET = new Set(['harmless', 'read', 'hash']);
const describe = (clauses: readonly Clause[]): Pick<OptionRule, 'clauses' | 'dangerous'> => ({
  clauses,
  dangerous: clauses.some(
    ({ action, otherwise }) => !QUIET.has(action.does) || (otherwise !== undefined && !QUIET.has(otherwise.does)),
  ),
});

const rule = (names: readonly string[], arity: OptionRule['arity']): OptionRule => ({
  names,
  arity,
  clauses: [],
  dangerous: false,
});

/** A second line for the same option would silently win over the first. */
function addOption({ draft, own }: Into, option: OptionRule, place: string): void {
  for (const name of option.names) {
    if (own?.has(name)) throw new SpecError(place, `${name} is described twice`);
    own?.add(name);
    draft.options.set(name, option);
  }
}
