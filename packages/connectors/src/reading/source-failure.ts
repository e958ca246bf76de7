/**
 * A source that cannot be read, by a fixed category.
 *
 * Decides: how a feed says so: the importer reports the category beside the path and goes on with
 * the next source. Never in the message: a path or anything that a person wrote.
 */
export class SourceFailure extends Error {
  override readonly name = 'SourceFailure';
  readonly category: string;

  constructor(category: string) {
    super(`this source cannot be read: ${category}`);
    this.category = category;
  }
}
