import type { Analysis, Analyzer } from '../contract/analysis.js';
import type { Request } from '../contract/request.js';
import type { SessionState } from '../contract/session-state.js';
import { Findings } from './findings.js';
import type { Flow, Stdin } from './flow.js';
import { walkUncalled } from './functions.js';
import { LONG_TEXT, lint } from './lint.js';
import { parse, TOO_COMPLEX } from './parse.js';
import { rawPrograms } from './raw-scan.js';
import { noteChangedFiles } from './same-line.js';
import { BASH_LIKE, noteDialect } from './scripts.js';
import type { SpecLookup } from './spec.js';
import { noteSpecialPaths } from './special-paths.js';
import { initialState } from './state.js';
import { walkScript } from './walk.js';
import { known } from './word.js';

/** Text whose grammar leaves no doubt: plain words, lists and pipes. Every other text is shown to the shell as well. */
const PLAIN = /^[A-Za-z0-9_./=:,@%+ ;|&-]*$/;
const KEYWORD = /^ *(?:if|then|else|elif|fi|do|done|case|esac|while|until|for|select|function|time|coproc|in)(?: |$)/;
const isTrivial = (text: string): boolean =>
  text.length < 4096 &&
  PLAIN.test(text) &&
  text.split(/&&|\|\||;|\|/).every(part => !part.includes('&') && /[^ ]/.test(part) && !KEYWORD.test(part));

function stdinOf(request: Request): Stdin {
  if (request.tty) return { kind: 'unknown' };
  return request.stdin === undefined ? { kind: 'nothing' } : { kind: 'here', text: known(request.stdin) };
}

function startingFlow(request: Request, state: SessionState, specs: SpecLookup): Flow {
  return {
    state: initialState(request.cwd ?? state.cwd),
    findings: new Findings(),
    specs,
    home: state.home,
    source: request.text,
    via: [],
    depth: 0,
    loop: undefined,
    call: undefined,
    locals: undefined,
    calling: [],
    stdin: stdinOf(request),
    opened: new Set(),
    elsewhere: false,
    beside: false,
    walkScript,
  };
}

/** Options of the session, as `$-` has them, under which words mean something else than they say here. */
function noteOptions({ findings, source }: Flow, options: string): void {
  if (options !== '' && !options.includes('B') && source.includes('{')) {
    findings.reason({ code: 'session-option', text: 'has braces, and this session does not expand them (set +B)' });
  }
  if (options.includes('k'))
    findings.reason({ code: 'session-option', text: 'every assignment word counts as environment (set -k)' });
}

/** Between two stages over a long text whatever waits (an expiry, another session) has its turn. */
const breathe = async (text: string): Promise<void> => {
  if (text.length > 4096) await new Promise(setImmediate);
};

async function analyze(flow: Flow, { family, options }: SessionState, signal: AbortSignal): Promise<Analysis> {
  const { findings, source } = flow;
  for (const reason of lint(source)) findings.reason(reason);
  const whole = { start: 0, end: source.length };
  if (!BASH_LIKE.has(family)) {
    findings.reason({ code: 'foreign-grammar', text: `is in the grammar of ${family}, which is not analysed` });
    rawPrograms(source, flow, whole);
    return findings.finish('');
  }
  noteOptions(flow, options);
  noteDialect(source, family, flow);
  findings.variables.add('PATH');
  const { script, reasons } = await parse(source, signal);
  for (const reason of reasons) findings.reason(reason);
  if (script) {
    await breathe(source);
    walkScript(script, flow);
    walkUncalled(flow);
    noteChangedFiles(findings);
    noteSpecialPaths(findings);
  }
  if (reasons.length > 0 || findings.exhausted) {
    await breathe(source);
    rawPrograms(source, flow, whole);
  }
  // What was not read to its end asks in any case, and a shell reads a long text byte by byte.
  const asksAnyway = !script || findings.exhausted || source.length > LONG_TEXT;
  return findings.finish(asksAnyway || isTrivial(source) ? '' : source);
}

/** Keys mean what the program makes of them: a shell, an editor, a question. Nothing of it can be known here (P9). */
function typed(keys: string, { waiting }: SessionState, { findings }: Flow): Analysis {
  for (const reason of lint(keys)) findings.reason(reason);
  const into = waiting?.program ?? 'a running program';
  findings.reason({ code: 'typed-input', text: `is typed into ${into}, and what that makes of it is not analysed` });
  return findings.finish('');
}

/**
 * The analyser: text and state become programs with their effects, and reasons for what cannot be known. Total: what goes
 * wrong inside is a reason, too.
 */
export function createAnalyzer(options: { readonly specs: SpecLookup }): Analyzer {
  return {
    async analyze(request, state, signal) {
      const flow = startingFlow(request, state, options.specs);
      if (request.kind === 'input') return typed(request.text, state, flow);
      try {
        return await analyze(flow, state, signal);
      } catch (error) {
        const failed = startingFlow(request, state, options.specs);
        // The stack of a text that nests deeper than any limit foresaw.
        if (error instanceof RangeError && error.message.includes('stack')) failed.findings.reason(TOO_COMPLEX);
        else failed.findings.reason({ code: 'analysis-failed', text: `could not be analysed: ${String(error)}` });
        rawPrograms(request.text, failed, { start: 0, end: request.text.length });
        return failed.findings.finish('');
      }
    },
  };
}
