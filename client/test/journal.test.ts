import { describe, expect, test } from 'vitest'
import {
  begin,
  canWrite,
  type Effect,
  type Event,
  isDone,
  type Journal,
  type JournalRequest,
  type JournalState,
  openJournal,
  type Paper,
  type ReplyOutcome,
  step,
} from '../src/exam/journal.ts'

const PAPER = {
  success: true,
  attempt_id: 3,
  attempt_number: 1,
  questions: [],
  answers: { 1: 'A' },
  markedForReview: [],
  revision: 5,
  start_time: '',
  ends_at: '2026-11-20T10:00:00.000Z',
  server_time: '',
  messages: [],
  watch_page: false,
} as Paper

/** Takes events one after another; the effects of each. */
function run(state: JournalState, ...events: Event[]): { state: JournalState; effects: Effect[][] } {
  const effects = events.map((event) => {
    const [next, done] = step(state, event)
    state = next
    return done
  })
  return { state, effects }
}

const journal = (more: Partial<Journal> = {}): Journal => ({ ...openJournal(PAPER, 7), ...more })
const CLAIMED: Event = { is: 'claimed', stored: undefined, writer: 1 }
const answer = (questionId: number, given: string | null): Event => ({
  is: 'answer',
  questionId,
  answer: given,
})
const writer = (more?: Partial<Journal>) => run(begin(journal(more)), CLAIMED).state
const saved = (sent: JournalRequest): Event => ({
  is: 'answered',
  sent,
  outcome: { is: 'saved', revision: sent.revision, endsAt: PAPER.ends_at, rejected: null },
})

/** The request of the last effects. */
function sentIn(effects: Effect[][]): JournalRequest {
  const found = effects.at(-1)?.find((each) => 'sent' in each)
  if (!found || !('sent' in found)) throw new Error('Nothing is sent')
  return found.sent
}

describe('writing', () => {
  test('begins with the claim: before it, and after the loss of it, nothing changes', () => {
    const reader = begin(journal())
    expect(canWrite(reader)).toBe(false)
    expect(run(reader, answer(1, 'B'))).toEqual({ state: reader, effects: [[]] })
    expect(canWrite(writer())).toBe(true)
    expect(canWrite(run(writer(), { is: 'lost' }).state)).toBe(false)
  })

  test('keeps an answer, and then syncs it with a higher revision', () => {
    const { state, effects } = run(writer(), answer(1, 'B'), answer(2, null))
    expect(effects[0]).toEqual([{ do: 'keep' }, { do: 'wait', ms: 800, faults: 0 }])
    expect(state.journal).toMatchObject({ answers: { 1: 'B' }, unsynced: { 1: 'B', 2: null } })
    const sent = sentIn(run(state, { is: 'due' }).effects)
    expect(sent).toMatchObject({ kind: 'sync', answers: { 1: 'B', 2: null } })
    expect(sent.revision).toBeGreaterThan(state.journal.revision)
  })

  test('is over with the time, and not before', () => {
    const over = run(writer(), answer(1, 'B'), { is: 'clock', isOver: true })
    expect(canWrite(over.state)).toBe(false)
    expect(over.effects.at(-1)).toEqual([{ do: 'wait', ms: 0, faults: 0 }])
    expect(sentIn(run(over.state, { is: 'due' }).effects).kind).toBe('sync')
    expect(canWrite(run(over.state, { is: 'clock', isOver: false }).state)).toBe(true)
  })
})

