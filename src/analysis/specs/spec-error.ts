/** A `.spec` file that cannot be understood; the message starts with `file:line`. */
export class SpecError extends Error {
  readonly place: string;

  constructor(place: string, problem: string) {
    super(`${place}: ${problem}`);
    this.name = 'SpecError';
    this.place = place;
  }
}
