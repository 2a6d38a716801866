import type { Effect, Program } from '../contract/analysis.js';
import type { Match } from '../contract/policy.js';
import { configDirectory, runtimeDirectory, stateDirectory } from '../platform.js';
import type { Context } from './context.js';
import { compileEffects, type EffectGlobs, forbidsEffect } from './effect-pattern.js';
import { type Certainty, surest } from './match.js';
import { wipesPlace } from './wipe.js';

/** What no rule, no grant and no person at the prompt can allow. All the conditions that are given must hold. */
export interface FloorRule {
  readonly id: string;
  readonly reason: string;
  /** One of these tags on a program. */
  readonly tags?: readonly string[];
  /** A write to one of these paths (patterns as in a rule's effects). */
  readonly writes?: readonly string[];
  /** A recursive write that takes in one of these places: the place, everything in it, or something above it. */
  readonly wipes?: readonly string[];
}

/** Directories whose loss is never a step of anybody's work. */
const SYSTEM_PLACES =
  '/ /bin /boot /dev /etc /home /lib /lib64 /opt /proc /root /sbin /srv /sys /usr /var /Applications /Library /System /Users'.split(
    ' ',
  );

/** Files a shell or a login reads by itself. */
const START_FILES =
  '{.bashrc,.bash_profile,.bash_login,.bash_logout,.profile,.zshrc,.zshenv,.zprofile,.zlogin,.zlogout,.kshrc,.cshrc,.tcshrc,.xprofile,.xsession,.pam_environment}';

export const FLOOR: readonly FloorRule[] = [
  {
    id: 'floor-answers',
    tags: ['answers-gate'],
    reason: 'a gated command cannot answer, remember or trust anything in place of a person',
  },
  {
    id: 'floor-wipe',
    tags: ['delete'],
    wipes: [...SYSTEM_PLACES, '~', '${workspace}'],
    reason: 'would wipe out the root, a system directory, the home or the whole workspace',
  },
  {
    id: 'floor-system-modes',
    tags: ['permission-change'],
    wipes: [...SYSTEM_PLACES, '~'],
    reason: 'would change permissions of the root, a system directory or the whole home',
  },
  {
    id: 'floor-gate-files',
    writes: ['~/.config/shellgate/**', '~/.local/state/shellgate/**', '/etc/shellgate/**'],
    // A project's own .shellgate is not among them: what stands there is not trusted by being there.
    reason: "would change shellgate's own policy, configuration, log or grants",
  },
  {
    id: 'floor-start-files',
    writes: [
      `~/${START_FILES}`,
      '~/.config/fish/**',
      '/etc/{profile,bash.bashrc,bashrc,zshrc,zshenv,environment}',
      '/etc/profile.d/**',
    ],
    reason: 'would change what every shell runs when it starts',
  },
  { id: 'floor-proc', writes: ['/proc/**'], reason: 'would write into running processes or the kernel' },
  {
    id: 'floor-devices',
    writes: ['/dev/{sd,hd,vd,xvd,nvme,mmcblk,dm-,loop,md,sr,disk}*', '/dev/{mapper,disk,block}/**', '/dev/{mem,kmem,port}'],
    reason: 'would write to a disk or to memory past the file system',
  },
];

export interface CompiledFloorRule {
  readonly rule: FloorRule;
  readonly writes?: EffectGlobs;
}

/** `more`: rules beside the ones every policy stands on; the directories of this process's own files are added. */
export function compileFloor(more: readonly FloorRule[] = []): readonly CompiledFloorRule[] {
  const own = [configDirectory(), stateDirectory(), runtimeDirectory()].map(directory => `${escapePattern(directory)}/**`);
  const ours: FloorRule = { id: 'floor-gate-files', writes: own, reason: "would change shellgate's own policy, log or grants" };
  return [...FLOOR, ours, ...more].map(rule => ({
    rule,
    ...(rule.writes && { writes: compileEffects({ write: rule.writes }) }),
  }));
}

const escapePattern = (path: string): string => path.replace(/[\\{},*]/g, '\\$&');

/** Denies for what is certain, asks for what could be. */
export function floorMatches(floor: readonly CompiledFloorRule[], context: Context): Match[] {
  const { programs, effects } = context.analysis;
  const found: Match[] = [];
  for (const compiled of floor) {
    for (const [part, program] of programs.entries()) {
      const sure = forbids(compiled, program, context);
      if (sure !== 'no') found.push(toMatch(compiled, sure, part));
    }
    const sure = compiled.rule.tags ? 'no' : writesForbidden(compiled, effects, context);
    if (sure !== 'no') found.push(toMatch(compiled, sure));
  }
  return found;
}

function forbids(compiled: CompiledFloorRule, program: Program, context: Context): Certainty {
  const { tags, wipes } = compiled.rule;
  if (tags && !tags.some(tag => program.tags.includes(tag))) return 'no';
  if (wipes) return wipesPlace(wipes, program, context);
  return compiled.writes ? writesForbidden(compiled, program.effects, context) : 'yes';
}

function writesForbidden({ writes }: CompiledFloorRule, effects: readonly Effect[], { place }: Context): Certainty {
  let sure: Certainty = 'no';
  if (!writes) return sure;
  for (const effect of effects) {
    // What cannot be known is opaque and asks already; only a known tree can hold something without naming it.
    if (effect.kind === 'write' && effect.target && 'text' in effect.target)
      sure = surest(sure, forbidsEffect(writes, effect, place));
  }
  return sure;
}

function toMatch({ rule }: CompiledFloorRule, sure: 'yes' | 'maybe', part?: number): Match {
  const where = part === undefined ? {} : { part };
  if (sure === 'yes') return { source: 'floor', decision: 'deny', reason: rule.reason, rule: rule.id, tell: true, ...where };
  return { source: 'floor', decision: 'ask', reason: `could be forbidden: ${rule.reason}`, rule: rule.id, ...where };
}
