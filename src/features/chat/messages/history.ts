import type { MessageChange } from '../../../bus/events.ts'
import type { Core } from '../../../core.ts'
import { batched } from '../../../db/batches.ts'
import { perNode } from '../../../per-node.ts'
import { listStandings, type StandingQuery } from '../following/store.ts'
import { listChanges, type MessageRow, type Span } from './store.ts'
import { toChange, toSharedMessage } from './wire.ts'

/** Messages in an answer to `changes`; a client that has missed more reads the conversation anew. */
const CHANGES_LIMIT = 500

/** Reads that share one statement. */
const AT_ONCE = 250
/** Up to this many changes are read together with other conversations'; more are read by a statement of their own. */
const FEW_CHANGES = 50

export interface History {
  /** Where a reader of `changes` stands afterwards. */
  version: number
  /** The newest version of the conversation: the same, unless there is more to read. */
  newest: number
  /** Those of the people asked about who are members as of the newest version here, or later. */
  memberIds: Set<number>
  /** Whether the members or the name changed meanwhile. */
  membersChanged: boolean
  changes: MessageChange[]
  hasMore: boolean
}

/** The history of a conversation that is gone. */
const NOTHING = { memberIds: new Set<number>(), membersChanged: false, changes: [], hasMore: false }

/**
 * The changes of a conversation after the version `since`, and which of these people may see them; without `since`
 * only its current version. The changes are never newer than the membership in the same answer, so somebody who was
 * removed can't read on.
 */
export async function readHistory(
  core: Core,
  conversationId: number,
  since: number | undefined,
  userIds: number[],
): Promise<History> {
  const standing = await standingsShared(core)({ conversationId, userIds })
  if (!standing) return { ...NOTHING, version: since ?? 0, newest: since ?? 0 }
  const { version, membersVersion, memberIds } = standing
  const from = since ?? version
  const all = from < version ? await readChanges(core, { conversationId, since: from, until: version }) : []
  const changes = all.slice(0, CHANGES_LIMIT)
  const hasMore = all.length > CHANGES_LIMIT
  return {
    newest: version,
    version: hasMore ? (changes.at(-1)?.version ?? from) : Math.max(from, version),
    memberIds: new Set(memberIds),
    membersChanged: from < membersVersion,
    changes,
    hasMore,
  }
}

const standingsShared = perNode((core) =>
  batched({
    lanes: 2,
    size: AT_ONCE,
    key: ({ conversationId }: StandingQuery) => conversationId,
    run: (asked) => listStandings(core.db, asked),
  }),
)

/** The first changes of a span; readers who have missed the same share them. */
const changesShared = perNode((core) =>
  batched({
    lanes: 2,
    size: AT_ONCE,
    key: ({ conversationId }: Span) => conversationId,
    async run(asked): Promise<MessageChange[][]> {
      const spans = new Map(asked.map((span) => [name(span), span]))
      const rows = await listChanges(core.db, [...spans.values()], FEW_CHANGES + 1)
      const changes = new Map(
        [...spans.keys()].map((each, index) => [each, (rows[index] ?? []).map(readChange)]),
      )
      return asked.map((span) => changes.get(name(span)) ?? [])
    },
  }),
)

/** One more than the limit if there are so many. */
async function readChanges(core: Core, span: Span): Promise<MessageChange[]> {
  const first = await changesShared(core)(span)
  if (first.length <= FEW_CHANGES) return first
  const [rows = []] = await listChanges(core.db, [span], CHANGES_LIMIT + 1)
  return rows.map(readChange)
}

function readChange(row: MessageRow): MessageChange {
  return toChange(toSharedMessage(row))
}

function name({ conversationId, since, until }: Span): string {
  return `${conversationId} ${since} ${until}`
}
