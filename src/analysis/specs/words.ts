/**
 * Splits a plain command line into words: blanks, single and double quotes, backslashes. undefined when it holds
 * anything that needs a shell's or a variable's meaning. For `env -S`, `--filter` and examples; shell text goes to the walk.
 */
export function splitWords(text: string): string[] | undefined {
  const words: string[] = [];
  let word: string | undefined;
  for (let at = 0; at < text.length; at += 1) {
    const char = text[at]!;
    if (char === "'" || char === '"') {
      const end = closingQuote(text, at);
      if (end === undefined) return undefined;
      word = (word ?? '') + (char === '"' ? text.slice(at + 1, end).replace(/\\(["\\$`])/g, '$1') : text.slice(at + 1, end));
      at = end;
    } else if (char === '\\') {
      at += 1;
      if (at >= text.length) return undefined;
      word = (word ?? '') + text[at]!;
    } else if (/\s/.test(char)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else word = (word ?? '') + char;
  }
  if (word !== undefined) words.push(word);
  return words;
}

function closingQuote(text: string, at: number): number | undefined {
  const quote = text[at]!;
  for (let index = at + 1; index < text.length; index += 1) {
    if (quote === '"' && text[index] === '\\') index += 1;
    else if (text[index] === quote) return index;
  }
  return undefined;
}
