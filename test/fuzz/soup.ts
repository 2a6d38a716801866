import { LineGrammar, seeded } from './grammar.js';

/** Pieces of shell text, glued together without any grammar: what a parser does with them is the question. */
const PIECES: readonly string[] = [
  ...'; ;; ;& ;;& & && | || |& ( ) (( )) { } [ ] [[ ]] < > << <<- <<< >> >| <> &> >& <& <( >( $( $(( )) ` ${ } $[ # ! = + - * ? ~ , : @ ^ %'.split(
    ' ',
  ),
  ...['\n', '\n', ' ', ' ', ' ', ' ', '\t', '\\', '\\\n', '"', '"', "'", "'", "$'", '$"', '\r', '\u00a0', '\f', '\x01', '\u2028'],
  ...'if then elif else fi for in do done while until case esac select function time coproc'.split(' '),
  ...'x y x= y= $x $y ${x} "$x" $@ "$@" $# $? $1 x=evil y=show x+= x[0]= x=( ${x:- ${x# ${x/ ${!x} ${#x} EOF'.split(' '),
  ...'evil show pick evil show pick echo eval : true false set -- local export unset read f f() shift test let'.split(' '),
  ...'1 0 2> >f1 a b {a,b} {1..2} *.x \\; \\" \\` \\$ "a b" \'a b\' <<E \nE\n'.split(/ (?![b]['"])/),
];

/** Random text of up to a dozen pieces, or a line of the grammar with some pieces thrown in. */
export class Soup {
  readonly #random: () => number;
  readonly #grammar: LineGrammar;

  constructor(seed: number) {
    this.#random = seeded(seed);
    this.#grammar = new LineGrammar(seed);
  }

  line(): string {
    return this.#random() < 0.3 ? this.#soup() : this.#spiced();
  }

  #soup(): string {
    const count = 2 + this.#below(12);
    let text = '';
    for (let at = 0; at < count; at += 1) text += this.#piece() + (this.#random() < 0.45 ? ' ' : '');
    return text;
  }

  #spiced(): string {
    let text = this.#grammar.line();
    for (let left = 1 + this.#below(3); left > 0; left -= 1) {
      const at = this.#below(text.length + 1);
      const cut = this.#random() < 0.5 ? 0 : this.#below(4);
      text = text.slice(0, at) + (this.#random() < 0.2 ? '' : this.#piece()) + text.slice(at + cut);
    }
    return text;
  }

  #piece(): string {
    return PIECES[this.#below(PIECES.length)]!;
  }

  #below(bound: number): number {
    return Math.floor(this.#random() * bound);
  }
}
