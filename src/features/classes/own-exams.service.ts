import type { OwnExams } from '../../actor.ts'
import type { Core } from '../../core.ts'
import { AppError } from '../../errors.ts'
import { perNode } from '../../per-node.ts'
import { openKeys } from './known-keys.service.ts'
import * as store from './own-exams.store.ts'

/** For the guard of operations that are open to teachers for exams of their own. */
export const ownExamsOf = perNode(
  (core): OwnExams => ({
    isTeacher: (userId) => store.isTeacher(core.db, userId),
    async isOwn(userId, subject) {
      const { db } = core
      if ('exam' in subject) {
        const { exam, reads } = subject
        if (exam === undefined) return false
        if (await store.isOwnExam(db, userId, exam)) return true
        if (reads !== 'keys') return reads !== undefined && store.isTaughtExam(db, userId, exam)
        await openKeys(core, { userId, isAdmin: false }, { examId: exam })
        return store.isTaughtExam(db, userId, exam, new Date(core.clock()))
      }
      if ('questions' in subject) return store.areOwnQuestions(db, userId, subject.questions)
      if ('regrade' in subject) return store.isOwnRegrade(db, userId, subject.regrade)
      return store.isOwnChallenge(db, userId, subject.challenge)
    },
  }),
)

/** For a teacher's request whose exam stands in its form: 403 `admin_required` unless it is their own. */
export async function requireOwnExam(
  core: Core,
  teacherId: number | undefined,
  examId: number,
): Promise<void> {
  if (teacherId === undefined) return
  if (!(await store.isOwnExam(core.db, teacherId, examId))) throw new AppError('admin_required')
}
