import type { Parsed } from '../specs/evaluate.js';
import { isKnown, leadOf, resolvePaths } from '../specs/paths.js';
import { noteCalls } from './code-calls.js';

const MAKEFILES = ['GNUmakefile', 'makefile', 'Makefile'];
/** Variables on the command line that only choose among what the makefile offers. */
const HARMLESS_ASSIGNMENT = /^(V|VERBOSE|DESTDIR|PREFIX|prefix|BUILD|CONFIG|DEBUG|ARGS|VERSION|TARGET)=[\w./-]*$/;

/** make: targets of a makefile. `-n` still runs `$(shell …)` and lines with `+`. */
export function make(parsed: Parsed): void {
  const { into, operands } = parsed;
  if (parsed.has('-v', '--version', '-h', '--help')) return;
  const named = parsed.values('-f');
  for (const file of named) {
    if (isKnown(file) && file.text !== '-') into.rely(file.text);
    else into.ask('opaque-makefile', 'make: which makefile it runs is not known');
  }
  if (named.length === 0) for (const file of MAKEFILES) into.rely(file);
  const targets = operands.filter(word => !/^[\w.]+[:+?!]*=/.test(leadOf(word)));
  for (const assignment of operands.filter(word => !targets.includes(word))) {
    if (!HARMLESS_ASSIGNMENT.test(leadOf(assignment))) into.effect('environment', 'sets a variable of the makefile', assignment);
    const shell = isKnown(assignment) ? /^(?:SHELL|CC|CXX|LD|AR|AS)[:+?!]*=(.+)$/.exec(assignment.text) : undefined;
    if (shell) into.start({ script: { text: shell[1]! }, shell: 'sh', via: 'make' });
  }
  const file = named[0] ?? { text: 'Makefile' };
  for (const target of targets.length > 0 ? targets : [{ text: '' }]) {
    for (const path of resolvePaths(file, into.directories)) {
      const known = isKnown(path) && isKnown(target);
      const detail =
        isKnown(target) && target.text === ''
          ? 'runs the first target of the makefile'
          : `runs the target "${leadOf(target)}" of the makefile`;
      into.effect('code', detail, known ? { text: `${path.text}#${target.text}` } : { opaque: 'variable', lead: leadOf(path) });
    }
  }
}

/** cmake -E has tools of its own, two of which start programs. */
export function cmake(parsed: Parsed): void {
  const { into } = parsed;
  const [tool, ...words] = parsed.values('-E');
  if (tool) {
    cmakeTool(parsed, leadOf(tool), words);
    return;
  }
  if (parsed.has('--version', '-version', '-h', '--help', '--build', '--install', '-P')) return;
  into.effect('code', 'runs the CMake files of the project');
  into.rely('CMakeLists.txt');
  into.write(parsed.values('-B')[0] ?? { text: '.' }, { tree: true });
  for (const operand of parsed.operands) into.read(operand, { tree: true });
}

function cmakeTool({ into }: Parsed, tool: string, words: readonly Parsed['operands'][number][]): void {
  if (tool === 'chdir') {
    if (words[0]) into.enter(words[0]);
    if (words.length > 1)
      into.start({ argv: words.slice(1), via: 'cmake -E chdir', unknownArguments: false, cwd: into.directories });
    return;
  }
  if (tool === 'env' || tool === 'time') {
    const at = words.findIndex(word => !/^(--unset=|--modify$|--$|[A-Za-z_]\w*=)/.test(leadOf(word)));
    if (at >= 0) into.start({ argv: words.slice(at), via: `cmake -E ${tool}`, unknownArguments: false });
  } else if (/^(echo|capabilities|sleep|true|false|cat|md5sum|sha\w+sum|compare_files|environment)$/.test(tool)) {
    if (tool === 'environment') into.effect('disclosure', 'shows the environment');
    for (const word of words) if (tool !== 'echo' && tool !== 'sleep') into.read(word);
  } else {
    for (const word of words) into.write(word, { tree: true });
    if (/^(rm|remove|remove_directory)$/.test(tool)) into.tag('delete', 'recursive');
    if (
      !/^(copy|copy_directory|copy_if_different|make_directory|rename|rm|remove|remove_directory|touch|touch_nocreate|create_symlink|create_hardlink)$/.test(
        tool,
      )
    )
      into.ask('cmake-tool', `cmake -E ${tool}: not described`);
  }
}

/** Only its version, and nothing that could load an agent before it says it. */
export function java(parsed: Parsed): void {
  const { into, invocation } = parsed;
  for (const word of invocation.argv.slice(1)) noteCalls(into, word);
  const words = invocation.argv.slice(1).map(leadOf);
  const plain = words.every(
    (word, index) =>
      /^--?(version|h|help|cp|classpath|showversion|show-version|server|client)$/.test(word) ||
      /^-(cp|classpath)$/.test(words[index - 1] ?? ''),
  );
  if (!plain) into.effect('code', 'runs Java, or loads an agent or a library into it');
}
