import { describe, expect, test } from 'vitest';
import { NO_RECORD, seal, type Unsealed } from '../../src/audit/record.js';
import type { AuditFollower, AuditRecord, AuditType } from '../../src/contract/audit.js';
import { canonicalJson } from '../../src/contract/canonical.js';

const TYPES: readonly AuditType[] = [
  ...(['audit.opened', 'policy.loaded', 'session.opened', 'command.requested', 'facts.queried', 'command.evaluated'] as const),
  ...(['approval.requested', 'approval.answered', 'answer.refused', 'grant.added', 'grant.failed', 'grant.revoked'] as const),
  ...(['command.started', 'command.finished', 'output.late', 'command.refused', 'input.requested', 'input.written'] as const),
  ...(['principal.paused', 'principal.resumed', 'follower.failed', 'session.lost', 'session.closed'] as const),
  ...(['audit.repaired', 'audit.head'] as const),
];

/** Data that a log may hold, of this version or of a later one. */
const DATA: readonly unknown[] = [
  {},
  null,
  'a sentence',
  [1, 2],
  { text: 'echo "ünï" \u2028', cwd: '/repo', outcome: 'exited', exitCode: 0, durationMs: 1.5 },
  { text: { beginning: 'x', bytes: 99_999, sha256: 'abc' }, principal: 'nobody', origin: 7, stdout: null, exitCode: '0' },
];

/** A record for each type with each data, frozen: no follower may change what the next one gets. */
function everyRecord(): AuditRecord[] {
  let prev = NO_RECORD;
  const all = TYPES.flatMap(type => DATA.map(data => ({ type, data })));
  return all.map(({ type, data }, index) => {
    const about = type.startsWith('command.') ? { session: 'main', command: `c${index}` } : {};
    const time = new Date(Date.UTC(2026, 10, 20) + index).toISOString();
    const unsealed: Unsealed = { v: 1, chain: 'beef', seq: index + 1, time, monoNs: `${index}`, type, ...about, data, prev };
    const { hash } = seal(unsealed);
    prev = hash;
    return Object.freeze({ ...unsealed, data: Object.freeze(data), hash });
  });
}

/** What every AuditFollower promises. `make` may be called often; what it makes is closed here. */
export function followerConformance(name: string, make: () => AuditFollower): void {
  describe(`${name} is a follower`, () => {
    test('it has a name', () => {
      expect(make().name).not.toBe('');
    });

    test('it takes records of every type, in batches, and changes none', async () => {
      const follower = make();
      const records = everyRecord();
      const before = canonicalJson(records);
      for (const batch of [records.slice(0, 1), records.slice(1, 40), records.slice(40)]) {
        await expect(follower.write(Object.freeze(batch))).resolves.toBeUndefined();
      }
      await follower.close?.();
      expect(canonicalJson(records)).toBe(before);
    });

    test('closed without a record, it closes', async () => {
      await expect(Promise.resolve(make().close?.())).resolves.toBeUndefined();
    });
  });
}
