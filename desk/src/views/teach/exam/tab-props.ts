import type { Answer } from '../../../client.ts'

export type Exam = Answer<'/api/v01/admin/exams/{id}', 'get'>['exam']

/** What every part of an exam's page is given. */
export interface TabProps {
  exam: Exam
  reload: () => Promise<void>
}
