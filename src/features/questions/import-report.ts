import { toStorable } from '../../formats/storable.ts'

/** Skipped entries that are named, and those whose reason is told, too; a file can have millions. */
const MOST_NAMED = 10_000
const MOST_DETAILS = 1_000

/** Where an entry stands in its file: the number of a row, which takes less memory than its name, or a name. */
type EntryPlace = number | string

/** What the file calls it is kept with the import's key. */
function nameOf(place: EntryPlace): string {
  return typeof place === 'number' ? `Row ${place}` : toStorable(place)
}

/** What an import tells of the entries of its file. */
export class ImportReport {
  inserted = 0
  skipped = 0
  readonly #named: EntryPlace[] = []
  readonly #details: string[] = []

  skip(place: EntryPlace, reason: string): void {
    this.skipped += 1
    if (this.#named.length < MOST_NAMED) this.#named.push(place)
    this.note(place, reason)
  }

  /** What is no question is named, and not counted. */
  note(place: EntryPlace, what: string): void {
    if (this.#details.length < MOST_DETAILS) this.#details.push(`${nameOf(place)}: ${toStorable(what)}`)
  }

  /** `entries` is what the format calls them, if that is known. */
  toAnswer(entries = '') {
    return {
      message: `Imported ${this.inserted} questions, skipped ${this.skipped} ${entries}`.trimEnd(),
      inserted: this.inserted,
      skipped: this.skipped,
      errors: this.skipped > 0 ? this.#named.map((place) => `${nameOf(place)}: skipped`) : null,
      details: this.#details.length > 0 ? this.#details : null,
    }
  }
}
