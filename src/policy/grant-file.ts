import { z } from 'zod';
import type { Grant, Rule } from '../contract/policy.js';
import { type GrantStore, memoryGrants } from './grants.js';
import { MachineFile } from './machine-file.js';
import { ruleSchema } from './schema.js';
import { Sight } from './sight.js';

const grantSchema = z.strictObject({
  id: z.string().min(1),
  rule: ruleSchema,
  principal: z.string().min(1),
  executor: z.string().min(1),
  hashes: z.record(z.string(), z.string()),
  names: z.record(z.string(), z.string()).optional(),
  createdAt: z.string(),
  by: z.string(),
});
const fileSchema = z.strictObject({ grant: z.array(grantSchema).optional() });

const HEADER = `# Answers that a person wanted remembered for always. Written by shellgate, whole, each time; changes made here
# count at once. Look at them with: shellgate grants · take one back: shellgate grants revoke ID`;

/**
 * Session grants in memory, always-grants in `grants.toml`. What another process adds or revokes counts from the next look
 * on: the file is looked at each time, and read again when it changed. While it cannot be read none of it is in force.
 * Errors, at the start only: `POLICY_UNREADABLE`.
 */
export function fileGrants(path: string): GrantStore {
  const file = new MachineFile<readonly Grant[]>(path, {
    header: HEADER,
    fromTable: table => (fileSchema.parse(table).grant ?? []).map(fromEntry),
    toTable: grants => ({ grant: grants.map(toEntry) }),
  });
  const session = memoryGrants();
  const sight = new Sight();
  let always: readonly Grant[] = [];
  let problem: string | undefined;
  const readAgain = () => {
    sight.take([path]);
    always = [];
    always = file.read() ?? [];
  };
  const look = () => {
    if (!sight.changed([path])) return;
    try {
      readAgain();
      problem = undefined;
    } catch (error) {
      problem = error instanceof Error ? error.message : String(error);
    }
  };
  readAgain();
  return {
    list() {
      look();
      return [...session.list(), ...always];
    },
    add: async grant => {
      if (grant.scope === 'session') return session.add(grant);
      await file.change(current => [...(current ?? []).filter(({ id }) => id !== grant.id), grant]);
    },
    revoke: async id => {
      if (await session.revoke(id)) return true;
      let found = false;
      await file.change(current => {
        found = current?.some(grant => grant.id === id) ?? false;
        return (current ?? []).filter(grant => grant.id !== id);
      });
      return found;
    },
    problem() {
      look();
      return problem === undefined ? undefined : `${path} ${problem}`;
    },
  };
}

type Entry = z.infer<typeof grantSchema>;

const fromEntry = ({ rule, names, ...entry }: Entry): Grant => ({
  ...entry,
  scope: 'always',
  rule: rule as Rule,
  ...(names && { names }),
});

/** Only what the schema knows: a rule's place in some file says nothing here. */
function toEntry({ id, rule, principal, executor, hashes, names, createdAt, by }: Grant): Record<string, never> {
  const { place: _place, ...kept } = rule!;
  const entry = { id, principal, executor, createdAt, by, hashes, ...(names && { names }), rule: kept };
  return JSON.parse(JSON.stringify(entry));
}
