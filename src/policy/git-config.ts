/**
 * Git settings that only say where and how much, never what to run. Everything else (`core.fsmonitor`, `alias.*`,
 * `filter.*`, `include.path`, a pager …) can start a program or bring other settings in, so a person looks at it.
 * Read against git-config(1) of git 2.47.
 */
const HARMLESS: readonly RegExp[] = [
  /^core\.(repositoryformatversion|filemode|bare|logallrefupdates|ignorecase|precomposeunicode|symlinks|autocrlf|eol|safecrlf|quotepath|abbrev|compression|bigfilethreshold|untrackedcache|checkstat|trustctime|preloadindex|sparsecheckout|sparsecheckoutcone|protecthfs|protectntfs|longpaths|whitespace|commentchar|excludesfile)$/,
  /^remote\..*\.(url|fetch|push|pushurl|prune|tagopt|mirror|skipdefaultupdate|skipfetchall|partialclonefilter|promisor)$/,
  /^branch\..*\.(remote|merge|rebase|description|pushremote|vscode-merge-base|gh-merge-base|github-pr-owner-number)$/,
  /^branch\.(autosetupmerge|autosetuprebase|sort)$/,
  /^user\.(name|email|signingkey|useconfigonly)$/,
  /^(author|committer)\.(name|email)$/,
  /^(color|column|advice|status|log|init|push|pull|fetch|rebase|merge|rerere|tag|blame|grep|index|feature|gc|pack|transfer|receive|maintenance|extensions|commit|format|help|i18n|stash|versionsort|worktree|checkout|clone|protocol)\.([a-z0-9-]+)$/,
  /^color\.[a-z-]+\.[a-z-]+$/,
  /^diff\.(algorithm|renames|renamelimit|mnemonicprefix|noprefix|colormoved|colormovedws|context|interhunkcontext|indentheuristic|ignoresubmodules|submodule|statgraphwidth|wordregex|suppressblankempty)$/,
  /^submodule\..*\.(url|active|branch|path|ignore|fetchrecursesubmodules)$/,
  /^submodule\.(recurse|active|fetchjobs|alternatelocation|alternateerrorstrategy)$/,
  /^gui\..*$/,
];

/** Of the sections above, settings that do run or bring in something. */
const HARMFUL: readonly RegExp[] = [
  /^(merge|rebase|commit|tag|gc|pack|receive|maintenance|help|init|clone|index|format|log|push|fetch|transfer|protocol|grep|blame)\.(tool|guitool|instructionformat|gpgsign|templatedir|template|browser|format|signaturefile|procreceiverefs|recentobjectshook|allow|forcesignannotated|gpgsignedcommits|fallbacktogrep)$/,
  /^help\.(autocorrect|browser|format|htmlpath)$/,
  /^log\.(showsignature|mailmap)$/,
  /^extensions\.(partialclone|worktreeconfig)$/,
];

/**
 * What people set for themselves: their editor, pager, aliases, credential helper. In the person's own file it is the
 * person's choice and runs as it does without a gate; in a project's file it is somebody else's.
 */
const PERSONAL: readonly RegExp[] = [
  /^alias\./,
  /^(core\.(editor|pager|askpass)|sequence\.editor|interactive\.difffilter|init\.templatedir|commit\.template)$/,
  /^(pager|delta|credential|gpg|http|https|safe|mergetool|difftool|merge|diff|sendemail|web|instaweb|browser|url|lfs)\.(?!.*\.(driver|textconv|command)$)(?!external$)/,
  /^(commit|tag|push)\.gpgsign$/,
  /^help\.(autocorrect|browser|format)$/,
];

/** Git LFS, exactly as its installer writes it. */
const LFS: Readonly<Record<string, string>> = {
  'filter.lfs.clean': 'git-lfs clean -- %f',
  'filter.lfs.smudge': 'git-lfs smudge -- %f',
  'filter.lfs.process': 'git-lfs filter-process',
  'filter.lfs.required': 'true',
};

/** Values that name a program where a place or an amount is meant: `ext::sh -c …`, `--upload-pack`. */
const STRANGE_URL = /^(ext|fd)::|^-|(^|[^a-z0-9+.-])ext::/i;

/** Why this content of a git configuration file needs a person, or undefined. Unreadable lines do. */
export function gitConfigProblem(text: string, { owner }: { readonly owner: 'person' | 'project' }): string | undefined {
  let section = '';
  const lines = text.split('\n');
  for (let i = 0; i < lines.length; i++) {
    let line = lines[i]!.trim();
    if (line === '' || line.startsWith('#') || line.startsWith(';')) continue;
    if (line.startsWith('[')) {
      const header = readHeader(line);
      if (!header) return `has a line that cannot be read: ${line.slice(0, 60)}`;
      section = header.section;
      line = header.rest;
      if (line === '' || line.startsWith('#') || line.startsWith(';')) continue;
    }
    const entry = /^([A-Za-z][A-Za-z0-9-]*)\s*(?:=\s*(.*))?$/.exec(line);
    if (!entry || section === '') return `has a line that cannot be read: ${line.slice(0, 60)}`;
    const key = `${section}.${entry[1]!.toLowerCase()}`;
    const value = entry[2] ?? '';
    if (/\\$/.test(value)) return `continues ${key} on a second line`;
    const isHarmless = HARMLESS.some(pattern => pattern.test(key)) && !HARMFUL.some(pattern => pattern.test(key));
    const isPersonal = owner === 'person' && (PERSONAL.some(pattern => pattern.test(key)) || LFS[key] === value);
    if (!isHarmless && !isPersonal) return `sets ${key}`;
    if (/url$/.test(key) && STRANGE_URL.test(value.replace(/^"/, ''))) return `sets ${key} to a program`;
  }
  return undefined;
}

/** `[section]` and `[section "name"]`; the name keeps its case. */
function readHeader(line: string): { section: string; rest: string } | undefined {
  const header = /^\[\s*([A-Za-z0-9.-]+)(?:\s+"((?:[^"\\]|\\.)*)")?\s*\](.*)$/.exec(line);
  if (!header) return undefined;
  const name = header[1]!.toLowerCase();
  return { section: header[2] === undefined ? name : `${name}.${header[2]}`, rest: header[3]!.trim() };
}
