// Peers that judge a shell command line without running it, configured as their own pages say.
import { existsSync } from 'node:fs';
import { join } from 'node:path';

const installed = name => existsSync(new URL(`node_modules/${name}`, import.meta.url));

/** Rules in words (`allow git log *, deny evil`) as the patterns of programs a peer could be told. */
const patternsOf = (words, verb) =>
  words
    .split(';')
    .map(clause => clause.trim())
    .filter(clause => clause.startsWith(`${verb} `))
    .flatMap(clause => clause.slice(verb.length + 1).split(/,\s*/))
    .map(pattern => pattern.replace(/ \(.*\)$/, '').replace(/[ *]+$/, ''))
    .filter(pattern => /^[\w[(]/.test(pattern) && !/^\(bare|^(read|write)s? |\|/.test(pattern));

/** `@google/gemini-cli-core`'s policy engine: an allow or deny rule with a command prefix for each pattern, else it asks. */
async function gemini() {
  const core = './node_modules/@google/gemini-cli-core/dist/src';
  const [{ PolicyEngine }, { PolicyDecision, ApprovalMode }, { buildArgsPatterns }, { initializeShellParsers }] = await Promise.all([
    import(`${core}/policy/policy-engine.js`),
    import(`${core}/policy/types.js`),
    import(`${core}/policy/utils.js`),
    import(`${core}/utils/shell-utils.js`),
  ]);
  await initializeShellParsers();
  // Its log of every step is for its own debugging, and would be most of what is measured.
  for (const level of ['debug', 'warn', 'error']) console[level] = () => {};
  const answers = { [PolicyDecision.ALLOW]: 'allow', [PolicyDecision.DENY]: 'deny', [PolicyDecision.ASK_USER]: 'ask' };
  const rules = (words, verb, priority, decision) =>
    patternsOf(words, verb).flatMap(pattern =>
      buildArgsPatterns(undefined, pattern, undefined).map(source => ({
        toolName: 'run_shell_command',
        argsPattern: new RegExp(source),
        decision,
        priority,
      })),
    );
  return {
    name: 'gemini-cli-core',
    rulesOf(words) {
      const engine = new PolicyEngine({
        rules: [...rules(words, 'deny', 2, PolicyDecision.DENY), ...rules(words, 'allow', 1, PolicyDecision.ALLOW)],
        defaultDecision: PolicyDecision.ASK_USER,
        approvalMode: ApprovalMode.DEFAULT,
      });
      return async command => {
        const { decision } = await engine.check({ name: 'run_shell_command', args: { command } }, undefined);
        return answers[decision];
      };
    },
  };
}

/** cc-safety-net's `checkCommand` at its strictest level: it judges by its own rules and cannot ask. */
async function safetyNet(directory) {
  Object.assign(process.env, { CC_SAFETY_NET_LEVEL: 'paranoid', CC_SAFETY_NET_HOME: join(directory, 'safety-net') });
  const { checkCommand } = await import('./node_modules/cc-safety-net/dist/api.js');
  return {
    name: 'cc-safety-net (own rules, paranoid)',
    rulesOf: () => async command => checkCommand({ command, cwd: directory }).kind,
  };
}

/** Those that are installed and answer; `missing` says why the others do not. */
export async function judges(directory) {
  const found = [];
  const missing = [];
  for (const [name, make] of [
    ['@google/gemini-cli-core', gemini],
    ['cc-safety-net', () => safetyNet(directory)],
  ]) {
    try {
      if (!installed(name)) throw new Error('not installed (npm run bench:peers)');
      const peer = await make();
      await peer.rulesOf('allow ls *')('ls');
      found.push(peer);
    } catch (error) {
      missing.push(`verdicts of ${name}: ${error.message.split('\n')[0]}`);
    }
  }
  return { found, missing };
}
