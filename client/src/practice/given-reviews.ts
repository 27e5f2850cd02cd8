import type { paths } from '../generated/openapi.ts'
import type { SendState } from '../outbox/outbox.ts'

type Reviews = paths['/api/v01/practice/reviews']['post']
type Review = Reviews['requestBody']['content']['application/json']['reviews'][number]
export type ReviewResult = Reviews['responses'][200]['content']['application/json']['results'][number]

/** What somebody answered. `answered_at` is now if it is left out. */
export type NewReview = Omit<Review, 'client_id'>

/** A review that is not taken back. */
export interface GivenReview {
  /** Its `client_id`. */
  id: string
  review: NewReview
  state: SendState
  /** A code of the service: the review failed, and can be discarded. */
  error?: string | undefined
  /** Why it isn't sent yet: `unreachable`, a code of the service, or an error of the platform. */
  fault?: string | undefined
  /** Once it is sent: how it was judged, or why it can't be. */
  result?: ReviewResult | undefined
}
