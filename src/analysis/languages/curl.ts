import { posix } from 'node:path';
import type { Word } from '../../contract/analysis.js';
import type { Parsed } from '../specs/evaluate.js';
import { filePathOf, hostOf } from '../specs/hosts.js';
import { isKnown, leadOf } from '../specs/paths.js';
import type { ReadingBuilder } from '../specs/reading-builder.js';
import { part } from './placeholder.js';

/** Signs of the patterns that curl makes several URLs of. */
const SEVERAL = /[[\]{}]/;

/** curl: URLs, what it sends and the names it saves under. */
export function curl(parsed: Parsed): void {
  const { into } = parsed;
  const urls = [...parsed.operands, ...parsed.values('--url')];
  if (urls.length > 0 || parsed.has('-K')) into.tag('download');
  for (const operand of urls) url(parsed, operand);
  if (parsed.values('--url').some(word => leadOf(word).startsWith('@')))
    into.ask('url-file', 'curl --url: reads its URLs from a file');
  saves(parsed, urls);
  for (const format of parsed.values('-w')) {
    if (!isKnown(format) || format.text.includes('%output')) into.ask('write-out', 'curl -w: it may write a file');
    else if (format.text.startsWith('@')) into.read({ text: format.text.slice(1) });
  }
  for (const header of parsed.values('-H'))
    if (leadOf(header).startsWith('@')) into.read(part(header, leadOf(header).slice(1)), { detail: '-H' });
  for (const cookie of parsed.values('-b')) if (!leadOf(cookie).includes('=')) into.read(cookie, { detail: '-b' });
  for (const data of [...parsed.values('-F'), ...parsed.values('--data-urlencode', '--url-query')]) sent(into, data);
}

function url({ into, has, values }: Parsed, word: Word): void {
  const lead = leadOf(word);
  const host = hostOf(word);
  if (host) {
    if (isKnown(host) && SEVERAL.test(host.text)) into.network(undefined, lead);
    else into.network(host);
    return;
  }
  const path = withoutPattern(filePathOf(word)!, has('-g'));
  // Behind a question mark or a number sign a name ends for curl.
  for (const name of isKnown(path) ? [path, { text: path.text.replace(/[?#].*$/s, '') }] : [path]) {
    into.read(name, { detail: 'file: URL' });
    if (has('-T')) into.write(name, { detail: '-T' });
  }
  if (isKnown(path) && path.text.endsWith('/'))
    for (const file of values('-T')) into.write({ text: path.text + posix.basename(leadOf(file)) }, { detail: '-T' });
}

function withoutPattern(path: Word, isPlain: boolean): Word {
  const at = isPlain ? -1 : leadOf(path).search(SEVERAL);
  return at < 0 ? path : { opaque: 'glob', lead: leadOf(path).slice(0, at) };
}

/** Names that are made of URLs, and places that are made on the way. */
function saves({ into, has, values }: Parsed, urls: readonly Word[]): void {
  const [directory] = values('--output-dir');
  const write = (place: Word): void => {
    if (has('--create-dirs')) into.make(place, { detail: 'saved' });
    else into.write(place, { detail: 'saved' });
    // What is there already stays, and a number is put behind the name.
    if (has('--no-clobber')) into.write({ opaque: 'glob', lead: leadOf(place) }, { detail: '--no-clobber' });
  };
  if (directory) into.make(directory, { tree: true });
  if (has('-O', '-J', '--remote-name-all')) for (const word of urls) write(remoteName(word));
  for (const output of values('-o')) {
    // `#1` stands for what a pattern of the URL met.
    const at = leadOf(output).search(/#\d/);
    const name: Word = at < 0 ? output : { opaque: 'glob', lead: leadOf(output).slice(0, at) };
    const places = directory && isKnown(directory) ? [name, part(name, `${directory.text}/${leadOf(name)}`)] : [name];
    for (const place of places) write(place);
  }
}

const remoteName = (word: Word): Word => {
  const name = isKnown(word) ? posix.basename(word.text.replace(/[?#].*$/, '').replace(/^[a-z]+:\/\/[^/]*/i, '')) : '';
  return name === '' || SEVERAL.test(name) ? { opaque: 'glob', lead: './' } : { text: name };
};

/** `name=@file`, `name=<file` and `name@file` send the content of a file. */
function sent(into: ReadingBuilder, data: Word): void {
  into.tag('upload');
  const file = /^[^=]*=?[@<]"?([^;"]*)/s.exec(leadOf(data)) ?? /;\s*(?:headers|encoder)=@([^;]*)/.exec(leadOf(data));
  if (!isKnown(data) && !leadOf(data).includes('=')) into.ask('opaque-data', 'curl: the data is not known and may name a file');
  if (!file || file[1] === '-') return;
  for (const name of file[1]!.split(',')) into.read(part(data, name), { detail: 'sent' });
  into.effect('disclosure', 'sends a file', data);
}
