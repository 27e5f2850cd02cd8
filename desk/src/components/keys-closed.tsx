import type { Answer } from '../client.ts'
import { moment } from '../format.ts'
import { t } from '../texts.ts'

type Keys = Pick<Answer<'/api/v01/classes/{id}/results', 'get'>['exam'], 'shows_keys' | 'keys_open_at'>

interface KeysClosedProps {
  of: Keys
  /** Of the exam, where there are several. */
  name?: string
}

/** That a teacher is not shown the marks and keys of an exam yet, and until when. */
export function KeysClosed({ of: { shows_keys, keys_open_at }, name }: KeysClosedProps) {
  if (shows_keys) return null
  return (
    <p class="notice" role="note">
      {name !== undefined && <b>{name}: </b>}
      {keys_open_at === null
        ? t('Marks and correct answers are hidden until the results are released.')
        : t('Marks and correct answers are hidden until {time}, unless the results are released before.', {
            time: moment(keys_open_at),
          })}
    </p>
  )
}