describe('syncing', () => {
  test('is done one at a time, and acknowledges what was sent and has not changed since', () => {
    const begun = run(writer(), answer(1, 'B'), answer(2, 'C'), { is: 'due' })
    const sent = sentIn(begun.effects)
    expect(run(begun.state, { is: 'due' }).effects).toEqual([[]])
    const { state } = run(begun.state, answer(1, 'D'), answer(1, 'B'), saved(sent))
    expect(state.journal).toMatchObject({ unsynced: { 1: 'B' }, base: sent.revision })
    expect(state.sending).toBeUndefined()
  })

  test('is repeated after a fault, and nothing is taken for an answer that is none', () => {
    const begun = run(writer(), answer(1, 'B'), { is: 'due' })
    const sent = sentIn(begun.effects)
    const outcome: ReplyOutcome = { is: 'fault', why: 'unreachable', retryAfter: 700 }
    const { state, effects } = run(begun.state, { is: 'answered', sent, outcome })
    expect(effects).toEqual([[{ do: 'wait', ms: 700, faults: 1 }]])
    expect(sentIn(run(state, { is: 'due' }).effects).answers).toEqual({ 1: 'B' })
  })

  test('is halved where it is too large, until the service refuses one answer alone', () => {
    const tooLarge = (sent: JournalRequest, code?: string): Event => ({
      is: 'answered',
      sent,
      outcome: { is: 'too large', code },
    })
    const long = 'x'.repeat(99)
    let { state } = run(writer(), answer(1, 'B'), answer(2, long), answer(3, null), {
      is: 'mark',
      questionId: 3,
      isMarked: true,
    })
    const batches: string[] = []
    const send = () => {
      const begun = run(state, { is: 'due' })
      state = begun.state
      const sent = sentIn(begun.effects)
      batches.push(`${Object.keys(sent.answers)}${sent.marked ? ' marked' : ''}`)
      return sent
    }
    state = run(state, tooLarge(send(), 'payload_too_large')).state
    state = run(state, saved(send())).state
    state = run(state, tooLarge(send(), 'payload_too_large')).state
    state = run(state, saved(send())).state
    // Only a proxy says so: it is tried again, after whatever is smaller.
    state = run(state, tooLarge(send())).state
    state = run(state, answer(4, 'C')).state
    state = run(state, saved(send())).state
    state = run(state, tooLarge(send(), 'payload_too_large')).state
    expect(batches).toEqual(['1,2,3 marked', '1,3', '2 marked', ' marked', '2', '4', '2'])
    expect(state.journal).toMatchObject({
      unsynced: {},
      isMarkedUnsynced: false,
      rejected: { 2: 'payload_too_large' },
    })
    expect(Object.keys(state.journal.unsynced)).toEqual([])
    // A new answer to the question takes the refusal away.
    expect(run(state, answer(2, 'D')).state.journal.rejected).toEqual({})
  })

  test('refuses no answer that was given after the one that is too large', () => {
    const begun = run(writer(), answer(1, 'long'), { is: 'due' })
    const outcome: ReplyOutcome = { is: 'too large', code: 'payload_too_large' }
    const sent = sentIn(begun.effects)
    const { state } = run(begun.state, answer(1, 'B'), { is: 'answered', sent, outcome })
    expect(state.journal).toMatchObject({ unsynced: { 1: 'B' }, rejected: {} })
  })

  test('of a page that is hidden has all that fits, and is left out if nothing does', () => {
    const long = 'x'.repeat(2_000)
    const { state } = run(writer(), answer(1, 'B'), answer(2, long), answer(3, 'C'))
    const sent = sentIn(run(state, { is: 'hidden', mostBytes: 1_000 }).effects)
    expect(sent.answers).toEqual({ 1: 'B', 3: 'C' })
    const heavy = run(writer(), answer(2, long))
    expect(run(heavy.state, { is: 'hidden', mostBytes: 1_000 }).effects).toEqual([[]])
  })

  test('takes over what another device has saved, below its own unsynced answers', () => {
    const begun = run(writer(), answer(1, 'B'), { is: 'due' })
    const outcome: ReplyOutcome = {
      is: 'stale',
      saved: { answers: { 1: 'C', 2: 'D' }, markedForReview: [2], revision: 90 },
    }
    const { state } = run(begun.state, { is: 'answered', sent: sentIn(begun.effects), outcome })
    expect(state.journal).toMatchObject({ answers: { 1: 'B', 2: 'D' }, marked: [2], base: 90, revision: 90 })
  })

  test('ignores a paper that is older than what was acknowledged, and reads it again', () => {
    const begun = run(writer(), answer(1, 'B'), { is: 'due' })
    const { state } = run(begun.state, saved(sentIn(begun.effects)))
    const late = run(state, { is: 'read', paper: PAPER, acks: 0 })
    expect(late.state.journal.answers).toEqual({ 1: 'B' })
    expect(late.effects[0]).toContainEqual({ do: 'read' })
    const same = { ...PAPER, revision: state.journal.base }
    expect(run(state, { is: 'read', paper: same, acks: 0 }).state.journal.answers).toEqual({ 1: 'B' })
    expect(run(state, { is: 'read', paper: same, acks: 1 }).state.journal.answers).toEqual({ 1: 'A' })
  })
})

