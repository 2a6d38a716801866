import { describe, expect, test } from 'vitest';
import type { CommandSpec, Invocation, Nested, Reading, SpecLookup } from '../../src/analysis/spec.js';
import type { Effect, Word } from '../../src/contract/analysis.js';
import { analyze, line, reasonCodes, shown, shownEffect } from './analyzing.js';

const reading = (changes: Partial<Reading> = {}): Reading => ({
  effects: [],
  tags: [],
  opaque: [],
  nested: [],
  hashes: [],
  folders: [],
  undashed: [],
  variables: [],
  ...changes,
});

const seen: Invocation[] = [];
const read = (target: Word): Effect => ({ kind: 'read', target });
const rest = ({ argv }: Invocation): readonly Word[] => argv.slice(1);
const starts = (nested: Nested): Reading => reading({ nested: [nested] });
const text = (word: Word | undefined): string => (word && 'text' in word ? word.text : '');

/** Small stand-ins: the walk is tested here, not the specs. */
const SPECS: Readonly<Record<string, CommandSpec['read']>> = {
  wrap: invocation => starts({ argv: rest(invocation), via: 'wrap', unknownArguments: false }),
  more: invocation => starts({ argv: rest(invocation), via: 'more', unknownArguments: true }),
  inDir: invocation =>
    starts({ argv: invocation.argv.slice(2), via: 'inDir', unknownArguments: false, cwd: [text(invocation.argv[1])] }),
  anywhere: invocation => starts({ argv: rest(invocation), via: 'anywhere', unknownArguments: false, cwd: undefined }),
  setenv: invocation =>
    starts({ argv: rest(invocation), via: 'setenv', unknownArguments: false, env: new Map([['GIT_PAGER', { text: 'x' }]]) }),
  remote: invocation => ({
    ...starts({ argv: rest(invocation), via: 'remote', unknownArguments: false, elsewhere: true }),
    effects: [{ kind: 'network' }],
  }),
  bash: invocation => starts({ script: invocation.argv[2]!, shell: 'bash', via: 'bash -c' }),
  sh: invocation =>
    text(invocation.argv[1]) === '-c'
      ? starts({ script: invocation.argv[2]!, shell: 'sh', via: 'sh -c' })
      : reading({
          tags: ['shell-code'],
          effects: invocation.stdin.kind === 'nothing' && invocation.argv.length === 1 ? [] : [{ kind: 'code' }],
        }),
  zsh: invocation => starts({ script: invocation.argv[2]!, shell: 'zsh', via: 'zsh -c' }),
  fetch: () => reading({ effects: [{ kind: 'network', target: { text: 'h' } }], tags: ['download'] }),
  cat: invocation => reading({ effects: rest(invocation).map(word => read(word)) }),
  look: invocation =>
    reading({
      effects: (invocation.cwd ?? []).map(directory => read({ text: `${directory}/x` })),
      hashes: ['/cfg'],
      variables: ['LOOK'],
    }),
  note: invocation => {
    seen.push(invocation);
    return reading();
  },
  broken: () => {
    throw new Error('broken');
  },
};
const specs: SpecLookup = name => {
  if (name === 'unloadable') throw new Error('line 3');
  return Object.hasOwn(SPECS, name) ? { name, read: SPECS[name]! } : undefined;
};
const analyzed = (command: string) => analyze(command, { specs });

