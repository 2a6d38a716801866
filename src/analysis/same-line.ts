import type { Effect } from '../contract/analysis.js';
import type { DraftProgram, Findings } from './findings.js';
import { isKnown, leadOf } from './word.js';

/** Programs that can put a symlink or a whole tree in place: what lies below their targets is not what it was. */
const PLACES_LINKS = /^(.*\/)?(ln|link|mv|rsync|tar|unzip|bsdtar|cpio|7z|git|svn|hg)$/;
/** A plain `cp` follows links; only with one of these does it copy them as what they are. */
const COPIES_LINKS = /^-[a-zA-Z]*[rRadP]|^--(recursive|archive|no-dereference|preserve)/;

const placesLinks = (program: DraftProgram): boolean =>
  PLACES_LINKS.test(leadOf(program.name)) ||
  (/^(.*\/)?cp$/.test(leadOf(program.name)) && program.argv.some(word => !isKnown(word) || COPIES_LINKS.test(word.text)));

interface Written {
  readonly path: string;
  readonly below: boolean;
  readonly links: boolean;
  readonly by: DraftProgram | undefined;
}

function writtenBy(effects: readonly Effect[], by: DraftProgram | undefined): Written[] {
  const links = by !== undefined && placesLinks(by);
  return effects.flatMap(({ kind, target }) => {
    if (kind !== 'write') return [];
    if (!target) return [{ path: '/', below: true, links, by }];
    const text = leadOf(target);
    const below = !isKnown(target) || text.endsWith('/**');
    const path = isKnown(target) ? text.replace(/\/\*\*$/, '') || '/' : text.replace(/\/[^/]*$/, '') || '/';
    return [{ path, below, links, by }];
  });
}

const isBelow = (path: string, directory: string): boolean => directory === '/' || path.startsWith(`${directory}/`);
const covers = (written: Written, path: string): boolean =>
  path === written.path || (written.below && isBelow(path, written.path));

/**
 * The facts are true before the line runs. A file that the line itself writes and then runs, sources or relies on, and a
 * path below a link it makes, are not what was looked at: the program that uses them is opaque. Order is not considered;
 * loops and background jobs make it uncertain anyway.
 */
export function noteChangedFiles(findings: Findings): void {
  const written = [
    ...writtenBy(findings.effects, undefined),
    ...findings.programs.flatMap(program => writtenBy(program.effects, program)),
  ];
  if (written.length === 0) return;
  for (const program of findings.programs) {
    const relied = [
      ...program.hashes,
      ...(isKnown(program.name) && program.name.text.startsWith('/') ? [program.name.text] : []),
    ];
    const changed = relied.find(path => written.some(entry => entry.by !== program && covers(entry, path)));
    if (changed !== undefined) {
      program.opaque.push({
        code: 'changed-in-line',
        text: `relies on ${changed}, which this line itself writes`,
        span: program.span,
      });
      continue;
    }
    const through = program.effects
      .filter(({ kind, target }) => (kind === 'read' || kind === 'write') && target !== undefined)
      .map(({ target }) => leadOf(target!))
      .find(path => written.some(entry => entry.links && entry.by !== program && throughLink(entry, path)));
    if (through !== undefined) {
      program.opaque.push({
        code: 'changed-in-line',
        text: `uses ${through}, which a link made by this line may turn elsewhere`,
        span: program.span,
      });
    }
  }
}

/** Below a place where the line may put a link; for `ln` and `mv` also that place itself. */
function throughLink(entry: Written, path: string): boolean {
  const whole = /(^|\/)(ln|link|mv)$/.test(entry.by ? leadOf(entry.by.name) : '');
  if (isBelow(path, entry.path) && entry.path !== '/') return true;
  return whole && path.replace(/\/\*\*$/, '') === entry.path;
}
