import { test } from 'vitest'
import { ChatWalk } from './simulation/chat-walk.ts'
import { takeWalks } from './simulation/walks.ts'

const FAILED = [
  12, 19, 21, 38, 43, 72, 87, 95, 190, 256, 280, 404, 535, 641, 860, 923, 1063, 40049, 60060, 600341, 600422,
  600533, 600802, 700374,
]

test(
  'whatever happens on the way, no message is lost, stored twice or under the wrong name, and rooms end right',
  { timeout: 3_600_000, meta: { costly: 'takes many random walks' } },
  () => takeWalks((seed) => new ChatWalk(seed), FAILED),
)
