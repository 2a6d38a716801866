/** What a session is doing. `lost`: its shell is gone and the next turn starts another. */
export type Phase = 'starting' | 'ready' | 'running' | 'interrupting' | 'closing' | 'closed' | 'lost';
export type Step = 'opened' | 'started' | 'interrupted' | 'ended' | 'lost' | 'restarted' | 'closing' | 'closed';

/** The one table. A step that is not in a phase's row cannot happen there. */
export const TRANSITIONS: Readonly<Record<Phase, Readonly<Partial<Record<Step, Phase>>>>> = {
  starting: { opened: 'ready', lost: 'lost', closing: 'closing' },
  ready: { started: 'running', lost: 'lost', closing: 'closing' },
  running: { ended: 'ready', interrupted: 'interrupting', lost: 'lost', closing: 'closing' },
  interrupting: { ended: 'ready', lost: 'lost', closing: 'closing' },
  lost: { restarted: 'starting', closing: 'closing' },
  closing: { closed: 'closed' },
  closed: {},
};

export interface Lifecycle {
  readonly phase: Phase;
  /** Takes the step where the table has it. false: it cannot happen in this phase, and nothing changed. */
  take(step: Step): boolean;
}

export function createLifecycle(): Lifecycle {
  let phase: Phase = 'starting';
  return {
    get phase() {
      return phase;
    },
    take(step) {
      const next = TRANSITIONS[phase][step];
      if (next === undefined) return false;
      phase = next;
      return true;
    },
  };
}
