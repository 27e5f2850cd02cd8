import { type ExamSession, openExam } from '../../src/exam/open-exam.ts'
import { type Client, createClient } from '../../src/index.ts'
import { EXAM_ID } from './exam-service.ts'
import { type Machine, Tab } from './world.ts'

/** A page of the app on a simulated machine. */
export class App {
  readonly tab: Tab
  readonly client: Client
  exam: ExamSession | undefined

  constructor(machine: Machine) {
    this.tab = new Tab(machine)
    this.client = createClient({ baseUrl: 'http://service.test', platform: this.tab.platform() })
  }

  get #world() {
    return this.tab.machine.world
  }

  /** Runs work to its end while time passes. */
  async run<T>(work: Promise<T>, mostMs?: number): Promise<T> {
    let end: { value?: T; error?: unknown } | undefined
    work.then(
      (value) => (end = { value }),
      (error) => (end = { error }),
    )
    await this.#world.until(() => end, mostMs)
    if (end && 'error' in end) throw end.error
    return end?.value as T
  }

  async signIn(userId: number): Promise<void> {
    await this.run(this.client.session.login({ username: `${userId}`, password: '' }))
  }

  async open(): Promise<ExamSession> {
    const { exam, error } = await this.run(openExam(this.client, EXAM_ID))
    if (!exam) throw new Error(error.message)
    this.exam = exam
    return exam
  }

  /** The page is gone from one moment to the next. */
  die(): void {
    this.tab.die()
  }
}
