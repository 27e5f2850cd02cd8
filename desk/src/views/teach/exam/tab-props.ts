import type { User } from '@exam-practice/client'
import type { Answer } from '../../../client.ts'

export type Exam = Answer<'/api/v01/admin/exams/{id}', 'get'>['exam']

/** The properties of each tab of an exam's page. */
export interface TabProps {
  exam: Exam
  user: User
  reload: () => Promise<void>
}
