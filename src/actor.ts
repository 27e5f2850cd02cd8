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

/** Who asks for something that administrators see more of than others. */
export interface Viewer {
  userId: number
  isAdmin: boolean
}

/** Where a login comes from; its owner sees address and program in the list of sessions. */
export interface Device extends Asker {
  ip: string
  /** What mails that it asks for are in, unless their reader has set another one. */
  language: Language
  /** What failed logins are counted by. */
  network: string
  userAgent: string | undefined
}

/**
 * What a request of a teacher is about, for a route of administrators that is open to them for exams of their own: the
 * exam, or what belongs to one. `handler`: it limits them itself.
 */
export type OwnExamSubject =
  | 'handler'
  /** `reads`: of their classes' exams as well, what they may know of these. */
  | { exam: number | undefined; reads?: 'settings' | 'keys' }
  | { questions: number[] }
  | { regrade: number }
  | { challenge: number }

/** Who teaches, and whether an exam, or what belongs to one, is a teacher's own. */
export interface OwnExams {
  isTeacher(userId: number): Promise<boolean>
  isOwn(userId: number, subject: Exclude<OwnExamSubject, 'handler'>): Promise<boolean>
}
