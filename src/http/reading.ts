import { perNode } from '../per-node.ts'
import { Slices } from '../scheduling/slices.ts'

/** Longest text of a client, in bytes or characters, that is parsed at once. Hardly anything is longer. */
export const SHORT_TEXT = 4 * 1024
/** Most longer texts that may wait. */
const MOST_WAITING = 2_000

/** Parsing and checking a long text blocks the process, so people's bodies and frames take turns. */
export const longTexts = perNode(() => new Slices(MOST_WAITING))
