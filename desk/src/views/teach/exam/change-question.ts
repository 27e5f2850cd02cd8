import { ask, client } from '../../../client.ts'
import { promptForConfirmation } from '../../../components/dialogs/prompts.tsx'
import { t } from '../../../texts.ts'
import type { Exam } from './tab-props.ts'

/** Says before a published exam that students have begun gets other settings whom that concerns; false: it stays. */
export async function mayChange(
  { id, class_ids }: Pick<Exam, 'id' | 'class_ids'>,
  changes: Partial<Exam>,
): Promise<boolean> {
  const { published, attempts, under_way } = await findUse(id)
  if (!published) return true
  const said: string[] = []
  const isRetimed = 'duration_minutes' in changes || 'opens_at' in changes || 'closes_at' in changes
  // Of an exam that is closed at once, it is asked how many attempts that ends.
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

/** Says before a published exam that students have begun gets more questions whom that concerns; false: it stays. */
export async function mayAdd(examId: number, count: number): Promise<boolean> {
  const { published, attempts, under_way } = await findUse(examId)
  if (!published || attempts + under_way === 0) return true
  const question = t(
    'The exam is published and was begun. Attempts that have begun keep their questions ({begun}); who begins from now on gets the new ones too ({count}). Add them all the same?',
    { begun: attempts + under_way, count },
  )
  return promptForConfirmation(question, t('Add'), false)
}

function findUse(id: number) {
  return ask(client.GET('/api/v01/admin/exams/{id}/changes-mean', { params: { path: { id } } }))
}
