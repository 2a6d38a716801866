import { posix } from 'node:path';
import type { Word } from '../../contract/analysis.js';
import type { Parsed } from '../specs/evaluate.js';
import { hostOf } from '../specs/hosts.js';
import { readOptions } from '../specs/options.js';
import { isKnown, leadOf } from '../specs/paths.js';
import { part } from './placeholder.js';

const QUIET_SSH_OPTIONS =
  /^(stricthostkeychecking|connecttimeout|connectionattempts|batchmode|loglevel|port|user|hostname|identitiesonly|serveraliveinterval|serveralivecountmax|preferredauthentications|passwordauthentication|pubkeyauthentication|kbdinteractiveauthentication|compression|tcpkeepalive|addressfamily|numberofpasswordprompts|forwardagent=no|forwardx11=no|requesttty|visualhostkey|controlmaster|controlpersist|exitonforwardfailure|hostkeyalgorithms|kexalgorithms|ciphers|macs|pubkeyacceptedalgorithms|checkhostip|clearallforwardings|permitlocalcommand=no|gssapiauthentication)\b/;
const PROGRAM_SSH_OPTIONS = /^(proxycommand|localcommand|knownhostscommand|match\s+exec)\b/;

/** `-o Name=value` of ssh, scp and sftp. */
function sshOptions({ into, values }: Parsed): void {
  for (const option of values('-o')) {
    const lead = leadOf(option).trim();
    const match = /^([a-z0-9]+)(?:\s*=\s*|\s+)(.*)$/is.exec(lead);
    const name = (match?.[1] ?? lead).toLowerCase();
    const value = part(option, match?.[2] ?? '');
    if (PROGRAM_SSH_OPTIONS.test(name)) into.start({ script: value, shell: 'sh', via: `ssh -o ${match![1]}` });
    else if (name === 'userknownhostsfile') into.write(value);
    else if (name === 'identityfile' || name === 'certificatefile') into.read(value);
    else if (name === 'remotecommand') into.start({ script: value, shell: 'sh', via: 'ssh -o RemoteCommand', elsewhere: true });
    else if (!QUIET_SSH_OPTIONS.test(`${name}=${leadOf(value).toLowerCase()}`))
      into.ask('ssh-option', `ssh -o ${lead}: not described`);
  }
  into.rely(posix.join(into.home, '.ssh/config'));
}

/** ssh: a host and the script it runs there. */
export function ssh(parsed: Parsed): void {
  const { into, operands } = parsed;
  sshOptions(parsed);
  const [host, ...behind] = operands;
  if (!host) return;
  into.network(hostOf(host));
  into.tag('remote-exec');
  // ssh goes on reading options behind the host.
  const late = readOptions(parsed.table, behind);
  if (late.unlisted.length > 0 || late.doubts.length > 0 || late.options.some(given => given.rule.dangerous))
    into.ask('late-options', 'ssh: options behind the host');
  const command = late.operands;
  if (command.length === 0) {
    const noCommand = [...parsed.options, ...late.options].some(given => /^-[NGO]$/.test(given.name));
    const { stdin } = parsed.invocation;
    if (!noCommand && stdin.kind === 'here' && stdin.text)
      into.start({ script: stdin.text, shell: 'sh', via: 'ssh <<', elsewhere: true });
    if (!noCommand) into.ask('remote-shell', 'ssh: a shell on another machine');
    return;
  }
  const known = command.every(isKnown);
  const script: Word = known ? { text: command.map(leadOf).join(' ') } : { opaque: 'variable', lead: leadOf(command[0]!) };
  into.start({ script, shell: 'sh', via: 'ssh', elsewhere: true });
}

/** `[user@]host:path`, `scheme://host/path`; a path with a slash before its colon is local. */
const isRemote = (word: Word): boolean => /^([a-z]+:\/\/|[^/]*:)/i.test(leadOf(word));

/** Operands of scp and rsync: the last is written, the others are read, here or there. */
function transfer(parsed: Parsed, tree: boolean): void {
  const { into, operands } = parsed;
  const follows = tree && (into.program === 'scp' || parsed.has('-L', '--copy-links')) && 'all';
  for (const [index, operand] of operands.entries()) {
    const isTarget = index === operands.length - 1 && operands.length > 1;
    if (isRemote(operand)) {
      into.network(hostOf(operand));
      into.tag(...(isTarget ? ['upload', 'remote-write'] : ['download']));
    } else if (isTarget) {
      into.write(operand, { tree });
      for (const source of operands.slice(0, -1)) {
        if (isKnown(source) && isKnown(operand))
          into.write({ text: `${operand.text}/${posix.basename(source.text.replace(/^.*:/, ''))}` }, { tree });
      }
    } else into.read(operand, { tree, follows });
    if (!isKnown(operand) && operand.lead === '')
      into.ask('opaque-place', `${into.program}: a place it copies from or to is not known`);
  }
}

export function remoteCopy(parsed: Parsed): void {
  sshOptions(parsed);
  if (parsed.into.program === 'sftp') {
    for (const operand of parsed.operands) parsed.into.network(hostOf(operand));
    const { stdin } = parsed.invocation;
    const lines = stdin.kind === 'here' && stdin.text ? leadOf(stdin.text) : '';
    for (const [, file] of lines.matchAll(/^[ \t]*(?:put|mput|reput)\s+(?:-\w+\s+)*(\S+)/gm))
      parsed.into.read({ text: file! }, { detail: 'sent' });
    parsed.into.ask('remote-session', 'sftp: what it does is typed to it');
    return;
  }
  transfer(parsed, parsed.has('-r'));
}