describe('handing in', () => {
  test('is never sent unasked, whatever comes in which order', () => {
    const events: Event[] = [{ is: 'due' }, { is: 'hidden', mostBytes: 1_000 }, CLAIMED, { is: 'lost' }]
    for (const first of events)
      for (const second of events)
        for (const third of events) {
          const { effects } = run(writer(), answer(1, 'B'), first, second, third, { is: 'due' })
          const kinds = effects.flat().flatMap((each) => ('sent' in each ? each.sent.kind : []))
          expect(kinds).not.toContain('submit')
        }
  })

  test('waits until all answers are synced, and is repeated until the service says so', () => {
    const asked = run(writer(), answer(1, 'B'), { is: 'submit' }, { is: 'due' })
    expect(canWrite(asked.state)).toBe(false)
    const sync = sentIn(asked.effects)
    expect(sync.kind).toBe('sync')
    const synced = run(asked.state, saved(sync), { is: 'due' })
    const submit = sentIn(synced.effects)
    expect(submit).toMatchObject({ kind: 'submit', answers: {} })
    const ended = run(synced.state, { is: 'ended' })
    expect(ended.state.journal.phase).toBe('submitting')
    const outcome: ReplyOutcome = { is: 'submitted', result: { attempt_id: 3 } as never }
    const { state } = run(ended.state, { is: 'answered', sent: submit, outcome })
    expect(state.journal).toMatchObject({ phase: 'submitted', result: { attempt_id: 3 } })
  })
})

describe('the end', () => {
  test('keeps what was not synced, as a last sync says', () => {
    const told = run(writer(), answer(1, 'B'), answer(2, 'C'), { is: 'ended' })
    expect(told.state.journal.phase).toBe('active')
    const { state: asking, effects } = run(told.state, { is: 'due' })
    const sent = sentIn(effects)
    const outcome: ReplyOutcome = { is: 'ended', arrived: [2] }
    const { state } = run(asking, { is: 'answered', sent, outcome })
    expect(state.journal).toMatchObject({ phase: 'closed', unsynced: { 1: 'B' } })
    expect(state.journal.unsynced).not.toHaveProperty('2')
    expect(run(state, answer(1, 'C')).state).toEqual(state)
  })

  test("isn't read again and again where the service has lost what it acknowledged", () => {
    const paper = { ...PAPER, revision: 2 }
    const { state, effects } = run(writer(), { is: 'read', paper, acks: 0 })
    expect(effects.at(-1)).not.toContainEqual({ do: 'read' })
    expect(state.journal.answers).toEqual({ 1: 'A' })
  })

  test('comes with the paper of another attempt', () => {
    const paper = { ...PAPER, attempt_id: 4 }
    expect(run(writer(), { is: 'read', paper, acks: 0 }).state.journal.phase).toBe('closed')
  })
})

