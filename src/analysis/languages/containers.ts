import type { Word } from '../../contract/analysis.js';
import type { Parsed } from '../specs/evaluate.js';
import { isKnown, leadOf } from '../specs/paths.js';
import { joined } from '../specs/starting.js';

/** Starts `argv` in a container or on a cluster. */
function startElsewhere(parsed: Parsed, argv: readonly Word[]): void {
  if (argv.length > 0) parsed.into.start({ argv, via: parsed.path.join(' '), unknownArguments: false, elsewhere: true });
}

/** docker run: a mount gives the container files of this machine. */
export function dockerRun(parsed: Parsed): void {
  const { into, operands } = parsed;
  for (const volume of parsed.values('-v', '--volume')) mount(parsed, volume, leadOf(volume).split(':')[0] ?? '');
  for (const device of parsed.values('--device')) {
    into.write(isKnown(device) ? { text: device.text.split(':')[0]! } : device, { detail: '--device' });
    into.tag('disk');
  }
  for (const spec of parsed.values('--mount')) {
    const source = /(?:^|,)(?:source|src)=([^,]*)/.exec(leadOf(spec));
    if (/type=bind/.test(leadOf(spec)) || !isKnown(spec)) mount(parsed, spec, source?.[1] ?? '');
  }
  const [image, ...command] = operands;
  const entrypoint = parsed.values('--entrypoint').flatMap(entryWords);
  if (image) into.effect('code', 'runs a container image', image);
  if (entrypoint.length > 0) startElsewhere(parsed, [...entrypoint, ...command]);
  else startElsewhere(parsed, command);
}

/** podman takes a list in JSON as well. */
function entryWords(word: Word): readonly Word[] {
  const list = isKnown(word) && /^\s*\[/.test(word.text) ? [...word.text.matchAll(/"((?:[^"\\]|\\.)*)"/g)] : [];
  return list.length > 0 ? list.map(([, text]) => ({ text: text! })) : [word];
}

/** A path of this machine, or the name of a volume. */
function mount({ into }: Parsed, word: Word, source: string): void {
  if (!isKnown(word)) into.write({ opaque: word.opaque, lead: source }, { detail: 'mounted' });
  else if (/^[./~]/.test(source)) {
    if (/:ro\b|,(ro|readonly)\b/.test(word.text)) into.read({ text: source }, { tree: true, detail: 'mounted' });
    else into.write({ text: source }, { tree: true, detail: 'mounted' });
  }
  if (/docker\.sock|podman\.sock/.test(source)) into.effect('privilege', 'gives the container control over this machine');
}

/** docker exec CONTAINER COMMAND… */
export function dockerExec(parsed: Parsed): void {
  startElsewhere(parsed, parsed.operands.slice(parsed.has('-l', '--latest') ? 0 : 1));
}

/** docker cp: one side is `container:path`. */
export function dockerCopy({ into, operands }: Parsed): void {
  const [from, to] = operands;
  const inside = (word: Word): boolean => /^[^/.][^/]*:/.test(leadOf(word));
  if (from && !inside(from) && leadOf(from) !== '-') into.read(from, { tree: true });
  if (to && !inside(to) && leadOf(to) !== '-') into.write(to, { tree: true });
  if (to && inside(to)) into.tag('remote-write');
}

const KUBECTL_READS: Readonly<Record<string, RegExp>> = {
  config: /^(view|get-contexts|current-context|get-clusters|get-users)$/,
  auth: /^(can-i|whoami)$/,
  rollout: /^(status|history)$/,
  'cluster-info': /^$/,
};

/** kubectl: sub-commands of sub-commands that change something, and secrets. */
export function kubectl({ into, path, operands }: Parsed): void {
  const verb = path[1] ?? '';
  const second = operands[0] ? leadOf(operands[0]) : '';
  const reads = KUBECTL_READS[verb];
  if (reads && !reads.test(second)) into.tag('remote-write');
  if (verb === 'config' && !reads!.test(second)) into.effect('config', 'changes the configuration of kubectl');
  if (operands.some(word => /(^|,)secrets?(\/|$|,|\.)/.test(leadOf(word)))) {
    into.tag('secrets');
    into.effect('disclosure', 'shows secrets of the cluster');
  }
}