export function rsync(parsed: Parsed): void {
  if (parsed.has('-n') && !parsed.operands.some(isRemote)) {
    for (const operand of parsed.operands) parsed.into.read(operand, { tree: true });
    return;
  }
  transfer(parsed, true);
}

/** socat: two addresses, some of which are programs. */
export function socat({ operands, into }: Parsed): void {
  for (const operand of operands) {
    const lead = leadOf(operand);
    const program = /^(exec|system|shell):(.*)$/is.exec(lead);
    const connection = /^(?:tcp|tcp4|tcp6|udp|udp4|udp6|openssl|ssl|sctp)[\w-]*:([^:,]+)/i.exec(lead);
    if (program)
      into.start({
        script: part(operand, program[2]!.replace(/,[a-z,=0-9-]*$/i, '')),
        shell: 'sh',
        via: `socat ${program[1]}`,
      });
    else if (connection && isKnown(operand)) into.network({ text: connection[1]!.toLowerCase() });
    else if (!/^(-|stdio|stdin|stdout)$/i.test(lead)) into.ask('socat-address', `socat: the address "${lead}" is not described`);
  }
}

/** httpie: an optional method, a URL, then items of which some send files. */
export function httpie({ operands, into }: Parsed): void {
  const method = operands[0] && /^[A-Z]+$/.test(leadOf(operands[0])) ? leadOf(operands[0]) : undefined;
  const [target, ...items] = method ? operands.slice(1) : operands;
  if (target) into.network(hostOf(/^:/.test(leadOf(target)) ? { text: 'localhost' } : target));
  if (method && !/^(GET|HEAD|OPTIONS)$/.test(method)) into.tag('remote-write');
  for (const item of items) {
    const file = /^[^@=:]+(?:@|=@|:=@)(.*)$/s.exec(leadOf(item));
    if (file) into.read(part(item, file[1]!), { detail: 'sent' });
    into.tag('upload');
  }
}

const CHANGES = /^(add|a|del|delete|d|set|s|flush|f|change|chg|replace|append|up|down|attach|detach|save|restore)$/;

/** ip, ifconfig and route show things, or change them by a verb. */
/** Short words that no changing verb begins with, or that are whole words of their own. */
const SHOWS = /^(sh|sho|ls|li|lis|lst|get|dev|up|to|via|vrf|all|mtu|lo|\d+|[a-z]+\d.*)$/;

export function networkSettings({ operands, into, invocation }: Parsed): void {
  const words = invocation.argv.slice(1);
  // Every word of ip may be cut short.
  const exec = words.findIndex(word => /^exe?c?$/.test(leadOf(word)));
  if (into.program === 'ip' && exec >= 0) {
    const argv = words.slice(exec + 2);
    if (argv.length > 0) into.start({ argv, via: 'ip netns exec', unknownArguments: false });
    else into.ask('ip-verb', 'ip: what it would start is not in its words');
    return;
  }
  const shows =
    operands.length <= 1 ||
    operands.slice(1).every(word => !isKnown(word) || !/^[a-z]{1,3}$/.test(word.text) || SHOWS.test(word.text));
  if (into.program === 'ip' && !shows) into.ask('ip-verb', 'ip: a word that may be short for one that changes something');
  if (words.some(word => /^-(b|batch|force)/.test(leadOf(word)) && !/^-br/.test(leadOf(word))))
    into.ask('batch', 'ip: reads commands from a file');
  const verb = operands.slice(1).find(word => CHANGES.test(leadOf(word)) || !isKnown(word));
  const sets = into.program === 'ifconfig' && operands.length > 1;
  if (verb || sets) into.effect('state', 'changes the network', verb);
}

/** Key tools: some write files, some talk to other machines. */
export function sshKeys(parsed: Parsed): void {
  const { into } = parsed;
  if (/^ssh-(keyscan|copy-id)$/.test(into.program)) for (const operand of parsed.operands) into.network(hostOf(operand));
  if (into.program === 'ssh-copy-id') into.tag('remote-write', 'persistence');
  if (into.program === 'ssh-agent' && parsed.operands[0]) {
    // The options behind its command are the command's.
    const { argv } = parsed.invocation;
    into.start({ argv: argv.slice(argv.indexOf(parsed.operands[0])), via: 'ssh-agent', unknownArguments: false });
  }
  if (into.program === 'ssh-agent') into.effect('process', 'starts or ends an agent that holds keys');
  if (into.program === 'ssh-keygen' && (parsed.has('-R', '-H') || !parsed.has('-f', '-l', '-y', '-F')))
    into.write({ text: posix.join(into.home, '.ssh') }, { tree: true });
}

/** openssl: a password may be the first line of a file. */
export function openssl({ into, values }: Parsed): void {
  for (const source of values('-pass', '-passin', '-passout')) {
    const file = /^file:(.*)$/s.exec(leadOf(source));
    if (file) into.read(part(source, file[1]!), { detail: 'password' });
    else if (!isKnown(source) && !/^(pass|env|fd):/.test(source.lead))
      into.ask('opaque-password', 'openssl: where its password comes from is not known');
  }
}
