import { type Chat, createChat, type RoomMessage } from '../../src/chat/chat.ts'
import type { StorageState } from '../../src/index.ts'
import { brief } from '../support/conversation.ts'
import { App } from './app.ts'
import { ChatService } from './chat-service.ts'
import { inPage, type Kind, lengthen, pick, Walk } from './walk.ts'
import type { Machine } from './world.ts'

/** A message that somebody has written in a page. */
interface Written {
  text: string
  clientId: string | undefined
  conversation: number
  userId: number
  /** The stay that it belongs to: with its end it may be dropped. */
  stay: string
  machine: number
  page: number
  files: string[]
  /** undefined: the page hasn't heard. */
  storage: StorageState | undefined
  isDiscarded: boolean
}

/** A reaction that somebody has added in a page, and perhaps taken back: no two are of the same emoji. */
interface Reacted {
  emoji: string
  conversation: number
  messageId: number
  userId: number
  stay: string
  page: number
  added: boolean
  /** When it was last added or taken back. */
  at: number
  /** Each of its changes is on the machine. */
  isDurable: boolean
}

const CONVERSATIONS = [1, 2]
/** Somebody who takes part without an app. */
const OTHER = 3
/** So many of the newest messages never vanish from a room; older ones are fetched again by scrolling. */
const NEWEST = 40
const CHECKED: [machine: number, person: number][] = [
  [0, 1],
  [1, 1],
  [0, 2],
]

/** A page that a person uses, and what they saw there. */
class Page extends App {
  readonly walk: ChatWalk
  readonly number: number
  readonly index: number
  chat: Chat | undefined
  isOpening = false
  /** The conversations in which somebody has jumped, who sees fewer of the newest messages from then on. */
  readonly jumped = new Set<number>()
  #stops: (() => void)[] = []

  constructor(walk: ChatWalk, number: number) {
    super(walk.machines[number] as Machine)
    this.walk = walk
    this.number = number
    this.index = walk.pages.length
    this.client.session.$user.subscribe((user) => this.#look(user?.id))
  }

  /** Signs in if nobody is, and opens the chat; fails without harm. */
  async begin(person: number): Promise<void> {
    if (this.isOpening) return
    this.isOpening = true
    try {
      await this.client.session.ready
      this.chat ??= createChat(this.client)
      if (!this.client.session.$user.get()) {
        await this.client.session.login({ username: `${person}`, password: '' })
        const owner = this.client.session.owner()
        if (owner) this.walk.endStays(this.number, owner.stay)
      }
      this.#look(this.userId)
    } catch {
    } finally {
      this.isOpening = false
    }
  }

  get userId(): number | undefined {
    return this.client.session.$user.get()?.id
  }

  /** Notes what is shown twice or out of order, or vanishes. */
  #look(userId: number | undefined): void {
    for (const stop of this.#stops.splice(0)) stop()
    const { chat } = this
    if (!chat || userId === undefined) return
    for (const id of CONVERSATIONS) {
      let before: readonly RoomMessage[] = []
      let hadNewer = false
      const room = chat.room(id)
      const violation = (what: string) =>
        this.walk.violations.push(`page ${this.index}, conversation ${id}: ${what}`)
      this.#stops.push(
        room.$messages.subscribe((messages) => {
          const keys = new Set(messages.map(({ key }) => key))
          const seqs = messages.flatMap(({ seq }) => seq ?? [])
          if (keys.size < messages.length) violation('shown twice')
          if (seqs.some((seq, at) => at > 0 && seq !== (seqs[at - 1] ?? 0) + 1)) violation(`holes: ${seqs}`)
          const { status, hasNewer } = room.$state.get()
          // Whoever jumps sees other messages.
          const isReady = status === 'ready' && !hasNewer && !hadNewer
          hadNewer = hasNewer
          if (isReady)
            for (const { key, message, seq } of before.slice(-NEWEST))
              if (
                !keys.has(key) &&
                (seq === null ? !this.walk.isGone(id, { key, message }) : !this.jumped.has(id))
              )
                violation(`"${message}" vanished`)
          for (const { key, state } of messages) if (state === 'failed') this.walk.refused.add(key)
          for (const { key, state, message } of messages)
            if (
              state !== 'sent' &&
              isReady &&
              before.some((each) => each.key === key && each.state === 'sent')
            )
              violation(`"${message}" was sent, and then ${state}`)
          before = messages
        }),
      )
    }
    this.#stops.push(
      chat.$outgoing.subscribe((outgoing) => {
        for (const { clientId, message, state } of outgoing)
          if (state === 'sending' && this.walk.isGoneForGood(clientId, this.index))
            this.walk.violations.push(`"${message}" was discarded, and then sent`)
      }),
    )
  }
}