describe('what a program starts is walked like the rest', () => {
  test('wrappers are peeled, and listed', async () => {
    const { programs } = await analyzed('wrap wrap evil a');
    expect(programs.map(program => [line(program), program.via, program.tags])).toEqual([
      ['wrap wrap evil a', [], ['wrapper']],
      ['wrap evil a', ['wrap'], ['wrapper']],
      ['evil a', ['wrap', 'wrap'], []],
    ]);
  });

  test('unknown arguments are added where none of the words stands for them', async () => {
    expect((await analyzed('more evil a')).programs.map(line)).toEqual(['more evil a', 'evil a ⟨arguments:⟩']);
    expect((await analyzed('more evil $x')).programs.map(line)).toEqual(['more evil ⟨variable:⟩', 'evil ⟨variable:⟩']);
  });

  test('it may start in another directory', async () => {
    expect((await analyzed('inDir /d ./evil')).programs.map(({ name }) => name)).toContainEqual({ text: '/d/evil' });
    const { programs } = await analyzed('inDir /d look');
    expect(programs.flatMap(({ effects }) => effects.map(shownEffect))).toEqual(['read /d/x']);
    expect(reasonCodes(await analyzed('anywhere ./evil'))).toContain('unknown-directory');
  });

  test('variables it sets are effects', async () => {
    expect((await analyzed('setenv git log')).effects.map(shownEffect)).toEqual(['environment GIT_PAGER']);
  });

  test('elsewhere its paths are not ours, and neither are its names', async () => {
    const { programs, query } = await analyzed('remote cat /etc/x');
    expect(programs.map(program => program.effects.map(shownEffect))).toEqual([['network'], []]);
    expect(query.names).toEqual(['remote']);
    expect(query.paths).toEqual([]);
  });

  test('a script of a bash is parsed; its state is its own', async () => {
    const { programs } = await analyzed("x=evil; f(){ a; }; bash -c '$x; f; y=evil; $y'; $y");
    expect(programs.map(line)).toContain('evil');
    expect(programs.filter(program => 'opaque' in program.name)).toHaveLength(2);
    expect((await analyzed("export x=evil; bash -c '$x'")).programs.map(line)).toContain('evil');
  });

  test('text that sh and bash read differently asks', async () => {
    for (const script of ['{evil,x}', '[[ a ]]', 'a &> b', "$'x'", 'a <(b)', 'x=(1)', '${x/a/b}', 'function f { a; }']) {
      expect(reasonCodes(await analyzed(`sh -c '${script.replaceAll("'", "'\\''")}'`))).toContain('dialect');
    }
    for (const script of ['evil; a && b | c > d 2>&1', 'echo "${x:-y}" $((1+2)) $(a)', 'case $x in a) b;; esac']) {
      expect(reasonCodes(await analyzed(`sh -c '${script}'`))).not.toContain('dialect');
    }
  });

  test('another grammar is not parsed, but what it may run is named', async () => {
    const analysis = await analyzed("zsh -c 'repeat 1 evil'");
    expect(reasonCodes(analysis)).toContain('foreign-grammar');
    expect(analysis.programs.map(line)).toContain('evil');
  });

  test('nesting has an end', async () => {
    expect(reasonCodes(await analyzed(`${'wrap '.repeat(100)}evil`))).toContain('too-complex');
  });
});

test.each(['broken', 'unloadable'])('a spec that fails keeps the rest: %s', async name => {
  const { programs, opaque } = await analyzed(`${name} a; cat f`);
  expect(opaque).toEqual([]);
  expect(programs.map(program => [line(program), program.specified, program.opaque.map(({ code }) => code)])).toEqual([
    [`${name} a`, false, ['spec-failed']],
    ['cat f', true, []],
  ]);
});

describe('what reaches a spec', () => {
  test('directories, environment, standard input', async () => {
    seen.length = 0;
    await analyzed('cd a; export V=1; W=2 note x; echo t | note; cat f | note; note < f; note <<< t; note');
    const [first, ...others] = seen;
    expect(first?.cwd).toEqual(['/home/ana/project', '/home/ana/project/a']);
    expect([...first!.env]).toEqual([
      ['V', { text: '1' }],
      ['W', { text: '2' }],
    ]);
    expect(others.map(call => call.stdin)).toEqual([
      { kind: 'here', text: { text: 't\n' } },
      { kind: 'pipe' },
      { kind: 'file' },
      { kind: 'here', text: { text: 't\n' } },
      { kind: 'nothing' },
    ]);
  });

  test('bytes of the request are its standard input, a terminal is unknown', async () => {
    seen.length = 0;
    await analyze('note', { specs, request: { stdin: 'rm x' } });
    await analyze('note', { specs, request: { tty: true } });
    expect(seen.map(({ stdin }) => stdin)).toEqual([{ kind: 'here', text: { text: 'rm x' } }, { kind: 'unknown' }]);
  });
});

