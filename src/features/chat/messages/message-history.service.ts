import type { MessageChange } from '../../../bus/events.ts'
import type { Core } from '../../../core.ts'
import { batched } from '../../../db/batches.ts'
import { perNode } from '../../../per-node.ts'
import { listVersions, type VersionQuery } from '../conversations/memberships.store.ts'
import { toChange } from './message-mapping.ts'
import { listChanges, type VersionRange } from './messages.store.ts'

/** Most messages in an answer to `changes`; a client that has missed more reads the conversation again. */
const CHANGES_LIMIT = 500

/** Most reads that share one statement. */
const AT_ONCE = 250
/** Up to this many changes are read together with those of other conversations; more take a statement of their own. */
const FEW_CHANGES = 50

export interface History {
  /** The version that the reader has after these changes. */
  version: number
  /** The newest version of the conversation: higher than `version` if there is more to read. */
  newest: number
  /** Those of the given people who are members, at the newest version or later. */
  memberIds: Set<number>
  /** Whether the members or the name changed after `since`. */
  membersChanged: boolean
  changes: MessageChange[]
  hasMore: boolean
}

/** The history of a deleted conversation. */
const NOTHING = { memberIds: new Set<number>(), membersChanged: false, changes: [], hasMore: false }

/**
 * The changes of a conversation after the version `since`, and which of these people may see them. Without `since` it
 * answers the current version and no changes. The changes are never newer than the membership in the same answer, so
 * a removed member gets nothing that came later.
 */
export async function readHistory(
  core: Core,
  conversationId: number,
  since: number | undefined,
  userIds: number[],
): Promise<History> {
  const current = await versionsShared(core)({ conversationId, userIds })
  if (!current) return { ...NOTHING, version: since ?? 0, newest: since ?? 0 }
  const { version, membersVersion, memberIds } = current
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

const versionsShared = perNode((core) =>
  batched({
    lanes: 1,
    size: AT_ONCE,
    gatherMs: core.gate.gatherMs,
    key: ({ conversationId }: VersionQuery) => conversationId,
    run: (asked) => listVersions(core.db, asked),
  }),
)

/** The first changes of a span; readers of the same span share them. */
const changesShared = perNode((core) =>
  batched({
    lanes: 1,
    size: AT_ONCE,
    gatherMs: core.gate.gatherMs,
    key: ({ conversationId }: VersionRange) => conversationId,
    async run(asked): Promise<MessageChange[][]> {
      const spans = new Map(asked.map((span) => [nameRange(span), span]))
      const rows = await listChanges(core.db, [...spans.values()], FEW_CHANGES + 1)
      const changes = new Map(
        [...spans.keys()].map((each, index) => [each, (rows[index] ?? []).map((row) => toChange(core, row))]),
      )
      return asked.map((span) => changes.get(nameRange(span)) ?? [])
    },
  }),
)

/** At most one more than the limit, which shows that there is more. */
async function readChanges(core: Core, span: VersionRange): Promise<MessageChange[]> {
  const first = await changesShared(core)(span)
  if (first.length <= FEW_CHANGES) return first
  const [rows = []] = await listChanges(core.db, [span], CHANGES_LIMIT + 1)
  return rows.map((row) => toChange(core, row))
}

function nameRange({ conversationId, since, until }: VersionRange): string {
  return `${conversationId} ${since} ${until}`
}
