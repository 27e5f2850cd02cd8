import { computed, type ReadableAtom } from 'nanostores'
import type { Client } from '../index.ts'
import { Outbox, type OutboxEntry } from '../outbox/outbox.ts'
import type { Owner } from '../session/session.ts'
import type { StorageState } from '../storage/storage.ts'
import { CardsAhead, forgetCard, type Wanted } from './cards-ahead.ts'
import type { GivenReview, NewReview, ReviewResult } from './given-reviews.ts'

export type { SendState } from '../outbox/outbox.ts'
export type { CardsAhead, NextCard, Wanted } from './cards-ahead.ts'
export type { GivenReview, NewReview, ReviewResult } from './given-reviews.ts'

export type Step = { review: NewReview } | { undo: string }

/** Practice of the signed-in person, with the reviews that are stored; throws if there is none. It is theirs alone: close it when they sign out. */
export async function practice(client: Client): Promise<Practice> {
  await client.session.ready
  const owner = client.session.owner()
  if (!owner) throw new Error('Nobody is signed in')
  const practised = new Practice(client, owner)
  await practised.ready
  return practised
}

/** Reviews, from all tabs: stored before they are sent, and sent once each, as soon as the service can be reached. */
export class Practice {
  /** Those that are not sent yet, and those of this page, in the order in which they were given. */
  readonly $reviews: ReadableAtom<readonly GivenReview[]>
  readonly #client: Client
  readonly #owner: Owner
  readonly #outbox: Outbox<Step>
  /** The reviews that are stored have been read: their cards aren't asked again. */
  readonly ready: Promise<void>
  readonly #stops: (() => void)[]
  #answeredAt = 0

  constructor(client: Client, owner: Owner) {
    this.#client = client
    this.#owner = owner
    this.#outbox = new Outbox<Step>(client, owner, {
      name: 'reviews',
      // A review is taken back after it was sent.
      lane: () => '',
      refusals: ['not_newest'],
      isAnswer: (answer) => 'results' in answer || 'card' in answer,
      change: (step, id) =>
        'undo' in step
          ? { method: 'POST', path: 'practice/reviews/undo', body: { client_id: step.undo } }
          : {
              method: 'POST',
              path: 'practice/reviews',
              body: { reviews: [{ ...step.review, client_id: id }] },
            },
      // Results are shown as long as the page is open.
      isSettled: () => false,
      // A card that was answered in another tab stays answered.
      whenKnown: () => new Promise(() => {}),
    })
    this.ready = this.#outbox.ready
    this.$reviews = computed(this.#outbox.$entries, listGiven)
    this.#stops = [
      client.live.listen(({ type }) => {
        if (type === 'ready') this.#outbox.flush()
      }),
      client.platform.atEnd(() => this.close()),
    ]
  }

  /** Up to 200 cards that are to be asked next, fetched ahead. To be closed. */
  cards(wanted: Wanted = {}): CardsAhead {
    return new CardsAhead(this.#client, this.#owner, this.$reviews, wanted)
  }

  /**
   * Resolves once it is decided where the review is: `durable` on this machine, or only in this page until it is sent.
   */
  async review(review: NewReview): Promise<{ id: string; storage: StorageState }> {
    const answered_at = await this.#timeOfAnswer()
    const added = await this.#outbox.add({ review: { answered_at, ...review } })
    void forgetCard(this.#client, this.#owner, review.question_id)
    return added
  }

  /** By the service's clock, and after all that wait to be sent, whatever happened to this machine's clock. */
  async #timeOfAnswer(): Promise<string> {
    await this.#client.clock.ready
    const given = this.$reviews.get().map(({ review }) => Date.parse(review.answered_at ?? '') || 0)
    this.#answeredAt = Math.max(this.#client.clock.now(), ...[...given, this.#answeredAt].map((at) => at + 1))
    return new Date(this.#answeredAt).toISOString()
  }

  /** Takes a review back, the newest one of its card. What was sent is undone there, also later. */
  async undo(id: string): Promise<void> {
    await this.#outbox.add({ undo: id })
  }

  /** Removes a review that failed. */
  async discard(id: string): Promise<void> {
    await this.#outbox.discard(id)
  }

  close(): void {
    for (const stop of this.#stops) stop()
    this.#outbox.close()
  }
}

function listGiven(entries: readonly OutboxEntry<Step>[]): GivenReview[] {
  const undone = new Set(entries.map(({ item, state }) => 'undo' in item && state !== 'failed' && item.undo))
  return entries.flatMap(({ id, item, state, error, fault, answer }) => {
    if ('undo' in item || undone.has(id)) return []
    const [result] = (answer as { results: ReviewResult[] } | undefined)?.results ?? []
    return { id, review: item.review, state, error, fault, result }
  })
}
