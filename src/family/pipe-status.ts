// bash loses PIPESTATUS at the end of `eval`, so a text whose grammar allows it gets one more line: an assignment that
// keeps it. An assignment cannot complete anything the text left open: it has no closer and no quote, and in bash's
// grammar only `|`, `|&`, `&&` and `||` look for a simple command across a newline.
const PIPE = /(?:^|[^|])\|(?!\|)/;
const REFUSED = /<<|#|alias|case|xtrace|verbose|\bset\s+-\w*[xv]/;
const OPEN_END = /[\\|&;(){]$/;

/** May `text` carry the suffix? `flags` and `aliases` are those of the last report. */
export function eligible(text: string, last: { readonly flags: string; readonly aliases: boolean }): boolean {
  if (!PIPE.test(text) || REFUSED.test(text) || last.aliases || /[xv]/.test(last.flags)) return false;
  return !OPEN_END.test(text.trimEnd());
}

export const suffix = (variable: string): string => `\n\n${variable}=$?:\${PIPESTATUS[@]}\n`;

/** Status and PIPESTATUS out of the suffix' variable, or undefined when it was not set. */
export function readSuffix(value: string): { status: number; pipeStatus: number[] } | undefined {
  if (!/^\d+:[\d\s]*$/.test(value)) return undefined;
  const [status, rest] = value.split(':');
  const pipeStatus = (rest ?? '').split(/\s+/).filter(Boolean).map(Number);
  return { status: Number(status), pipeStatus: pipeStatus.length > 0 ? pipeStatus : [Number(status)] };
}
