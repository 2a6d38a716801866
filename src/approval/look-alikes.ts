/**
 * Letters of other scripts and signs that are drawn like ASCII (after Unicode TR 39, those that common fonts cannot
 * tell apart). Full-width and mathematical forms are found by normalisation instead.
 */
const DRAWN_LIKE_ASCII = new Set([
  // Cyrillic
  ...'авеѕіјһԁԛԝмноОорРсСтТуУхХАВЕЅІЈКМНԌԚԜӀӏүҮѵѴпьЬЗҺ',
  // Greek
  ...'ΑΒΕΖΗΙΚΜΝΟοΡρΤΥυΧνιϲϹϳͿ',
  // Armenian, Cherokee, Lisu, Coptic, and Latin letters that imitate others
  ...'օսոհցքզՕՍԼᎪᏴᏟᎠᎬᏀᎻᎥᎫᏦᏞᎷᏢᎡᏚᎢᏙᎳᏃⲟⲣⲥⲭɡɑᴀʙᴄᴅᴇɢʜɪᴊᴋʟᴍɴᴏᴘʀꜱᴛᴜᴠᴡʏᴢ',
  // Signs that pass for those a shell acts on: quotes, hyphens, slashes, bars, stars, brackets
  ...'‐‑‒−⁃˗∕⁄⧸╱∖⧵╲‚‘’‛′‵ʹʻʼˈ“”„‟″‶ʺ‹›〈〉❮❯⟨⟩˂˃∗⁎٭⋆∣❘ǀ│¦‖∥;∶ː∼˜⁓٪❴❵❨❩',
]);

const WRITTEN_WITH_ASCII = /[A-Za-z0-9$/\\=~.:|<>&;-]/;
/** Scripts without spaces between words: full-width signs are their ordinary punctuation. */
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u;
const isAscii = (character: string) => /^[!-~]$/.test(character);

/** Is it drawn like a character of ASCII that it is not? */
export function imitatesAscii(character: string): boolean {
  if (isAscii(character) || /[ªº¹²³]/.test(character)) return false;
  return DRAWN_LIKE_ASCII.has(character) || isAscii(character.normalize('NFKC'));
}

/**
 * Do the look-alikes of a word count? In a word with ASCII letters each does; in a word made of nothing but look-alikes
 * all do; in a word of another script with letters of its own (`Привет`) they are writing.
 */
export function imitationsCount(word: string, imitates: (character: string) => boolean): boolean {
  if (WRITTEN_WITH_ASCII.test(word) && !UNSPACED.test(word)) return true;
  for (const character of word) if (!isAscii(character) && !imitates(character)) return false;
  return true;
}
