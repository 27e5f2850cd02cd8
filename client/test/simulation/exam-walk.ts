import { openExam } from '../../src/exam/open-exam.ts'
import { App } from './app.ts'
import { EXAM_ID, ExamService, QUESTIONS } from './exam-service.ts'
import { inPage, isTooLong, type Kind, lengthen, Walk } from './walk.ts'
import type { Machine } from './world.ts'

type Value = string | null
/** Nothing was answered. */
const NOTHING = null

/** A page that a person uses, and what they saw there. */
class Page extends App {
  readonly walk: ExamWalk
  readonly number: number
  /** What was given here last, since this tab writes. */
  given = new Map<number, Value>()
  isOpening = false

  constructor(walk: ExamWalk, number: number) {
    super(walk.machines[number] as Machine)
    this.walk = walk
    this.number = number
  }

  /** Signs in if nobody is, and opens the exam; fails without harm. */
  async begin(person: number): Promise<void> {
    if (this.isOpening) return
    this.isOpening = true
    try {
      await this.client.session.ready
      if (!this.client.session.$user.get()) {
        const signedIn = await this.client.session.login({ username: `${person}`, password: '' })
        if (signedIn.error) return
      }
      const { exam } = await openExam(this.client, EXAM_ID)
      if (!exam) return
      this.exam?.close()
      this.exam = exam
      this.given = new Map()
      exam.$state.subscribe((state) => {
        if (this.exam !== exam) return
        if (!state.canWrite) this.given = new Map()
        // A refused answer is shown until the service's own comes.
        for (const question of Object.keys(state.rejected)) this.given.delete(Number(question))
        for (const [question, value] of this.given) {
          const shown = state.answers[question] ?? NOTHING
          if (
            shown !== value &&
            !this.walk.isOfAnother(this.number, state.attemptId, question, shown as Value)
          )
            this.walk.violations.push(`flicker: ${value} was given, ${shown} is shown`)
        }
      })
    } catch {
    } finally {
      this.isOpening = false
    }
  }

  get userId(): number | undefined {
    return this.client.session.$user.get()?.id
  }
}

/** People answer, and each answer has to arrive. */
export class ExamWalk extends Walk<Page, ExamService> {
  /** By attempt, question and machine: what may be the last answer there, in the order of giving. */
  readonly #answers = new Map<string, Value[]>()
  /** The same, of all times. */
  readonly #given = new Map<string, Value[]>()
  /** Attempts that somebody asked to hand in, and those of which that was stored. */
  readonly #asked = new Set<number>()
  readonly #askedForGood = new Set<number>()
  #count = 0

  constructor(seed: number) {
    super(seed, (world) => new ExamService(world, 25 * 60_000))
  }

  protected kinds(): Kind<this>[] {
    return KINDS as Kind<this>[]
  }

  summary() {
    const { attempts } = this.service
    return {
      answers: this.#count,
      attempts: attempts.length,
      'handed in': attempts.filter(({ isSubmitted }) => isSubmitted).length,
    }
  }

  isOfAnother(machine: number, attemptId: number, question: number, value: Value): boolean {
    return this.machines.some(
      (_, other) =>
        other !== machine && this.#given.get(`${attemptId} ${question} ${other}`)?.includes(value),
    )
  }

  protected open(number: number, person: number): void {
    const page = new Page(this, number)
    this.pages.push(page)
    void page.begin(person)
  }

