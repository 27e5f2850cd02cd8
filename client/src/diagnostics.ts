export interface Noted {
  /** Milliseconds since the epoch. */
  at: number
  what: string
  /** A code, a count or an id; never a token or a text that somebody wrote. */
  detail?: number | string | undefined
}

export type Note = (what: string, detail?: number | string) => void

const MOST_ENTRIES = 200

/** The latest events, for a report of an error. */
export class Diagnostics {
  readonly #now: () => number
  #entries: Noted[] = []

  constructor(now: () => number) {
    this.#now = now
  }

  readonly note: Note = (what, detail) => {
    this.#entries.push({ at: this.#now(), what, detail })
    if (this.#entries.length > MOST_ENTRIES) this.#entries.shift()
  }

  /** Oldest first. */
  entries(): readonly Noted[] {
    return [...this.#entries]
  }
}