/** kubectl exec POD -- COMMAND…; in the old form the command follows the pod. */
export function kubectlExec(parsed: Parsed): void {
  const words = parsed.invocation.argv;
  const dashes = words.findIndex(word => isKnown(word) && word.text === '--');
  if (dashes >= 0) startElsewhere(parsed, words.slice(dashes + 1));
  else if (parsed.path[1] === 'exec') startElsewhere(parsed, parsed.operands.slice(1));
  if (parsed.path[1] !== 'exec') parsed.into.effect('code', 'runs a container image on the cluster', parsed.operands[0]);
}

/** terraform: `fmt` rewrites files, `state` and `workspace` change the state with some verbs. */
export function terraform({ into, path, operands, has }: Parsed): void {
  const second = operands[0] ? leadOf(operands[0]) : '';
  if (path[1] === 'fmt' && !has('-check')) into.write({ text: '.' }, { tree: true });
  if (/^(apply|destroy|import|taint|untaint|refresh|force-unlock|login)$/.test(path[1] ?? '')) into.tag('remote-write');
  if (/^(state|workspace)$/.test(path[1] ?? '') && !/^(list|show|pull)$/.test(second)) into.tag('remote-write');
  into.read({ text: '.' }, { tree: true });
}

const LOOKS =
  /^(ls|list|describe|get|show|info|status|version|help|config|whoami|logs|ps|get-caller-identity|describe-.*|list-.*|get-.*|auth|account|current|inspect)$/;

/** `gcloud compute ssh --command SCRIPT`, `az vm run-command … --scripts SCRIPT`, `heroku run [-a APP] SCRIPT`. */
function remoteScript({ into, path, invocation }: Parsed): void {
  const words = invocation.argv.slice(1);
  const start = (script: Word): void => into.start({ script, shell: 'sh', via: path.join(' '), elsewhere: true });
  for (const [at, word] of words.entries()) {
    const given = /^--(?:command|scripts)(?:=(.*))?$/s.exec(leadOf(word));
    if (!given) continue;
    const script = given[1] === undefined ? words[at + 1] : isKnown(word) ? { text: given[1] } : word;
    if (script) start(script);
  }
  const verb = into.program === 'heroku' ? words.findIndex(word => /^run(:|$)/.test(leadOf(word))) : -1;
  let at = verb + 1;
  while (verb >= 0 && at < words.length && leadOf(words[at]!).startsWith('-'))
    at += HEROKU_VALUES.test(leadOf(words[at]!)) ? 2 : 1;
  if (verb >= 0 && at < words.length) start(joined(words.slice(at)));
}

const HEROKU_VALUES = /^(?:-[arsetx]|--(?:app|remote|size|env|type|team))$/;

/** Cloud clients: a verb that only looks, or one that changes something far away. */
export function cloud(parsed: Parsed): void {
  const { into, operands, options, invocation } = parsed;
  remoteScript(parsed);
  const dashes = invocation.argv.findIndex(word => isKnown(word) && word.text === '--');
  if (dashes > 0 && operands.some(word => /^ssh$/.test(leadOf(word)))) startElsewhere(parsed, invocation.argv.slice(dashes + 1));
  if (operands.length === 0) {
    if (options.length === 0) into.ask('cloud', `${into.program}: an interactive program`);
    return;
  }
  if (operands.some(word => !isKnown(word))) into.ask('opaque-command', `${into.program}: a word is not known`);
  if (!operands.some(word => LOOKS.test(leadOf(word)))) into.tag('remote-write');
  for (const word of invocation.argv.slice(1)) {
    const lead = leadOf(word).replace(/^--?[\w-]+=/, '');
    const named = /^(?:fileb?:\/\/|@)(.+)$/s.exec(lead)?.[1] ?? (/^(\.{0,2}\/|~)/.test(lead) ? lead : undefined);
    if (named === undefined) continue;
    into.read(isKnown(word) ? { text: named } : { opaque: word.opaque, lead: named }, { tree: true });
    if (!lead.startsWith('file'))
      into.write(isKnown(word) ? { text: named } : { opaque: word.opaque, lead: named }, { tree: true });
  }
  if (operands.some(word => /secret|token|password|credential|key/i.test(leadOf(word))))
    into.effect('disclosure', 'may show secrets');
  if (operands.some(word => /^(rm|delete|destroy|remove|terminate-.*|delete-.*|purge)$/.test(leadOf(word))))
    into.tag('delete', 'remote-delete', 'remote-write');
}
