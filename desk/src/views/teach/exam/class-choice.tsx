import type { User } from '@exam-practice/client'
import { useEffect, useRef, useState } from 'preact/hooks'
import { ask, client, readAllPages } from '../../../client.ts'
import { isAdministrator } from '../../../roles.ts'
import { t } from '../../../texts.ts'

/** The classes that somebody may make an exam for. */
export async function readClasses(user: User): Promise<{ id: number; name: string }[]> {
  if (!isAdministrator(user)) {
    const { classes } = await ask(client.GET('/api/v01/classes', {}))
    return classes.filter(({ role }) => role === 'teacher')
  }
  const pages = await readAllPages((page) =>
    ask(client.GET('/api/v01/admin/classes', { params: { query: { page } } })),
  )
  return pages.flatMap(({ classes }) => classes)
}

/** The classes that are chosen in a form; none where the exam is to be for everybody. */
export function chosenClasses(form: HTMLFormElement): number[] {
  const data = new FormData(form)
  if (data.get('audience') === 'everybody') return []
  return data
    .getAll('class_ids')
    .map(Number)
    .sort((one, other) => one - other)
}

interface ClassChoiceProps {
  user: User
  classes: readonly { id: number; name: string }[]
  chosen: readonly number[]
}

/** Whom an exam is for: everybody, which administrators alone choose, or at least one class. */
export function ClassChoice({ user, classes, chosen }: ClassChoiceProps) {
  const [isForAll, setForAll] = useState(chosen.length === 0 && isAdministrator(user))
  const [count, setCount] = useState(chosen.length)
  const first = useRef<HTMLInputElement>(null)
  // Those that can't be shown, such as archived ones, stay.
  const others = chosen.filter((id) => !classes.some((each) => each.id === id))
  const isMissing = !isForAll && count === 0
  useEffect(() => {
    first.current?.setCustomValidity(isMissing ? t('Choose at least one class') : '')
  }, [isMissing])
  return (
    <fieldset
      class="choices"
      onInput={({ currentTarget }) =>
        setCount(
          currentTarget.querySelectorAll('[name=class_ids]:checked, [name=class_ids][type=hidden]').length,
        )
      }
    >
      <legend>Who it is for</legend>
      {isAdministrator(user) &&
        ([true, false] as const).map((forAll) => (
          <label key={String(forAll)} class="check">
            <input
              type="radio"
              name="audience"
              value={forAll ? 'everybody' : 'classes'}
              checked={isForAll === forAll}
              onChange={() => setForAll(forAll)}
            />
            <span>{forAll ? 'Everybody' : 'Only these classes'}</span>
          </label>
        ))}
      {!isForAll &&
        classes.map(({ id, name }, index) => (
          <label key={id} class="check">
            <input
              ref={index === 0 ? first : null}
              type="checkbox"
              name="class_ids"
              value={id}
              defaultChecked={chosen.includes(id)}
            />
            <span>{name}</span>
          </label>
        ))}
      {!isForAll && others.map((id) => <input key={id} type="hidden" name="class_ids" value={id} />)}
      {isMissing && (
        <small class="warn" role="status">
          {classes.length === 0 ? 'There is no class yet' : 'Choose at least one class'}
        </small>
      )}
    </fieldset>
  )
}
