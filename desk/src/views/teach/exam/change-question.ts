import { ask, client } from '../../../client.ts'
import { promptForConfirmation, promptForName } from '../../../components/dialogs/prompts.tsx'
import { t } from '../../../texts.ts'
import type { Exam } from './tab-props.ts'

/** Says whom it affects if the settings of a published exam that students have begun are changed; false: they stay. */
export async function mayChange(
  { id, class_ids }: Pick<Exam, 'id' | 'class_ids'>,
  changes: Partial<Exam>,
): Promise<boolean> {
  const { published, attempts, under_way } = await findUse(id)
  if (!published) return true
  const said: string[] = []
  const isRetimed = 'duration_minutes' in changes || 'opens_at' in changes || 'closes_at' in changes
  // If the exam closes at once, the service is asked how many attempts that ends.
  const isClosed = Boolean(changes.closes_at && Date.parse(changes.closes_at) <= Date.now())
  if (isRetimed && !isClosed && attempts + under_way > 0)
    said.push(
      t(
        'Attempts under way follow the new times at once ({under_way}); finished ones stay as they are ({attempts}).',
        { under_way, attempts },
      ),
    )
  if (('shuffle' in changes || 'draw' in changes) && attempts + under_way > 0)
    said.push(t('Who begins from now on gets another paper than those who have begun.'))
  if (changes.class_ids?.length === 0 && class_ids.length > 0)
    said.push(t('Everybody sees it from now on, not its classes alone.'))
  if (said.length === 0) return true
  const question = t('The exam is published. {said} Save it all the same?', { said: said.join(' ') })
  return promptForConfirmation(question, t('Save'), false)
}

/** Says whom it affects if a published exam that students have begun gets more questions; false: it stays. */
export async function mayAdd(examId: number, count: number): Promise<boolean> {
  const begun = await countBegun(examId)
  if (begun === 0) return true
  const question = t(
    'The exam is published and was begun. Attempts that have begun keep their questions ({begun}); who begins from now on gets the new ones too ({count}). Add them all the same?',
    { begun, count },
  )
  return promptForConfirmation(question, t('Add'), false)
}

/** The same if it loses questions. */
export async function mayDelete(examId: number, count: number): Promise<boolean> {
  const begun = await countBegun(examId)
  if (begun === 0) return true
  const question = t(
    'The exam is published and was begun. Attempts that have begun keep their questions ({begun}); who begins from now on doesn’t get the deleted ones ({count}), whose discussions are deleted too. Delete them all the same?',
    { begun, count },
  )
  return promptForConfirmation(question, t('Delete'))
}

/** The same if a question of it is saved with other marks. */
export async function mayChangeMarks(examId: number): Promise<boolean> {
  const begun = await countBegun(examId)
  if (begun === 0) return true
  const question = t(
    'The exam is published and was begun. Attempts that have begun keep the marks of before ({begun}); who begins from now on is graded by the new ones. Save them all the same?',
    { begun },
  )
  return promptForConfirmation(question, t('Save'), false)
}

/** The same if all questions of a type get the same marks: what each had before is lost. */
export async function maySetMarks({ id, name }: Pick<Exam, 'id' | 'name'>): Promise<boolean> {
  const begun = await countBegun(id)
  if (begun === 0) return true
  const question = t(
    'The exam is published and was begun. Attempts that have begun keep the marks of before ({begun}); who begins from now on is graded by the new ones. What each question had can’t be brought back.',
    { begun },
  )
  return promptForName(question, t('Set the marks'), name)
}

/** The attempts of a published exam, finished ones and those under way. */
async function countBegun(examId: number): Promise<number> {
  const { published, attempts, under_way } = await findUse(examId)
  return published ? attempts + under_way : 0
}

function findUse(id: number) {
  return ask(client.GET('/api/v01/admin/exams/{id}/changes-mean', { params: { path: { id } } }))
}