describe('a claim', () => {
  test('goes on from what is stored, with what this tab could not store', () => {
    const { questions: _, ...stored } = journal({
      answers: { 1: 'A', 2: 'X' },
      unsynced: { 2: 'X' },
      writer: 4,
    })
    const stranded = run(begin(journal()), { is: 'stranded', isBlind: true }, answer(1, 'B'))
    const { state } = run(stranded.state, { is: 'claimed', stored, writer: 5 })
    expect(state).toMatchObject({ role: 'writer', journal: { writer: 5, answers: { 1: 'B', 2: 'X' } } })
    expect(state.journal.unsynced).toEqual({ 1: 'B', 2: 'X' })
  })

  test('keeps an answer that was given while another tab handed in', () => {
    const { questions: _, ...stored } = journal({ phase: 'submitting', writer: 4 })
    const stranded = run(begin(journal({ writer: 4 })), { is: 'stranded', isBlind: true }, answer(1, 'B'))
    const { state, effects } = run(stranded.state, { is: 'claimed', stored, writer: 5 }, { is: 'due' })
    expect(state.journal).toMatchObject({ phase: 'submitting', unsynced: { 1: 'B' } })
    expect(sentIn(effects)).toMatchObject({ kind: 'sync', answers: { 1: 'B' } })
  })

  describe('that fails', () => {
    const { questions: _, ...told } = journal({
      answers: { 1: 'of another' },
      unsynced: { 1: 'of another' },
      marked: [1],
      isMarkedUnsynced: true,
      since: { 1: 5, marked: 5 },
      writer: 4,
    })
    const blind = run(
      begin(journal()),
      { is: 'told', journal: told },
      { is: 'stranded', isBlind: true },
    ).state
    const stale = (sent: JournalRequest): Event => ({
      is: 'answered',
      sent,
      outcome: { is: 'stale', saved: { answers: { 1: 'newer' }, markedForReview: [2], revision: 6 } },
    })

    test('offers what another tab gave, so that nothing newer is undone, and then sends its own', () => {
      const offered = run(blind, answer(2, 'own'), { is: 'due' })
      const offer = sentIn(offered.effects)
      // Whoever has sent anything since has sent a higher revision.
      expect(offer).toEqual({ kind: 'offer', revision: 5, answers: { 1: 'of another' }, marked: [1] })
      const taken = run(offered.state, saved(offer), { is: 'due' })
      const own = sentIn(taken.effects)
      expect(own).toMatchObject({ kind: 'sync', answers: { 2: 'own' }, marked: undefined })
      expect(own.revision).toBeGreaterThan(5)
      const { journal: refused } = run(offered.state, stale(offer)).state
      expect(refused).toMatchObject({
        answers: { 1: 'newer', 2: 'own' },
        marked: [2],
        unsynced: { 2: 'own' },
      })
      expect(refused).toMatchObject({ isMarkedUnsynced: false, base: 6 })
    })

    test('sends what was refused again if the store still has it, for its own sync may have overtaken the offer', () => {
      const hidden = run(blind, answer(2, 'own'), { is: 'hidden', mostBytes: 1_000 })
      const [offer, sync] = (hidden.effects.at(-1) ?? []).flatMap((each) =>
        'sent' in each ? [each.sent] : [],
      )
      const outcome: ReplyOutcome = {
        is: 'stale',
        saved: { answers: { 2: 'own' }, markedForReview: [], revision: sync?.revision ?? 0 },
      }
      const { state, effects } = run(
        hidden.state,
        saved(sync as JournalRequest),
        { is: 'answered', sent: offer as JournalRequest, outcome },
        { is: 'claimed', stored: told, writer: 5 },
        { is: 'due' },
      )
      expect(state.journal.answers).toEqual({ 1: 'of another', 2: 'own' })
      expect(sentIn(effects)).toMatchObject({ kind: 'sync', answers: { 1: 'of another' } })
      expect(sentIn(effects).revision).toBeGreaterThan(sync?.revision ?? 0)
    })

    test('sends it no more if it was answered anew, or once the offer was taken', () => {
      const offered = run(blind, { is: 'due' })
      const offer = sentIn(offered.effects)
      const anew = run(offered.state, stale(offer), answer(1, 'own'), {
        is: 'claimed',
        stored: told,
        writer: 5,
      })
      expect(anew.state.journal).toMatchObject({ answers: { 1: 'own' }, unsynced: { 1: 'own' } })
      const taken = run(offered.state, saved(offer), { is: 'claimed', stored: told, writer: 5 })
      expect(taken.state.journal.unsynced).toEqual({})
    })

    test('hands in, whether the service takes what was offered or not', () => {
      const asked = run(blind, { is: 'submit' }, { is: 'due' })
      const offer = sentIn(asked.effects)
      expect(offer).toMatchObject({ kind: 'offer', answers: { 1: 'of another' }, marked: [1] })
      for (const outcome of [saved(offer), stale(offer)])
        expect(sentIn(run(asked.state, outcome, { is: 'due' }).effects).kind).toBe('submit')
    })

    test('takes no answer that was given over what is offered for that', () => {
      const offered = run(blind, { is: 'due' }, answer(1, 'own'))
      const offer = sentIn([offered.effects[0] as Effect[]])
      for (const outcome of [saved(offer), stale(offer)])
        expect(run(offered.state, outcome).state.journal).toMatchObject({
          answers: { 1: 'own' },
          unsynced: { 1: 'own' },
        })
    })

    test('sends both at once when the page is hidden', () => {
      const { effects } = run(blind, answer(2, 'own'), { is: 'hidden', mostBytes: 1_000 })
      const sent = effects.at(-1)?.flatMap((each) => ('sent' in each ? each.sent.kind : []))
      expect(sent).toEqual(['offer', 'sync'])
    })

    test('goes on with what is stored as soon as it can be read, whatever became of the offer', () => {
      const offered = run(blind, answer(2, 'own'), { is: 'due' })
      const offer = sentIn(offered.effects)
      const stored = { ...told, unsynced: { 1: 'newer' }, answers: { 1: 'newer' } }
      for (const seeing of [
        { is: 'stranded', stored, isBlind: false },
        { is: 'claimed', stored, writer: 5 },
      ] as const) {
        const { effects } = run(offered.state, seeing, saved(offer), { is: 'due' })
        expect(sentIn(effects)).toMatchObject({ kind: 'sync', answers: { 1: 'newer', 2: 'own' } })
      }
    })

    test('lists what it never saw, if it has handed in', () => {
      let { state, effects } = run(blind, { is: 'submit' }, { is: 'due' })
      const submit = run(state, saved(sentIn(effects)), { is: 'due' })
      const result = { attempt_id: 3 } as never
      ;({ state, effects } = run(
        submit.state,
        { is: 'answered', sent: sentIn(submit.effects), outcome: { is: 'submitted', result } },
        { is: 'claimed', stored: { ...told, unsynced: { 1: 'newer' } }, writer: 5 },
        { is: 'due' },
      ))
      expect(effects.at(-1)).toEqual([])
      expect(state.journal).toMatchObject({ phase: 'submitted', result, unsynced: { 1: 'newer' } })
      expect(isDone(state.journal)).toBe(false)
    })
  })

  test.each([true, false])(
    'sends nothing again that was acknowledged while the store took nothing; it could not be read: %s',
    (isBlind) => {
      const { questions: _, ...stored } = journal({ writer: 4 })
      const given = run(
        begin(journal({ writer: 4 })),
        { is: 'stranded', ...(!isBlind && { stored }), isBlind },
        answer(1, 'B'),
        { is: 'due' },
      )
      const synced = run(given.state, saved(sentIn(given.effects)))
      // Another device has changed it since.
      const paper = { ...PAPER, answers: { 1: 'D' }, revision: 90 } as Paper
      const claimed = run(
        synced.state,
        { is: 'read', paper, acks: 1 },
        { is: 'claimed', stored, writer: 5 },
        { is: 'due' },
      )
      expect(claimed.effects.at(-1)).toEqual([])
      expect(claimed.state.journal).toMatchObject({ answers: { 1: 'D' }, unsynced: {}, writer: 5 })
      // And what was handed in stays so.
      const submit = run(synced.state, { is: 'submit' }, { is: 'due' })
      const outcome: ReplyOutcome = { is: 'submitted', result: { attempt_id: 3 } as never }
      const done = run(
        submit.state,
        { is: 'answered', sent: sentIn(submit.effects), outcome },
        { is: 'claimed', stored, writer: 5 },
      )
      expect(done.state.journal).toMatchObject({ phase: 'submitted', result: { attempt_id: 3 } })
      expect(isDone(done.state.journal)).toBe(true)
    },
  )

  test('learns a moved end from the paper, though another tab writes', () => {
    const paper = { ...PAPER, ends_at: '2026-11-20T10:30:00.000Z', answers: { 1: 'D' } } as Paper
    const { state, effects } = run(begin(journal()), { is: 'read', paper, acks: 0 })
    expect(state.journal).toMatchObject({ endsAt: paper.ends_at, answers: { 1: 'A' } })
    expect(effects).toEqual([[]])
  })

  test('drops what it could not store if another tab has written since', () => {
    const { questions: _, ...stored } = journal({ answers: { 1: 'later' }, writer: 2 })
    const lost = run(writer(), answer(1, 'earlier'), { is: 'lost' })
    const { state } = run(lost.state, { is: 'claimed', stored, writer: 3 })
    expect(state.journal.answers).toEqual({ 1: 'later' })
  })

  test('drops it also if the store fails first, and keeps what was given since then', () => {
    const { questions: _, ...stored } = journal({ answers: { 1: 'later' }, writer: 2 })
    const away = run(writer(), answer(1, 'earlier'), { is: 'lost' })
    const back = run(away.state, { is: 'stranded', isBlind: true }, answer(2, 'latest'))
    const { state } = run(back.state, { is: 'claimed', stored, writer: 3 })
    expect(state.journal.answers).toEqual({ 1: 'later', 2: 'latest' })
    expect(state.journal.unsynced).toEqual({ 2: 'latest' })
  })

  test('opens an attempt again that was taken for closed, with what was never delivered', () => {
    const { questions: _, ...stored } = journal({
      phase: 'closed',
      unsynced: { 1: 'B' },
      answers: { 1: 'B' },
    })
    const { state } = run(begin(journal()), { is: 'claimed', stored, writer: 1 })
    expect(state.journal).toMatchObject({ phase: 'active', unsynced: { 1: 'B' } })
  })
})
