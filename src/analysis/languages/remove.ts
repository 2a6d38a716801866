import type { Word } from '../../contract/analysis.js';
import type { Parsed } from '../specs/evaluate.js';
import { isRootLike } from '../specs/known-paths.js';
import { isKnown, resolvePaths } from '../specs/paths.js';
import type { ReadingBuilder } from '../specs/reading-builder.js';

/** rm -r: says when the tree is the whole machine or a home. */
export function remove(parsed: Parsed): void {
  if (parsed.has('-r', '-R', '--recursive')) markRoots(parsed.into, parsed.operands);
}

/** A tree that is the root, a directory directly below it, or a home has a tag of its own. */
export function markRoots(into: ReadingBuilder, trees: readonly Word[]): void {
  for (const tree of trees) {
    for (const target of resolvePaths(tree, into.directories)) {
      if (isKnown(target) && isRootLike(target.text, into.home)) into.tag('filesystem-root');
    }
  }
}
