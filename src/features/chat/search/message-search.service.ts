import type { FoundMessage, SearchQuery } from '../../../../schemas/chat.schemas.ts'
import { MAX_INT } from '../../../../schemas/common.ts'
import type { Core } from '../../../core.ts'
import type { Executor } from '../../../db/database-client.ts'
import { AppError } from '../../../errors.ts'
import {
  findWords,
  type Range,
  type SearchWords,
  searchKeysOf,
  searchWordsOf,
} from '../../../formats/words.ts'
import type { Asker } from '../../../scheduling/fair-queue.ts'
import { toMessage } from '../messages/message-mapping.ts'
import * as store from './message-search.store.ts'
import { inConversation, senderKey } from './message-words.service.ts'

const DEFAULT_PAGE = 20
const LARGEST_PAGE = 50

/** About how many of the newest messages are looked through first, and by how much the next span of ids is longer. */
const FIRST_LOOK = 256
const GROWTH = 4
/** How many messages a look goes through before it ends: a short one almost always ends at once. */
const SHORT_LOOK = 64
const LONG_LOOK = 5_000
/** Words that a short look finds this often are found sooner by a long one than in the index. */
const OFTEN = 5
/** Words that more messages have than this are not looked up before a long look. */
const FEW = 4_000
/** Messages that the index has not followed yet and that are read at once. */
const UNINDEXED_PAGE = 500

/**
 * Messages with all of these words, newest first, of conversations that one is in; without those of people whom one has
 * blocked. 404 for a conversation of others. Ends when `end` aborts.
 */
export async function searchMessages(
  core: Core,
  userId: number,
  { q, conversation_id, from_user_id, before = MAX_INT, limit = DEFAULT_PAGE }: SearchQuery,
  asker: Asker,
  end: AbortSignal,
): Promise<{ messages: FoundMessage[]; has_more: boolean }> {
  const wanted = searchWordsOf(q)
  const size = Math.min(limit, LARGEST_PAGE)
  return core.db.transaction(async (tx) => {
    await store.beginSearch(tx)
    const [searched, newest] = await Promise.all([
      store.listSearched(tx, userId, conversation_id),
      store.findNewestId(tx),
    ])
    if (conversation_id !== undefined && searched.length === 0) throw new AppError('not_found')
    if (wanted.length === 0) return { messages: [], has_more: false }
    const search: store.MessageSearch = {
      readerId: userId,
      fromId: from_user_id,
      before: Math.min(before, newest + 1),
      searched,
      words: toQuery(wanted, from_user_id),
    }
    const find = finder(core, wanted, asker, end)
    const unindexed = (older: store.MessageSearch) => store.listUnindexed(tx, older, UNINDEXED_PAGE)
    const indexed = (older: store.MessageSearch) => listNewestIndexed(tx, older, newest, size + 1)
    const found = [
      ...(await collectHits(find, search, size + 1, UNINDEXED_PAGE, unindexed)),
      ...(await collectHits(find, search, size + 1, size + 1, indexed)),
    ].sort((one, other) => other.row.id - one.row.id)
    return {
      messages: found.slice(0, size).map(({ row, matches }) => ({
        ...toMessage(core, row, userId),
        conversation_id: row.conversationId,
        conversation_name: row.conversationName,
        matches,
      })),
      has_more: found.length > size,
    }
  })
}

interface MessageHit {
  row: store.FoundMessageRow
  matches: Range[]
}

type Find = (row: store.FoundMessageRow) => Promise<Range[] | undefined>

/** Looks for words in one message after another: other work comes in between, and once nobody waits it stops. */
function finder(core: Core, wanted: SearchWords, asker: Asker, end: AbortSignal): Find {
  return ({ message, attachments }) => {
    if (end.aborted) throw end.reason instanceof AppError ? end.reason : new AppError('aborted')
    const names = (attachments ?? []).map(({ name }) => name)
    return core.gate.block(asker, () => findWords(wanted, [message, ...names]))
  }
}

/** Reads older and older messages, in pages of a size, until enough of them have the words, or there are no more. */
async function collectHits(
  find: Find,
  search: store.MessageSearch,
  enough: number,
  page: number,
  read: (older: store.MessageSearch) => Promise<store.FoundMessageRow[]>,
): Promise<MessageHit[]> {
  const found: MessageHit[] = []
  for (let before = search.before; ; ) {
    const rows = await read({ ...search, before })
    for (const row of rows) {
      const matches = await find(row)
      if (matches) found.push({ row, matches })
      if (found.length === enough) return found
    }
    const last = rows.at(-1)
    if (!last || rows.length < page) return found
    before = last.id
  }
}

/**
 * The newest messages that have the words by the index. Words that many messages have are found among the newest ones,
 * words that few have by looking them up; so neither takes long.
 */
async function listNewestIndexed(
  tx: Executor,
  search: store.MessageSearch,
  newest: number,
  limit: number,
): Promise<store.FoundMessageRow[]> {
  const theirs = search.searched.reduce((sum, { lastSeq }) => sum + lastSeq, 0)
  let span = 1 + Math.floor((FIRST_LOOK * newest) / Math.max(theirs, 1))
  const ids: number[] = []
  const look = async (most: number) => {
    for (let seen = 0; seen < most && ids.length < limit && search.before > 0; span *= GROWTH) {
      const from = Math.max(search.before - span, 0)
      const looked = await store.lookThrough(tx, search, from)
      ids.push(...looked.ids)
      seen += looked.seen
      search = { ...search, before: from }
    }
    return ids.length >= limit || search.before === 0
  }
  const lookUp = async (most: number | null) => {
    const found = await store.lookUp(tx, search, { limit: limit - ids.length, most })
    if (found.count === most) return false
    ids.push(...found.ids)
    return true
  }
  const isDone =
    (await look(SHORT_LOOK)) || (ids.length < OFTEN && (await lookUp(FEW))) || (await look(LONG_LOOK))
  if (!isDone) await lookUp(null)
  return store.listByIds(tx, search.readerId, ids.slice(0, limit))
}

/** The text search query for the index: words are letters and digits, so nothing in them has to be escaped. */
function toQuery(wanted: SearchWords, fromId: number | undefined): string {
  const keys = searchKeysOf(wanted)
  if (fromId !== undefined) keys.push({ key: senderKey(fromId), isBeginning: false })
  return keys
    .map(({ key, isBeginning }) => `'${inConversation('#', key)}'${isBeginning ? ':*' : ''}`)
    .join(' & ')
}