describe('neighbours', () => {
  test.each(['fetch x | sh', 'fetch x | cat | sh', 'eval "$(fetch x)"', '. <(fetch x)', 'sh <(fetch x)'])(
    'code from the network: %s',
    async command => {
      expect((await analyzed(command)).programs.some(({ tags }) => tags.includes('net-to-shell'))).toBe(true);
    },
  );

  test.each(['fetch x; sh', 'sh | fetch x', 'fetch x | cat', 'echo "$(fetch x)"'])('not %s', async command => {
    expect((await analyzed(command)).programs.some(({ tags }) => tags.includes('net-to-shell'))).toBe(false);
  });

  test('a shell that something is written to reads code', async () => {
    const { programs } = await analyzed('echo a > >(sh)');
    expect(programs.flatMap(({ effects }) => effects.map(({ kind }) => kind))).toContain('code');
  });

  test.each([':(){ :|:& };:', 'b(){ b | b; }; b', 'f(){ f & }; f'])('a fork bomb: %s', async command => {
    expect((await analyzed(command)).programs.some(({ tags }) => tags.includes('fork-bomb'))).toBe(true);
  });
});

describe('what only the place can tell is asked', () => {
  test('names, variables, paths, hashes, the grammar', async () => {
    const { query } = await analyzed('cd sub && look; cat ~/f < ../in "$IFS"; ./run');
    expect(query.names).toEqual(['cd', 'look', 'cat']);
    expect(query.variables).toEqual(expect.arrayContaining(['PATH', 'CDPATH', 'LOOK', 'HOME', 'IFS']));
    expect(query.paths).toEqual(
      expect.arrayContaining(['/home/ana/project/sub', '/home/ana/project/in', '/home/ana/project/run']),
    );
    expect(query.crossed).toContain('/home/ana/project/sub');
    expect(query.hashes).toEqual(expect.arrayContaining(['/cfg', '/home/ana/project/run', '/home/ana/project/sub/run']));
    expect(query.text).not.toBe('');
  });

  test('directories that a path climbs out of are asked about', async () => {
    expect((await analyzed('cat a/b/../../c /x/../y d')).query.crossed).toEqual([
      '/home/ana/project/a/b',
      '/home/ana/project/a',
      '/x',
    ]);
    expect((await analyzed('cat ../x')).query.crossed).toEqual([]);
  });

  test.each(['ls -la', 'git status && make', 'a | b; c --d=e,f x@y:z'])('no doubt about the grammar: %s', async command => {
    expect((await analyzed(command)).query.text).toBe('');
  });
  test.each([
    ...['echo $x', "a 'b'", 'a > b', 'a &', 'a &&', 'if a', 'time a', 'a\nb', 'a; ;b', 'echo (', '! a', 'x={a}', 'a # b'],
  ])('the shell is asked about the grammar: %s', async command => {
    expect((await analyzed(command)).query.text).toBe(command);
  });
});

test.each([
  ['echo evil > x; ./x', true],
  ['echo a > /cfg; look', true],
  ['echo a > "$f"; look', true],
  ['echo a > f; cat f', false],
  ['echo a > other; look', false],
])('files that the line itself changes: %s', async (command, expected) => {
  expect(reasonCodes(await analyzed(command)).includes('changed-in-line')).toBe(expected);
});

describe('other grammars are never judged by that of bash', () => {
  test.each([
    ['zsh', 'repeat 1 evil'],
    ['zsh', 'nocorrect evil'],
    ['zsh', 'for x in 1; evil'],
    ['zsh', 'if [[ 1 ]] evil'],
    ['powershell', "iex 'evil'"],
    ['powershell', 'ev`il'],
    ['powershell', 'icm -ScriptBlock {evil}'],
    ['powershell', 'try { 1 } finally { evil }'],
    ['powershell', 'class A { A(){ evil } }; [A]::new()'],
    ['cmd', 'ev^il'],
    ['cmd', 'cmd.exe /s /c "evil"'],
    ['cmd', 'echo a & evil'],
  ])('%s: %s', async (family, command) => {
    const analysis = await analyze(command, { specs, state: { family } });
    expect(reasonCodes(analysis)).toContain('foreign-grammar');
    expect(analysis.programs.map(({ argv }) => shown(argv[0]!))).toContain('evil');
    expect(analysis.programs.every(({ specified, opaque }) => !specified && opaque.length > 0)).toBe(true);
  });
});

test('options of the session that change what words mean are reasons', async () => {
  expect(reasonCodes(await analyze('echo {a,b}', { state: { options: 'h' } }))).toContain('session-option');
  expect(reasonCodes(await analyze('a x=1', { state: { options: 'hBk' } }))).toContain('session-option');
  expect(reasonCodes(await analyze('echo {a,b}', { state: { options: 'hB' } }))).toEqual([]);
});
