import { useState } from 'preact/hooks'
import { ask, client } from '../../../client.ts'
import { Choice } from '../../../components/forms/fields.tsx'
import type { Fields } from '../../../components/forms/form.tsx'
import { JsonField } from '../../../components/forms/json-field.tsx'
import { Search } from '../../../components/forms/search.tsx'
import { useLoad } from '../../../components/page/use-load.ts'
import { nameAndUsername } from '../../../format.ts'
import { t } from '../../../texts.ts'

type Person = readonly [id: number | string, text: string]

interface PersonChoiceProps {
  name?: string
  /** Told of each choice; without it the choice goes with its form. */
  onChoose?: (id: string) => void
}

/** How the person is called that is chosen in a form, by the choice's name. */
export function chosenPerson(fields: Fields, name: string): string {
  const [, text] = JSON.parse(String(fields[`${name}_chosen`])) as Person
  return text
}

/** A choice of one person, by name. The chosen one stays chosen, also when the answer to a search comes later. */
export function PersonChoice({ name, onChoose }: PersonChoiceProps) {
  const [q, setQ] = useState('')
  const [chosen, setChosen] = useState<Person>(['', t('Choose somebody')])
  const found = useLoad(q, () =>
    ask(client.GET('/api/v01/admin/users', { params: { query: q ? { q } : {} } })),
  )
  const people = (found.data?.users ?? []).map(
    ({ id, full_name, username }): Person => [id, nameAndUsername({ full_name, username })],
  )
  const options = [chosen, ...people.filter(([id]) => id !== chosen[0])]
  return (
    <div class="stack tight">
      <Search label="Find somebody" value={q} take={setQ} />
      <Choice
        label="Who"
        {...(name ? { name, required: true } : {})}
        value={chosen[0]}
        onChange={({ currentTarget }) => {
          setChosen(options.find(([id]) => String(id) === currentTarget.value) ?? chosen)
          onChoose?.(currentTarget.value)
        }}
        options={options}
      />
      {/* After the choice, which has no such option yet when a draft is put back. */}
      {name && <JsonField name={`${name}_chosen`} value={chosen} take={setChosen} />}
    </div>
  )
}
