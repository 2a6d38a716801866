import type { Word } from '../contract/analysis.js';
import { assignVariable } from './assignments.js';
import type { Flow, Stdin } from './flow.js';
import { separate, spanOf } from './flow.js';
import { parseNow, type Redirection } from './parse.js';
import { resolveWord } from './paths.js';
import { printedArgument, tabsCut } from './printed.js';
import { isKnown, known, leadOf, unknown } from './word.js';
import { documentText, fieldsOf, valueIn } from './words.js';

/** From this number on a descriptor may be one of the protocol's own, which bash saves at 10 and above. */
const PROTOCOL_DESCRIPTOR = 10;

function descriptorReason(flow: Flow, what: string): void {
  flow.findings.reason({
    code: 'protocol-descriptor',
    text: `uses ${what}, which may be a connection between shellgate and the session's shell`,
  });
}

/** What redirections change for the command that they stand at. */
export type Descriptors = Pick<Flow, 'stdin' | 'opened'>;

/** Reads redirections as effects of the line. */
export function applyRedirections(redirections: readonly Redirection[], flow: Flow): Descriptors {
  if (redirections.length === 0) return flow;
  let { stdin } = flow;
  const opened = new Set(flow.opened);
  const here = new Map<number, Stdin>();
  for (const redirection of redirections) {
    if (!flow.findings.step()) break;
    const given = redirection.descriptor;
    if (given?.type === 'FileDescriptorVariable') assignVariable(given.name, unknown('variable'), flow);
    const descriptor = given?.type === 'FileDescriptor' ? given.value : undefined;
    if (descriptor !== undefined && descriptor >= PROTOCOL_DESCRIPTOR) descriptorReason(flow, `descriptor ${descriptor}`);
    const feeds = copiedFrom(redirection, here) ?? apply(redirection, flow, opened);
    if (descriptor && feeds) here.set(descriptor, feeds);
    if (feeds && (descriptor ?? 0) === 0 && given?.type !== 'FileDescriptorVariable') stdin = feeds;
    if (descriptor !== undefined) opened.add(descriptor);
  }
  return { stdin, opened };
}

/** `3<<E <&3`: what this command has just opened. */
const copiedFrom = (redirection: Redirection, here: ReadonlyMap<number, Stdin>): Stdin | undefined =>
  redirection.type === 'Redirect' && redirection.operator === '<&' ? here.get(Number(redirection.target?.text)) : undefined;

const SURE_TARGET = /^\/dev\/(?:null|stdin|stdout|stderr)$/;
const SURE_DESCRIPTOR = /^(?:[012]-?|-)$/;

/** May one of them fail? Then the command does not run, and what it would set stays as it was. */
export const mayFail = (redirections: readonly Redirection[]): boolean =>
  redirections.some(each => {
    if (each.type !== 'Redirect') return false;
    const target = each.target?.text ?? '';
    return !SURE_TARGET.test(target) && !(/^[<>]&$/.test(each.operator) && SURE_DESCRIPTOR.test(target));
  });

function apply(redirection: Redirection, flow: Flow, opened: ReadonlySet<number>): Stdin | undefined {
  switch (redirection.type) {
    case 'HereDoc': {
      const text = tabsCut(redirection.body.text, redirection.operator);
      if (redirection.delimiter?.quoted) return { kind: 'here', text: known(text) };
      const parts = redirection.body.parts;
      const value = documentText(parts, parts ? redirection.body.text : text, flow);
      return {
        kind: 'here',
        text: parts && redirection.operator === '<<-' && isKnown(value) ? known(tabsCut(value.text, '<<-')) : value,
      };
    }
    case 'HereString': {
      const value = redirection.target ? valueIn(redirection.target, flow) : unknown('unparsed');
      return { kind: 'here', text: isKnown(value) ? known(`${value.text}\n`) : value };
    }
    case 'Redirect': {
      const fields = redirection.target ? fieldsOf(redirection.target, flow) : [];
      const target = fields.length === 1 ? fields[0]! : unknown('variable');
      const { operator } = redirection;
      if (operator === '<&' || operator === '>&') {
        if (isKnown(target) && /^(\d+-?|-)$/.test(target.text)) {
          if (operator === '>&') noteForeign(target.text, flow, opened);
          return duplicate(target.text, operator, flow);
        }
        if (!isKnown(target) || operator === '<&' || redirection.descriptor) return duplicateUnknown(target, operator, flow);
        if (!PLAIN_NAME.test(target.text)) expandedAgain(target.text, redirection, flow);
      }
      fileEffect(redirection, target, flow);
      if (operator !== '<' && operator !== '<>') return undefined;
      if (isKnown(target) || target.opaque !== 'process-substitution') return { kind: 'file' };
      const text = redirection.target && printedArgument(redirection.target, flow);
      return isKnown(text) ? { kind: 'here', text } : { kind: 'pipe' };
    }
  }
}

