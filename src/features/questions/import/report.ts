/** Skipped entries whose reason is told; a file can have millions. */
const MOST_DETAILS = 1_000

/** What an import tells of the entries of its file. */
export class ImportReport {
  inserted = 0
  readonly #errors: string[] = []
  readonly #details: string[] = []

  get skipped(): number {
    return this.#errors.length
  }

  /** `label` is the entry's place in the file: `Row 2`. */
  skip(label: string, reason: string): void {
    this.#errors.push(`${label}: skipped`)
    if (this.#details.length < MOST_DETAILS) this.#details.push(`${label}: ${reason}`)
  }

  /** `entries` is what the format calls them, if that is known. */
  toAnswer(entries = '') {
    return {
      message: `Imported ${this.inserted} questions, skipped ${this.skipped} ${entries}`.trimEnd(),
      inserted: this.inserted,
      skipped: this.skipped,
      errors: this.skipped > 0 ? this.#errors : null,
      details: this.skipped > 0 ? this.#details : null,
    }
  }
}