/** People write, and each message has to arrive once, in its place, under its writer's name. */
export class ChatWalk extends Walk<Page, ChatService> {
  readonly #written: Written[] = []
  readonly #reacted: Reacted[] = []
  /** Messages that the service has refused at some time. */
  readonly refused = new Set<string>()
  readonly #endedStays = new Set<string>()
  /** Discarded messages that can't come back, and how many pages had been opened by then. */
  readonly #discarded = new Map<string, number>()
  #count = 0

  constructor(seed: number) {
    super(seed, (world) => {
      const service = new ChatService(world)
      for (const id of CONVERSATIONS) service.group(id, [1, 2, OTHER])
      return service
    })
  }

  summary() {
    const messages = [...this.service.groups.values()].flatMap((group) => group.messages)
    return {
      written: this.#count,
      discarded: this.#written.filter(({ isDiscarded }) => isDiscarded).length,
      'by others': messages.filter(({ sender_id }) => sender_id === OTHER).length,
    }
  }

  /** It was discarded, by a sign-out too, or the service has it: it will be shown, or is above what is shown. */
  isGone(conversation: number, { key, message }: Pick<RoomMessage, 'key' | 'message'>): boolean {
    const messages = this.service.groups.get(conversation)?.messages ?? []
    return (
      messages.some(({ client_id }) => client_id === key) ||
      this.#written.some(
        ({ text, stay, isDiscarded }) => text === message && (isDiscarded || this.#endedStays.has(stay)),
      )
    )
  }

