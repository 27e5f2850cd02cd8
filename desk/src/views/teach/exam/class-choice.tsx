import type { User } from '@exam-practice/client'
import { ask, client, readAllPages } from '../../../client.ts'
import { useLoad } from '../../../components/page/use-load.ts'
import { isAdministrator } from '../../../roles.ts'

interface ClassChoiceProps {
  user: User
  chosen: readonly number[]
}

/** The classes that an exam is for, as boxes named `class_ids`; with none of them it is for everybody. */
export function ClassChoice({ user, chosen }: ClassChoiceProps) {
  const found = useLoad('classes', async () => {
    if (!isAdministrator(user)) {
      const { classes } = await ask(client.GET('/api/v01/classes', {}))
      return classes.filter(({ role }) => role === 'teacher')
    }
    const pages = await readAllPages((page) =>
      ask(client.GET('/api/v01/admin/classes', { params: { query: { page } } })),
    )
    return pages.flatMap(({ classes }) => classes)
  })
  const known = found.data ?? []
  // Those that can't be shown, such as archived ones, stay.
  const others = chosen.filter((id) => !known.some((each) => each.id === id))
  return (
    <fieldset class="choices">
      <legend>For these classes</legend>
      <small>{isAdministrator(user) ? 'None: for everybody' : 'At least one'}</small>
      {known.map(({ id, name }) => (
        <label key={id} class="check">
          <input type="checkbox" name="class_ids" value={id} defaultChecked={chosen.includes(id)} />
          <span>{name}</span>
        </label>
      ))}
      {others.map((id) => (
        <input key={id} type="hidden" name="class_ids" value={id} />
      ))}
    </fieldset>
  )
}
