export interface PlacesOptions {
  /** How many there are. Left out: any number. */
  places?: number
  /** How many of them one name may have. Left out: all of them. */
  each?: number
}

/** Places for what runs at once, by the names of those for whom it runs. */
export class Places {
  readonly #places: number
  readonly #each: number
  #taken = 0
  readonly #takenBy = new Map<string, number>()

  constructor({ places = Number.POSITIVE_INFINITY, each = places }: PlacesOptions) {
    this.#places = places
    this.#each = each
  }

  isFree(name: string): boolean {
    return this.#taken < this.#places && (this.#takenBy.get(name) ?? 0) < this.#each
  }

  take(name: string): void {
    this.#taken += 1
    this.#takenBy.set(name, (this.#takenBy.get(name) ?? 0) + 1)
  }

  leave(name: string): void {
    this.#taken -= 1
    const left = (this.#takenBy.get(name) ?? 0) - 1
    if (left > 0) this.#takenBy.set(name, left)
    else this.#takenBy.delete(name)
  }
}