  /** It was discarded for good before this page was opened. */
  isGoneForGood(clientId: string, page: number): boolean {
    return (this.#discarded.get(clientId) ?? Number.POSITIVE_INFINITY) <= page
  }

  /** Somebody has signed in on a machine: what others had there is gone. */
  endStays(machine: number, except: string): void {
    for (const each of this.#written)
      if (each.machine === machine && each.stay !== except) this.#endedStays.add(each.stay)
    for (const each of this.#reacted)
      if (this.pages[each.page]?.number === machine && each.stay !== except) this.#endedStays.add(each.stay)
  }

  write(page: Page, dice: number, fileCount = 0): void {
    const owner = page.client.session.owner()
    if (!page.chat || !owner) return
    this.#count += 1
    const conversation = pick(CONVERSATIONS, dice)
    const { userId, stay } = owner
    const text = lengthen(`u${userId}p${page.index}n${this.#count}`, this.#count)
    const written: Written = {
      text,
      clientId: undefined,
      conversation,
      userId,
      stay,
      machine: page.number,
      page: page.index,
      files: Array.from({ length: fileCount }, (_, at) => `${text} file ${at}`),
      storage: undefined,
      isDiscarded: false,
    }
    this.#written.push(written)
    const files = written.files.map((name) => new File(['bytes'], name))
    page.chat.send(conversation, { message: text, mentions: [3 - userId], files }).then(
      ({ clientId, storage }) => Object.assign(written, { clientId, storage }),
      (error) => this.violations.push(`writing failed: ${error}`),
    )
  }

  /** Adds a reaction, or takes one back that was added here. */
  react(page: Page, dice: number): void {
    const { chat, index } = page
    const owner = page.client.session.owner()
    if (!chat || !owner) return
    const own = this.#reacted.filter((each) => each.page === index && each.stay === owner.stay)
    if (dice < 0.3 && own.length > 0) {
      const known = pick(own, dice / 0.3)
      known.added = !known.added
      this.#sendReaction(chat, known)
      return
    }
    const conversation = pick(CONVERSATIONS, dice)
    const message = pick(chat.room(conversation).$messages.get(), dice)
    if (!message?.id) return
    this.#count += 1
    const { userId, stay } = owner
    const emoji = `e${this.#count}`
    const reacted: Reacted = {
      emoji,
      conversation,
      messageId: message.id,
      userId,
      stay,
      page: index,
      added: true,
      at: 0,
      isDurable: true,
    }
    this.#reacted.push(reacted)
    this.#sendReaction(chat, reacted)
  }

  #sendReaction(chat: Chat, reacted: Reacted): void {
    const { emoji, conversation, messageId, added, isDurable } = reacted
    reacted.isDurable = false
    reacted.at = this.world.now
    chat.react({ conversationId: conversation, messageId, emoji, added }).then(
      ({ storage }) => {
        reacted.isDurable = isDurable && storage === 'durable'
      },
      (error) => this.violations.push(`reacting failed: ${error}`),
    )
  }

  override signOut(page: Page): void {
    const { session } = page.client
    // A page that has just been opened doesn't know yet who is signed in.
    void session.ready.then(() => {
      const owner = session.owner()
      if (owner) this.#endedStays.add(owner.stay)
    })
    super.signOut(page)
  }

  /** Somebody takes person 1 out of a conversation, or back in; what they write meanwhile is refused. */
  setMember(conversation: number, isMember: boolean): void {
    this.service.setMember(conversation, 1, isMember)
  }

  discard({ chat }: Page, dice: number): void {
    const entry = pick(chat?.$outgoing.get() ?? [], dice)
    if (!entry) return
    for (const each of this.#written) if (each.text === entry.message) each.isDiscarded = true
    void chat?.discard(entry.clientId).then((storage) => {
      if (storage === 'durable') this.#discarded.set(entry.clientId, this.pages.length)
    })
  }

  /** What the others do, who have their own apps. */
  hearOf(act: (conversation: number, seq: number) => void, [first = 0, second = 0]: number[]): void {
    const conversation = pick(CONVERSATIONS, first)
    const count = this.service.groups.get(conversation)?.messages.length ?? 0
    act(conversation, Math.ceil(second * count))
  }

  protected kinds(): Kind<this>[] {
    return KINDS as Kind<this>[]
  }

  protected open(number: number, person: number): void {
    const page = new Page(this, number)
    this.pages.push(page)
    void page.begin(person)
  }

  protected check(): void {}

  protected async checkEnd(): Promise<void> {
    this.service.hearAgain()
    for (const id of CONVERSATIONS) for (const person of [1, 2]) this.service.setMember(id, person, true)
    for (const { tab } of this.pages)
      if (!tab.isDead) {
        tab.comeBack()
        tab.hand(() => tab.show())
      }
    await this.world.pass(60_000)
    for (const { tab, chat, userId } of this.pages)
      if (!tab.isDead && chat && userId) for (const id of CONVERSATIONS) void chat.room(id).latest()
    await this.world.pass(3 * 60_000)
    for (const page of this.pages) if (!page.tab.isDead) this.#compare(page)
    for (const { tab } of this.pages) tab.die()
    await this.world.pass(60_000)
    for (const [number, person] of CHECKED) {
      const page = new Page(this, number)
      const user = await page.run(page.client.session.ready)
      if (user && user.id !== person) {
        this.signOut(page)
        await this.world.pass(2_000)
      }
      await page.run(page.begin(person))
      await this.world.pass(60_000)
      // Its stored session may have been ended elsewhere.
      if (!page.userId) {
        await page.run(page.begin(person))
        await this.world.pass(60_000)
      }
      if (page.userId !== person) this.violations.push(`${person} can't sign in`)
      this.#compare(page)
      page.die()
      await this.world.pass(1_000)
    }
    this.#checkMessages()
  }

  /** A page shows what the service has. */
  #compare({ chat, userId, index }: Page): void {
    if (!chat || userId === undefined) return
    const compare = (what: string, shown: unknown, truth: unknown) => {
      const [one, other] = [JSON.stringify(shown), JSON.stringify(truth)]
      if (one !== other) this.violations.push(`page ${index} of ${userId}: ${what} ${one}, is ${other}`)
    }
    const shown = [...(chat.$conversations.get() ?? [])].sort((one, other) => one.id - other.id)
    const views = this.service.viewsOf(userId)
    compare('conversations', shown.map(brief), views.map(brief))
    const loud = views.filter(({ settings }) => !settings.archived && settings.muted_until === null)
    const sum = (numbers: number[]) => numbers.reduce((all, each) => all + each, 0)
    compare('unread', chat.$unread.get(), sum(loud.map(({ unread }) => unread)))
    compare('mentions', chat.$mentions.get(), sum(views.map(({ unread_mentions }) => unread_mentions)))
    const unsent = chat.$outgoing.get().filter(({ state }) => state !== 'failed')
    compare('unsent', unsent, [])
    for (const id of CONVERSATIONS) {
      const group = this.service.groups.get(id)
      const room = chat.room(id)
      compare(`state of ${id}`, room.$state.get().status, 'ready')
      const messages = room.$messages.get().filter(({ seq }) => seq !== null)
      const stored = this.service.messagesFor(id, userId).slice(-messages.length)
      const line = ({
        seq,
        version,
        message,
        reactions,
        attachments,
        mentions,
      }: (typeof stored)[number] | RoomMessage) => [
        seq,
        version,
        message,
        reactions.map(({ emoji, count, mine }) => [emoji, count, mine]),
        attachments.map(({ name }) => name),
        mentions,
      ]
      compare(`messages of ${id}`, messages.map(line), stored.map(line))
      const isEmpty = messages.length === 0
      compare(`${id} is empty`, isEmpty, group?.messages.length === 0)
      const readBy = Object.entries(room.$readBy.get()).filter(([, seq]) => seq > 0)
      const read = [...(group?.members ?? [])]
        .filter(([, member]) => member.read > 0)
        .map(([member, { read: seq }]) => [`${member}`, seq])
      compare(`readers of ${id}`, readBy.sort(), read.sort())
    }
  }

  #checkMessages(): void {
    const stored = [...this.service.groups.values()].flatMap(({ id, messages }) =>
      messages.map(({ client_id, sender_id, seq, attachments, is_deleted }) => ({
        conversation: id,
        client_id,
        sender_id,
        seq,
        files: is_deleted ? undefined : attachments.map(({ name }) => name),
      })),
    )
    const failed = this.machines
      .flatMap(({ entries }) => [...entries.values()] as { id?: string; state?: string }[])
      .flatMap(({ id, state }) => (state === 'failed' ? [id] : []))
    const lastSeq = new Map<string, number>()
    for (const written of this.#written) {
      const { text, clientId, conversation, userId, stay, page, files, storage, isDiscarded } = written
      if (clientId === undefined) continue
      const found = stored.filter(({ client_id }) => client_id === clientId)
      const [first] = found
      if (found.length > 1) this.violations.push(`${text} is stored twice`)
      if (!first) {
        if (
          storage === 'durable' &&
          !isDiscarded &&
          !this.#endedStays.has(stay) &&
          !failed.includes(clientId)
        )
          this.violations.push(`${text} is lost`)
        continue
      }
      if (first.sender_id !== userId || first.conversation !== conversation)
        this.violations.push(`${text} is of ${first.sender_id} in ${first.conversation}`)
      if (first.files && `${first.files}` !== `${files}`)
        this.violations.push(`${text} has ${first.files} instead of ${files}`)
      // Where the store fails, it may come back; what was refused is sent again later, if at all.
      if (isDiscarded || this.refused.has(clientId)) continue
      // Messages don't wait for those with files, nor for those that were on their way when somebody signed out.
      const lane = `${page} ${stay} ${conversation} ${files.length > 0}`
      const before = lastSeq.get(lane) ?? 0
      if (first.seq < before) this.violations.push(`${text} came too early`)
      lastSeq.set(lane, Math.max(before, first.seq))
    }
    for (const { emoji, conversation, messageId, userId, stay, added, at, isDurable } of this.#reacted) {
      const message = this.service.groups.get(conversation)?.messages.find(({ id }) => id === messageId)
      const people = message?.reactions.get(emoji) ?? []
      if (people.some((id) => id !== userId)) this.violations.push(`${emoji} is of ${people}`)
      if (!isDurable || message?.is_deleted || this.#endedStays.has(stay)) continue
      if (this.service.refusedReactions.has(emoji)) continue
      // Reactions have no revision: one that the network has held back may come after later ones.
      const hasArrived = (this.service.reactedAt.get(`${emoji} ${added}`) ?? 0) >= at
      if (people.includes(userId) !== added && !hasArrived)
        this.violations.push(`${emoji} is ${added ? 'lost' : 'still there'}`)
    }
    for (const { client_id, sender_id } of stored) {
      const writer = this.#written.find(({ clientId }) => clientId === client_id)
      if (writer && writer.userId !== sender_id) this.violations.push(`${writer.text} is of ${sender_id}`)
    }
  }
}

const EMOJI = ['👍', '❤️', '😂']

function settingsBy(dice: number) {
  return pick(
    [{ archived: true }, { archived: false }, { pinned: true }, { pinned: false }, { muted_until: null }],
    dice,
  )
}

/** What people do, here and elsewhere. */
const KINDS: Kind<ChatWalk>[] = [
  [
    30,
    'write',
    (walk, [which = 0, dice = 0]) => {
      const page = walk.page(which)
      if (page && !page.tab.isFrozen) walk.write(page, dice)
    },
  ],
  [
    4,
    'attach',
    (walk, [which = 0, dice = 0]) => {
      const page = walk.page(which)
      if (page && !page.tab.isFrozen) walk.write(page, dice, dice < 0.5 ? 1 : 2)
    },
  ],
  [
    10,
    'react',
    (walk, [which = 0, dice = 0]) => {
      const page = walk.page(which)
      if (page && !page.tab.isFrozen) walk.react(page, dice)
    },
  ],
  [
    2,
    'jump',
    inPage(({ chat, userId, jumped }: Page, dice) => {
      const id = pick(CONVERSATIONS, dice)
      jumped.add(id)
      if (chat && userId) void chat.room(id).jump(id * 10_000 + 1 + Math.floor(dice * 20))
    }),
  ],
  [
    3,
    'scroll down',
    inPage(({ chat, userId }: Page, dice) => {
      if (!chat || !userId) return
      const room = chat.room(pick(CONVERSATIONS, dice))
      void (dice < 0.3 ? room.latest() : room.newer()).catch(() => {})
    }),
  ],
  [
    3,
    'settings',
    inPage(({ client, userId }: Page, dice) => {
      if (!userId) return
      const params = { path: { id: pick(CONVERSATIONS, dice) } }
      void client
        .PATCH('/api/v01/chat/conversations/{id}/settings', { params, body: settingsBy(dice) })
        .catch(() => {})
    }),
  ],
  [
    2,
    'another device sets',
    (walk, dice) =>
      walk.hearOf((id) => {
        const { world } = walk
        const muted_until = new Date(world.now + 20_000).toISOString()
        walk.service.set(id, 1, (dice[2] ?? 0) < 0.3 ? { muted_until } : settingsBy(dice[2] ?? 0))
      }, dice),
  ],
  [
    4,
    'another reacts',
    (walk, dice) =>
      walk.hearOf((id, seq) => walk.service.react(id, seq, OTHER, pick(EMOJI, dice[2] ?? 0), true), dice),
  ],
  [
    4,
    'another device reacts',
    (walk, dice) =>
      walk.hearOf((id, seq) => {
        const emoji = pick(EMOJI, dice[2] ?? 0)
        walk.service.react(id, seq, 1, emoji, (dice[0] ?? 0) < 0.4)
      }, dice),
  ],
  [
    4,
    'another mentions',
    (walk, dice) =>
      walk.hearOf((id) => walk.service.write(id, OTHER, `other ${dice}`, { mentions: [1, 2] }), dice),
  ],
  [
    8,
    'read',
    inPage(({ chat }: Page, dice) => chat?.$conversations.get() && chat.read(pick(CONVERSATIONS, dice))),
  ],
  [
    2,
    'discard',
    (walk, [which = 0, dice = 0]) => {
      const page = walk.page(which)
      if (page && !page.tab.isFrozen) walk.discard(page, dice)
    },
  ],
  [
    4,
    'scroll',
    inPage(({ chat, userId }: Page, dice) => {
      if (chat && userId)
        void chat
          .room(pick(CONVERSATIONS, dice))
          .more()
          .catch(() => {})
    }),
  ],
  [
    3,
    'close',
    inPage(({ client, tab }: Page) => {
      client.close()
      tab.tell('leave')
      tab.die()
    }),
  ],
  [3, 'sign in', inPage((page: Page, dice) => void page.begin(dice < 0.7 ? 1 : page.number === 0 ? 2 : 1))],
  [
    20,
    'another writes',
    (walk, dice) => walk.hearOf((id) => walk.service.write(id, OTHER, `other ${dice}`), dice),
  ],
  [
    2,
    'another writes a lot',
    (walk, dice) =>
      walk.hearOf((id) => {
        for (let count = 0; count < 9; count++) walk.service.write(id, OTHER, `other ${count}`)
      }, dice),
  ],
  [4, 'another reads', (walk, dice) => walk.hearOf((id, seq) => walk.service.read(id, OTHER, seq), dice)],
  [3, 'another device reads', (walk, dice) => walk.hearOf((id, seq) => walk.service.read(id, 1, seq), dice)],
  [
    4,
    'an edit',
    (walk, dice) => {
      const mentions = pick([undefined, [], [1]], dice[2] ?? 0)
      walk.hearOf((id, seq) => walk.service.change(id, seq, `edited ${dice[2]}`, mentions), dice)
    },
  ],
  [2, 'a deletion', (walk, dice) => walk.hearOf((id, seq) => walk.service.change(id, seq), dice)],
  [2, 'another name', (walk, dice) => walk.hearOf((id) => walk.service.rename(id, `named ${dice[2]}`), dice)],
  [2, 'left and joined', (walk, dice) => walk.hearOf((id) => walk.setMember(id, (dice[2] ?? 0) < 0.7), dice)],
  [
    1,
    'events are lost',
    ({ service }) => {
      service.isDeaf = true
    },
  ],
  [4, 'events are heard again', ({ service }) => service.hearAgain()],
]
