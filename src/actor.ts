import type { Language } from '../schemas/languages.ts'
import type { Asker } from './scheduling/fair-queue.ts'

/** Who changes something, and from where. */
export interface Actor {
  /** null: somebody at the command line, or without an account. */
  id: number | null
  ip: string | null
  /** The class that they do it for. */
  classId?: number | undefined
}

export const COMMAND_LINE: Actor = { id: null, ip: null }

/** Somebody who asks for something of which administrators see more than others. */
export interface Viewer {
  userId: number
  isAdmin: boolean
}

/** Where a login comes from; its owner sees address and program in the list of sessions. */
export interface Device extends Asker {
  ip: string
  /** The language of mails that it causes, unless their reader has set another one. */
  language: Language
  /** What failed logins are counted by. */
  network: string
  userAgent: string | undefined
}

/**
 * What a teacher's request to a route of administrators is about, if teachers may use the route for exams of their own:
 * the exam, or something that belongs to one. `handler`: the handler limits teachers itself.
 */
export type OwnExamSubject =
  | 'handler'
  /** `reads`: also the exams of their classes, as far as they may know these. */
  | { exam: number | undefined; reads?: 'settings' | 'keys' }
  | { questions: number[] }
  | { regrade: number }
  | { challenge: number }

/** Who teaches, and whether an exam, or what belongs to one, is a teacher's own. */
export interface OwnExams {
  isTeacher(userId: number): Promise<boolean>
  isOwn(userId: number, subject: Exclude<OwnExamSubject, 'handler'>): Promise<boolean>
}
