import { z } from 'zod';
import type { Grant, Rule } from '../contract/policy.js';
import { type GrantStore, memoryGrants } from './grants.js';
import { MachineFile } from './machine-file.js';
import { ruleSchema } from './schema.js';

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

const HEADER = `# Answers that a person wanted remembered for always. Written by shellgate, whole, each time; changes made here are
# read at the next start. Look at them with: shellgate grants · take one back: shellgate grants revoke ID`;

/**
 * Session grants in memory, always-grants in `grants.toml`. The file is read once, here: a grant somebody else adds later
 * is in force from the next start on, one that is revoked here is gone at once. Errors: `POLICY_UNREADABLE`.
 */
export function fileGrants(path: string): GrantStore {
  const file = new MachineFile<readonly Grant[]>(path, {
    header: HEADER,
    fromTable: table => (fileSchema.parse(table).grant ?? []).map(fromEntry),
    toTable: grants => ({ grant: grants.map(toEntry) }),
  });
  const session = memoryGrants();
  let always = file.read() ?? [];
  return {
    list: () => [...session.list(), ...always],
    add: async grant => {
      if (grant.scope === 'session') return session.add(grant);
      await file.change(current => [...(current ?? []).filter(({ id }) => id !== grant.id), grant]);
      always = [...always, grant];
    },
    revoke: async id => {
      if (await session.revoke(id)) return true;
      let found = always.some(grant => grant.id === id);
      always = always.filter(grant => grant.id !== id);
      await file.change(current => {
        found ||= current?.some(grant => grant.id === id) ?? false;
        return (current ?? []).filter(grant => grant.id !== id);
      });
      return found;
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
