/**
 * Letters of other scripts and signs that are drawn like ASCII (after Unicode TR 39, those that common fonts cannot
 * tell apart). Dashes, quotes and compatibility forms (full-width, mathematical, ligatures) are found by their class.
 */
const DRAWN_LIKE_ASCII = new Set([
  // Cyrillic
  ...'авеѕіјһԁԛԝмноОорРсСтТуУхХАВЕЅІЈКМНԌԚԜӀӏүҮѵѴпьЬЗҺ',
  // Greek
  ...'ΑΒΕΖΗΙΚΜΝΟοΡρΤΥυΧνιϲϹϳͿ',
  // Armenian, Cherokee, Coptic, and Latin letters that imitate others
  ...'օսոհցքզՕՍԼᎪᏴᏟᎠᎬᏀᎻᎥᎫᏦᏞᎷᏢᎡᏚᎢᏙᎳᏃⲟⲣⲥⲭɡɑᴀʙᴄᴅᴇɢʜɪᴊᴋʟᴍɴᴏᴘʀꜱᴛᴜᴠᴡʏᴢ',
  // Signs that pass for those a shell acts on: dashes, slashes, bars, stars, brackets, dots, equals
  ...'−⁃˗╴─━⎯➖∕⁄⧸╱∖⧵╲∗⁎٭⋆✱∣❘ǀ│┃¦‖∥;∶ː꞉˸׃։∼˜⁓٪˂˃〈〉⟨⟩❬❭❮❯❰❱ᐸᐳ❴❵❨❩❪❫❲❳˳ˍ♯ǃˆ˄¸٫゠꓿═',
  // and quotes that are marks or letters
  ...'‚‛′‵ʹʻʼˈˊˋ´΄՚׳ꞌ„‟″‶ʺ״❛❜❝❞〝〞',
]);

/** Every dash, hyphen, opening and closing quote there is. */
const DASH_OR_QUOTE = /^[\p{Pd}\p{Pi}\p{Pf}]$/u;
/** Raised letters and figures are written on purpose: `m²`, `nº`. */
const RAISED = /[ªº¹²³™]/;

const WRITTEN_WITH_ASCII = /[A-Za-z0-9$/\\=~.:|<>&;-]/;
/** Scripts without spaces between words: full-width signs are their ordinary punctuation. */
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u;
const isAscii = (text: string) => /^[!-~]+$/.test(text);

/** Is it drawn like one or several characters of ASCII that it is not? */
export function imitatesAscii(character: string): boolean {
  if (isAscii(character) || RAISED.test(character)) return false;
  return [character, character.normalize('NFKC')].some(
    form => DRAWN_LIKE_ASCII.has(form) || DASH_OR_QUOTE.test(form) || (form !== character && isAscii(form)),
  );
}

/**
 * Do the look-alikes of a word count? In a word with ASCII letters each does; in a word made of nothing but look-alikes
 * all do; in a word of another script with letters of its own (`Привет`) they are writing.
 */
export function imitationsCount(word: string, imitates: (character: string) => boolean): boolean {
  if (WRITTEN_WITH_ASCII.test(word) && !UNSPACED.test(word)) return true;
  for (const character of word) if (!imitates(character) && !isAscii(character)) return false;
  return true;
}
