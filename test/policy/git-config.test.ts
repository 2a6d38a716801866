import { describe, expect, test } from 'vitest';
import { gitConfigProblem } from '../../src/policy/git-config.js';

const problem = (text: string, owner: 'person' | 'project' = 'project') => gitConfigProblem(text, { owner });

const FRESH_CLONE = `[core]
	repositoryformatversion = 0
	filemode = true
	bare = false
	logallrefupdates = true
[remote "origin"]
	url = git@github.com:acme/api.git
	fetch = +refs/heads/*:refs/remotes/origin/*
[branch "main"]
	remote = origin
	merge = refs/heads/main
# a note
[user]
	name = "Ana"	; me
[submodule "x y"]
	active = true
	url = https://example.org/x
`;

describe('git configuration', () => {
  test('what git clone writes is harmless', () => {
    expect(problem(FRESH_CLONE)).toBeUndefined();
    expect(problem('')).toBeUndefined();
    expect(problem('[core] bare = false\r\n')).toBeUndefined();
  });

  test.each<[string, string]>([
    ['[core]\nfsmonitor = evil', 'core.fsmonitor'],
    ['[CORE]\nFsMonitor = evil', 'core.fsmonitor'],
    ['[core] fsmonitor = evil', 'core.fsmonitor'],
    ['[core]\nhooksPath = x', 'core.hookspath'],
    ['[core]\npager = evil', 'core.pager'],
    ['[core]\nsshCommand = evil', 'core.sshcommand'],
    ['[alias]\nst = !evil', 'alias.st'],
    ['[include]\npath = x', 'include.path'],
    ['[includeIf "gitdir:/"]\npath = x', 'includeif.gitdir:/.path'],
    ['[diff "x"]\ntextconv = evil', 'diff.x.textconv'],
    ['[diff]\nexternal = evil', 'diff.external'],
    ['[filter "x"]\nclean = evil', 'filter.x.clean'],
    ['[remote "o"]\nuploadpack = evil', 'remote.o.uploadpack'],
    ['[remote "o"]\nvcs = evil', 'remote.o.vcs'],
    ['[submodule "x"]\nupdate = !evil', 'submodule.x.update'],
    ['[url "ext::sh -c evil"]\ninsteadOf = https:', 'url.ext::sh -c evil.insteadof'],
    ['[credential]\nhelper = evil', 'credential.helper'],
    ['[gpg]\nprogram = evil', 'gpg.program'],
    ['[merge "x"]\ndriver = evil', 'merge.x.driver'],
    ['[protocol]\nallow = always', 'protocol.allow'],
  ])('%j is looked at by a person', (text, key) => {
    expect(problem(text)).toContain(`sets ${key}`);
  });

  test.each([
    '[remote "o"]\nurl = ext::sh -c evil',
    '[remote "o"]\nurl = -oProxyCommand=evil',
    '[remote "o"]\npushurl = "ext::evil"',
  ])('%j names a program where a place is meant', text => {
    expect(problem(text)).toContain('to a program');
  });

  test.each(['fsmonitor = evil', '[core\nx = 1', '[core]\n= 1', '[core]\nbare = false\\\n', '[remote "a]\nurl = x', '\u0000'])(
    '%j cannot be read',
    text => {
      expect(problem(text)).toBeDefined();
    },
  );

  test("a person's own file may hold a person's own choices, and still no hooks", () => {
    expect(
      problem('[alias]\nco = checkout\n[core]\neditor = vim\npager = delta\n[credential]\nhelper = store', 'person'),
    ).toBeUndefined();
    expect(problem('[filter "lfs"]\nclean = git-lfs clean -- %f\nrequired = true', 'person')).toBeUndefined();
    expect(problem('[filter "lfs"]\nclean = evil', 'person')).toContain('filter.lfs.clean');
    for (const text of ['[core]\nfsmonitor = evil', '[core]\nhooksPath = x', '[diff]\nexternal = evil', '[include]\npath = x']) {
      expect(problem(text, 'person')).toBeDefined();
    }
  });
});
