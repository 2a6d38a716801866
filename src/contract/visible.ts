/**
 * A text that may come from anybody, for a line on a person's screen: what would move a cursor, begin a line or turn the
 * text around is shown as `<U+202E>`. Look-alikes stay: for a text that somebody decides about there is the display form.
 */
export function visible(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu, character => {
    return `<U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}>`;
  });
}