  answer(page: Page, dice: number): void {
    const { exam } = page
    if (!exam || page.tab.isFrozen || !exam.$state.get().canWrite) return
    const { attemptId } = exam.$state.get()
    const question = QUESTIONS[Math.floor(dice * QUESTIONS.length)] as number
    this.#count += 1
    const text = `u${page.userId}a${attemptId}m${page.number}n${this.#count}`
    const value = this.#count % 9 === 0 ? null : lengthen(text, this.#count)
    const key = `${attemptId} ${question} ${page.number}`
    const { deniesStorage } = page.tab.machine
    const given = this.#answers.get(key) ?? (deniesStorage ? [] : [NOTHING])
    // Whatever the service has then stays.
    if (isTooLong(value)) given.unshift(NOTHING, ...(this.#given.get(key) ?? []))
    given.push(value)
    this.#answers.set(key, given)
    this.#given.set(key, [...(this.#given.get(key) ?? []), value])
    page.given.set(question, value)
    exam.answer(question, value).then(
      (storage) => {
        const at = given.lastIndexOf(value)
        // Nothing from before can be the last one any more, unless this one is replaced by one that is refused.
        if (storage === 'durable' && !given.slice(at).some(isTooLong)) given.splice(0, at)
      },
      () => {},
    )
  }

  submit(page: Page): void {
    const { exam } = page
    if (!exam || page.tab.isFrozen || !exam.$state.get().canWrite) return
    const { attemptId } = exam.$state.get()
    this.#asked.add(attemptId)
    exam.submit().then(
      (storage) => storage === 'durable' && this.#askedForGood.add(attemptId),
      () => {},
    )
  }

  /** One writer of an attempt. */
  protected check(): void {
    for (const machine of this.machines) {
      const writers = this.pages.filter(
        ({ tab, exam }) =>
          tab.machine === machine && !tab.isDead && !tab.isFrozen && exam?.$state.get().canWrite,
      )
      const attempts = writers.map(({ exam }) => exam?.$state.get().attemptId)
      if (new Set(attempts).size < attempts.length) this.violations.push(`two writers of attempt ${attempts}`)
    }
  }

  /** Nobody who has handed in has to wait for a store. */
  protected override async checkHealed(): Promise<void> {
    await this.world.pass(90_000)
    for (const machine of this.machines) {
      const pages = this.pages.filter(({ tab }) => tab.machine === machine && !tab.isDead)
      // A page that is suspended may hold the lock.
      if (pages.some(({ tab }) => tab.isFrozen)) continue
      for (const { exam, userId } of pages) {
        const { phase, attemptId } = exam?.$state.get() ?? {}
        const attempt = this.service.attempts.find(({ id }) => id === attemptId)
        if (phase === 'submitting' && attempt?.isActive && attempt.userId === userId)
          this.violations.push(`handing in attempt ${attemptId} is stuck`)
      }
    }
  }

  /** Each person opens the exam on each machine that they used. */
  protected async checkEnd(): Promise<void> {
    for (const { tab } of this.pages) tab.die()
    await this.world.pass(60_000)
    for (const [number, person] of [
      [0, 1],
      [1, 1],
      [0, 2],
      [0, 1],
    ] as const) {
      const page = new Page(this, number)
      const user = await page.run(page.client.session.ready)
      if (user && user.id !== person) await page.run(page.client.session.logout())
      await page.run(page.begin(person))
      await this.world.pass(45_000)
      // Its stored session may have been ended elsewhere.
      if (!page.userId) {
        await page.run(page.begin(person))
        await this.world.pass(45_000)
      }
      const state = page.exam?.$state.get()
      const active = this.service.active(person)
      if (state && active?.id === state.attemptId) {
        if (state.unsynced > 0) this.violations.push(`attempt ${active.id}: ${state.unsynced} are not synced`)
        const [shown, stored] = [state.answers, active.answers].map((answers) =>
          sorted(Object.fromEntries(Object.entries(answers).filter(([id]) => !state.rejected[id]))),
        )
        if (shown !== stored) this.violations.push(`shown: ${shown}, stored: ${stored}`)
      }
      page.exam?.close()
      await this.world.pass(2_000)
      page.die()
    }
    this.#checkAnswers()
  }

  #checkAnswers(): void {
    for (const { id, userId, isActive, isSubmitted, answers } of this.service.attempts) {
      if (isSubmitted && !this.#asked.has(id)) this.violations.push(`attempt ${id} was handed in unasked`)
      if (isActive && this.#askedForGood.has(id)) this.violations.push(`attempt ${id} was not handed in`)
      for (const question of QUESTIONS) {
        const stored = answers[question] ?? NOTHING
        if (stored && !stored.startsWith(`u${userId}a${id}m`))
          this.violations.push(`attempt ${id} of ${userId} has ${stored}`)
        const given = this.machines.map((_, number) => this.#answers.get(`${id} ${question} ${number}`))
        const isNone =
          stored === NOTHING && given.every((each, number) => !each || this.machines[number]?.deniesStorage)
        if (isNone || given.some((each) => each?.includes(stored))) continue
        // It ended before they arrived: they are still on the machine, or an answer of another one came after them.
        const isKept = given.every(
          (each, number) =>
            !each ||
            this.machines[number]?.deniesStorage ||
            each.includes(this.#kept(number, userId, id, question) as Value) ||
            this.isOfAnother(number, id, question, stored),
        )
        if (isActive || !isKept)
          this.violations.push(
            `attempt ${id}, question ${question}: ${JSON.stringify(given)} became ${stored}`,
          )
      }
    }
  }

  /** The answer that is listed as undelivered on a machine; undefined: none. */
  #kept(number: number, userId: number, attemptId: number, question: number): Value | undefined {
    const kept = this.machines[number]?.entries.get(`kept/${userId}/exam/${EXAM_ID}/${attemptId}`)
    return (kept as { unsynced: Record<number, Value> } | undefined)?.unsynced[question]
  }
}

function sorted(answers: object): string {
  return JSON.stringify(Object.entries(answers).sort())
}

const KINDS: Kind<ExamWalk>[] = [
  [
    30,
    'answer',
    (walk, [which = 0, dice = 0]) => {
      const page = walk.page(which)
      if (page) walk.answer(page, dice)
    },
  ],
  [
    1,
    'hand in',
    (walk, [which = 0]) => {
      const page = walk.page(which)
      if (page) walk.submit(page)
    },
  ],
  [4, 'open the exam', inPage((page: Page) => void page.begin(1))],
  [
    3,
    'close',
    inPage(({ exam, tab }: Page) => {
      exam?.close()
      tab.tell('leave')
      tab.die()
    }),
  ],
  [4, 'take over', inPage(({ exam }: Page) => exam?.takeOver())],
  [2, 'sign in', inPage((page: Page, dice) => void page.begin(dice < 0.7 ? 1 : page.number === 0 ? 2 : 1))],
]
