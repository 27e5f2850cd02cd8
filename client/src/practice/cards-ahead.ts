import { atom, computed, type ReadableAtom } from 'nanostores'
import type { paths } from '../generated/openapi.ts'
import type { Client } from '../index.ts'
import { cachesOf, type Owner } from '../session/session.ts'
import { Refused } from '../socket/errors.ts'
import type { GivenReview } from './given-reviews.ts'

type Next = paths['/api/v01/practice/next']['get']['responses'][200]['content']['application/json']
export type NextCard = Next['cards'][number]

/** What cards are asked of; all of it left out: everything. */
export interface Wanted {
  examId?: number | undefined
  tag?: string | undefined
  /** Of these questions alone. */
  questionIds?: readonly number[] | undefined
}

const MOST = 200
const PAGE = 50
/** With fewer left, more are fetched if there are more. */
const FEW = 10

interface FetchedCards {
  cards: readonly NextCard[]
  /** The reviews that the service had or had refused by then. */
  known: ReadonlySet<string>
  isAll: boolean
}

const keyOf = (owner: Owner) => `${cachesOf(owner)}cards`

/**
 * Cards that are asked next. All of a person are stored, so that one can go on without the service, also after a
 * restart.
 */
export class CardsAhead {
  /** The first one is to be asked now. A review takes its card away, and taking it back brings the card again. */
  readonly $cards: ReadableAtom<readonly NextCard[]>
  readonly #fetched = atom<FetchedCards>({ cards: [], known: new Set(), isAll: true })
  readonly #client: Client
  readonly #owner: Owner
  readonly #wanted: Wanted
  readonly #$reviews: ReadableAtom<readonly GivenReview[]>
  readonly #stops: (() => void)[]
  #fetching: Promise<void> | undefined

  constructor(client: Client, owner: Owner, $reviews: ReadableAtom<readonly GivenReview[]>, wanted: Wanted) {
    this.#client = client
    this.#owner = owner
    this.#wanted = wanted
    this.#$reviews = $reviews
    this.$cards = computed([this.#fetched, $reviews], ({ cards, known }, reviews) => {
      const answered = new Set(reviews.map(({ id, review }) => !known.has(id) && review.question_id))
      return cards.filter(({ card }) => !answered.has(card.question_id))
    })
    this.#stops = [
      client.platform.atEnd(() => this.close()),
      $reviews.listen(() => this.#topUp()),
      client.live.listen(({ type }) => {
        if (type === 'ready') void this.refresh().catch(() => {})
      }),
    ]
    void this.#restore()
  }

  /** Fetches what is to be asked now; what is shown stays meanwhile. Throws `Refused`, and `Unreachable`. */
  refresh(): Promise<void> {
    this.#fetching ??= this.#fetch()
      .then(() => this.#topUp())
      .finally(() => {
        this.#fetching = undefined
      })
    return this.#fetching
  }

  close(): void {
    for (const stop of this.#stops) stop()
  }

  async #fetch(): Promise<void> {
    const { examId: exam_id, tag } = this.#wanted
    const known = new Set(this.#settled())
    const cards = new Map<number, NextCard>()
    let isAll = false
    for (let offset = 0; offset < MOST && !isAll; offset += PAGE) {
      const { data, error } = await this.#client.GET('/api/v01/practice/next', {
        params: { query: { limit: PAGE, offset, ...(exam_id && { exam_id }), ...(tag && { tag }) } },
        fetch: (request) => this.#client.fetch(request, this.#owner),
      })
      if (error) throw new Refused(error)
      for (const each of data.cards) cards.set(each.card.question_id, each)
      isAll = offset + PAGE >= data.due + data.new
    }
    const all = [...cards.values()]
    if (Object.values(this.#wanted).every((each) => each === undefined))
      await this.#client.storage.set(keyOf(this.#owner), all).catch(() => {})
    const { questionIds } = this.#wanted
    const isAsked = ({ card }: NextCard) => questionIds?.includes(card.question_id) !== false
    this.#fetched.set({ cards: all.filter(isAsked), known, isAll })
  }

  async #restore(): Promise<void> {
    const stored = (await this.#client.storage.get(keyOf(this.#owner)).catch(() => undefined)) as
      | NextCard[]
      | undefined
    const fetched = this.#fetched.get()
    if (stored && fetched.cards.length === 0)
      this.#fetched.set({ ...fetched, cards: stored.filter((each) => this.#isWanted(each)) })
  }

  #isWanted({ card }: NextCard): boolean {
    const { examId = card.exam_id, tag, questionIds } = this.#wanted
    return (
      card.exam_id === examId &&
      (tag === undefined || card.tags.some((each) => each.toLowerCase() === tag.toLowerCase())) &&
      questionIds?.includes(card.question_id) !== false
    )
  }

  /** Once the last cards are answered there may be others. */
  #topUp(): void {
    const { known, isAll } = this.#fetched.get()
    const left = this.$cards.get().length
    const isNew = this.#settled().some((id) => !known.has(id))
    if (isNew && (left === 0 || (left < FEW && !isAll))) void this.refresh().catch(() => {})
  }

  #settled(): string[] {
    return this.#$reviews.get().flatMap(({ id, state }) => (state === 'sent' || state === 'failed' ? id : []))
  }
}

/** After a restart a card that was answered isn't asked again, even if the service can't be reached then. */
export function forgetCard({ storage }: Client, owner: Owner, questionId: number): Promise<void> {
  return storage
    .update(keyOf(owner), (stored) =>
      (stored as NextCard[] | undefined)?.filter(({ card }) => card.question_id !== questionId),
    )
    .catch(() => {})
}
