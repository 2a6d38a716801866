/** How much harm an intent can do, for the risk that a question shows. */
export type TagRisk = 'low' | 'medium' | 'high';

export interface TagMeaning {
  readonly risk: TagRisk;
  /** For the person, in the third person: "deletes files". */
  readonly meaning: string;
  /** true: what it destroys does not come back by itself. `classify` calls the command destructive. */
  readonly destructive?: true;
}

const tag = (risk: TagRisk, meaning: string): TagMeaning => ({ risk, meaning });
const destructive = (risk: TagRisk, meaning: string): TagMeaning => ({ risk, meaning, destructive: true });

/**
 * The intents that specs and builtins put on a program, and that rules name. A tag outside this table is allowed and
 * counts as medium risk. `delete` alone is one file or an empty directory; with `recursive` or `force` it is more.
 */
export const TAGS: Readonly<Record<string, TagMeaning>> = {
  delete: destructive('medium', 'deletes files'),
  recursive: tag('low', 'works on whole directory trees'),
  force: tag('low', 'does not ask or check before it acts'),
  overwrite: tag('medium', 'replaces the content of a file'),
  truncate: destructive('medium', 'empties or cuts a file'),
  'force-push': destructive('high', 'rewrites published history'),
  'history-rewrite': destructive('medium', 'rewrites or drops commits'),
  'discard-changes': destructive('high', 'throws away uncommitted work'),
  'net-to-shell': destructive('high', 'runs code that came from the network'),
  privilege: tag('high', 'acts with the rights of another user'),
  disk: destructive('high', 'writes to a disk or file system itself'),
  'filesystem-root': destructive('high', 'acts on the root, the home or the workspace as a whole'),
  power: destructive('high', 'stops or restarts the machine'),
  'permission-change': tag('medium', 'changes who may read, write or run a file'),
  kill: tag('medium', 'ends or signals other processes'),
  'package-install': tag('medium', 'installs software, whose scripts may run'),
  publish: tag('high', 'makes something public'),
  'remote-exec': tag('high', 'runs a program on another machine or in a container'),
  'remote-write': tag('medium', 'changes something on another machine'),
  'remote-delete': destructive('high', 'deletes something on another machine'),
  upload: tag('high', 'sends data away'),
  download: tag('low', 'fetches data from the network'),
  secrets: tag('high', 'touches files or variables that hold secrets'),
  'fork-bomb': destructive('high', 'starts processes without end'),
  'shell-code': tag('medium', 'runs shell text'),
  'foreign-code': tag('medium', 'runs code in a language that is not analysed'),
  'answers-gate': tag('high', "answers or changes shellgate's own questions, grants or trust"),
  'protocol-descriptor': tag('high', "touches the descriptors between shellgate and the session's shell"),
  persistence: tag('high', 'makes something run again later or at every start'),
  'skips-hooks': tag('low', "passes by the repository's own hooks"),
  wrapper: tag('low', 'only starts the program that is judged beside it'),
  'raw-scan': tag('low', 'found in text that could not be parsed'),
};

/** What an unlisted tag counts as. */
export const UNLISTED_TAG: TagMeaning = tag('medium', 'an intent that is not in the table');