const PLAIN_NAME = /^[\w./@:+,=%-]*$/;

/** bash expands the word of `>&` a second time once it has found that it is no number: `>& '$(cmd)'` runs cmd. */
function expandedAgain(text: string, redirection: Redirection, flow: Flow): void {
  flow.findings.reason({
    code: 'expanded-twice',
    text: 'has a file name behind ">&" that bash expands a second time',
    span: spanOf(flow, redirection),
  });
  const { script } = parseNow(`: ${text}`);
  if (script) flow.walkScript(script, separate(flow, { span: spanOf(flow, redirection) }));
}

/** `>&3` writes to whatever a command of before has opened there. */
function noteForeign(target: string, { findings }: Flow, opened: ReadonlySet<number>): void {
  const number = Number.parseInt(target, 10);
  if (number > 2 && number < PROTOCOL_DESCRIPTOR && !opened.has(number)) {
    findings.effect({ kind: 'write', target: unknown('variable'), detail: `>&${number}, which an earlier command opened` });
  }
}

function duplicate(target: string, operator: '<&' | '>&', flow: Flow): Stdin | undefined {
  const number = Number.parseInt(target, 10);
  if (number >= PROTOCOL_DESCRIPTOR) descriptorReason(flow, `descriptor ${number}`);
  if (operator === '>&') return undefined;
  return { kind: target === '-' ? 'nothing' : 'unknown' };
}

function duplicateUnknown(target: Word, operator: '<&' | '>&', flow: Flow): Stdin | undefined {
  if (!isKnown(target) && target.opaque === 'number') descriptorReason(flow, 'a descriptor whose number only shows when it runs');
  else
    flow.findings.effect({
      kind: 'write',
      target: unknown('variable', leadOf(target)),
      detail: `${operator} a file or descriptor that is not known`,
    });
  return operator === '<&' ? { kind: 'unknown' } : undefined;
}

const READS = new Set(['<', '<>']);
const WRITES = new Set(['>', '>>', '>|', '<>', '&>', '&>>', '>&']);

function fileEffect(node: Extract<Redirection, { type: 'Redirect' }>, target: Word, flow: Flow): void {
  const { operator } = node;
  if (isKnown(target) && specialFile(target.text, flow)) return;
  if (!isKnown(target) && target.opaque === 'process-substitution') return;
  if (flow.elsewhere) return;
  flow.findings.climbs(flow.state.directories, target);
  for (const path of resolveWord(target, flow.state.directories)) {
    const detail = `${operator} ${leadOf(target)}${isKnown(target) ? '' : '…'}`;
    if (READS.has(operator)) flow.findings.effect({ kind: 'read', target: path, detail });
    if (WRITES.has(operator)) flow.findings.effect({ kind: 'write', target: path, detail });
    if (!isKnown(path)) {
      flow.findings.reason({
        code: 'redirection',
        text: `redirects with "${operator}" to a file that only shows when it runs`,
        span: spanOf(flow, node),
      });
    }
  }
}

/** `/dev/null`, the standard descriptors, sockets. true: it is no file of the file system. */
function specialFile(text: string, flow: Flow): boolean {
  if (/^\/dev\/(null|stdin|stdout|stderr|tty)$/.test(text)) {
    if (text === '/dev/tty') flow.findings.reason({ code: 'terminal', text: 'talks to the terminal past its own output' });
    return true;
  }
  const socket = /^\/dev\/(?:tcp|udp)\/([^/]*)/.exec(text);
  if (socket) {
    flow.findings.effect({ kind: 'network', target: known(socket[1]!), detail: text });
    return true;
  }
  const descriptor = /^\/(?:dev\/fd|proc\/(?:self|thread-self|\d+)\/(?:task\/\d+\/)?fd)(?:\/(\d*))?/.exec(text);
  if (!descriptor) return false;
  if (text.startsWith('/dev/fd/') && /^[012]$/.test(descriptor[1] ?? '')) return true;
  descriptorReason(flow, text);
  return true;
}
