const CONTEXT = 2;
/** Above this many comparisons the changed part is shown as a whole: out with the old, in with the new. */
const MOST_WORK = 1_000_000;

interface Line {
  readonly mark: ' ' | '-' | '+';
  readonly text: string;
}

/** What changes in a file, line by line, with a little around it. */
export function diffLines(path: string, before: string, after: string): string[] {
  const lines = compare(linesOf(before), linesOf(after));
  const isNear = lines.map((_line, index) =>
    lines.slice(Math.max(0, index - CONTEXT), index + CONTEXT + 1).some(({ mark }) => mark !== ' '),
  );
  const drawn = lines.flatMap(({ mark, text }, index) => (isNear[index] ? [`${mark}${text}`] : isNear[index - 1] ? ['…'] : []));
  return [`--- ${before === '' ? '(no file yet)' : path}`, `+++ ${path}`, ...drawn];
}

const linesOf = (text: string): string[] => (text === '' ? [] : text.replace(/\n$/, '').split('\n'));
const marked = (mark: Line['mark'], lines: readonly string[]): Line[] => lines.map(text => ({ mark, text }));

/** What both begin and end with is the same; between that, the longest common subsequence is. */
function compare(old: readonly string[], fresh: readonly string[]): Line[] {
  const most = Math.min(old.length, fresh.length);
  let head = 0;
  while (head < most && old[head] === fresh[head]) head += 1;
  let tail = 0;
  while (tail < most - head && old[old.length - 1 - tail] === fresh[fresh.length - 1 - tail]) tail += 1;
  const [oldPart, freshPart] = [old.slice(head, old.length - tail), fresh.slice(head, fresh.length - tail)];
  const between =
    oldPart.length * freshPart.length > MOST_WORK
      ? [...marked('-', oldPart), ...marked('+', freshPart)]
      : common(oldPart, freshPart);
  return [...marked(' ', old.slice(0, head)), ...between, ...marked(' ', old.slice(old.length - tail))];
}

function common(old: readonly string[], fresh: readonly string[]): Line[] {
  const longest = [...old, ''].map(() => new Array<number>(fresh.length + 1).fill(0));
  for (let i = old.length - 1; i >= 0; i--) {
    for (let j = fresh.length - 1; j >= 0; j--) {
      longest[i]![j] = old[i] === fresh[j] ? longest[i + 1]![j + 1]! + 1 : Math.max(longest[i + 1]![j]!, longest[i]![j + 1]!);
    }
  }
  const lines: Line[] = [];
  let [i, j] = [0, 0];
  while (i < old.length || j < fresh.length) {
    if (i < old.length && j < fresh.length && old[i] === fresh[j]) {
      lines.push({ mark: ' ', text: old[i]! });
      i += 1;
      j += 1;
    } else if (j >= fresh.length || (i < old.length && longest[i + 1]![j]! >= longest[i]![j + 1]!)) {
      lines.push({ mark: '-', text: old[i++]! });
    } else {
      lines.push({ mark: '+', text: fresh[j++]! });
    }
  }
  return lines;
}
