import type { Parsed } from '../specs/evaluate.js';
import { leadOf } from '../specs/paths.js';

const word = (parsed: Parsed, index: number): string => (parsed.operands[index] ? leadOf(parsed.operands[index]!) : '');

/** nmcli and its kin: showing is harmless, other verbs change the machine. */
export function settingsVerbs(parsed: Parsed): void {
  if (
    parsed.operands.some(operand =>
      /^(up|down|add|modify|delete|edit|connect|disconnect|set|on|off|reload|import|hostname|clone)$/.test(leadOf(operand)),
    )
  )
    parsed.into.effect('state', `${parsed.path.join(' ')} changes the machine's settings`);
}

/** service NAME status is harmless. */
export function service(parsed: Parsed): void {
  if (parsed.operands.length > 0 && word(parsed, 1) !== 'status')
    parsed.into.effect('process', 'starts or stops a service', parsed.operands[0]);
}

/** sysctl shows values; an operand with `=` sets one. */
export function sysctl(parsed: Parsed): void {
  for (const operand of parsed.operands) {
    if (leadOf(operand).includes('=') || !('text' in operand))
      parsed.into.effect('state', "changes the kernel's settings", operand);
  }
}

/** apt-mark: showing and marking. */
export function aptMark(parsed: Parsed): void {
  if (parsed.into.program === 'apt-mark' && !/^(show.*|help|)$/.test(word(parsed, 0)))
    parsed.into.effect('privilege', 'changes installed software');
  if (parsed.into.program === 'apt-cache' && word(parsed, 0) === 'gencaches')
    parsed.into.effect('privilege', 'writes the package cache');
}

const SHOWS =
  /^(-l|--list|-s|--status|-L|--listfiles|-S|--search|-p|--print-avail|--get-selections|--print-architecture|--print-foreign-architectures|--compare-versions|-C|--audit|-V|--verify|--version|--help|-c|--contents|-I|--info|-f|--field|--yet-to-unpack|-q|--query|-qa|-ql|-qi|-qf|-qR)$/;

/** dpkg and rpm: one action of many; what does not only show changes installed software. */
export function dpkg(parsed: Parsed): void {
  const { into } = parsed;
  if (parsed.options.some(given => SHOWS.test(given.name))) {
    if (into.program === 'dpkg-deb') for (const operand of parsed.operands) into.read(operand);
    return;
  }
  if (parsed.options.length === 0 && parsed.operands.length === 0) return;
  into.effect('privilege', 'changes installed software');
  into.tag('package-install');
  for (const operand of parsed.operands) into.read(operand);
}

/** Firewalls: listing is harmless. */
export function firewall(parsed: Parsed): void {
  const shows = parsed.options.some(given =>
    /^(-L|--list|-S|--list-rules|--state|--list-all|--get-active-zones|--get-default-zone|-V|--version|-h|--help)$/.test(
      given.name,
    ),
  );
  if (shows || /^(status|version|show|list)$/.test(word(parsed, 0))) return;
  parsed.into.effect('state', 'changes the firewall');
  parsed.into.effect('privilege', 'changes the firewall');
}
