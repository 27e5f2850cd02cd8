import { useState } from 'preact/hooks'
import { ask, client } from '../../../client.ts'
import { Choice } from '../../../components/forms/fields.tsx'
import type { Fields } from '../../../components/forms/form.tsx'
import { JsonField } from '../../../components/forms/json-field.tsx'
import { Search } from '../../../components/forms/search.tsx'
import { useLoad } from '../../../components/page/use-load.ts'
import { nameAndUsername } from '../../../format.ts'
import { t } from '../../../texts.ts'

export type Person = readonly [id: number | string, text: string]

interface PersonChoiceProps {
  /** Who can be chosen, by what is searched for; without it everybody. */
  find?: (q: string) => Promise<Person[]>
  name?: string
  /** Told of each choice; without it the choice goes with its form. */
  onChoose?: (id: string) => void
}

/** The name of the person who is chosen in a form, by the choice's name. */
export function chosenPerson(fields: Fields, name: string): string {
  const [, text] = JSON.parse(String(fields[`${name}_chosen`])) as Person
  return text
}

async function findAccounts(q: string): Promise<Person[]> {
  const { users } = await ask(client.GET('/api/v01/admin/users', { params: { query: q ? { q } : {} } }))
  return users.map((user) => [user.id, nameAndUsername(user)])
}

/** A choice of one person, by name. The chosen one stays chosen, also when the answer to a search comes later. */
export function PersonChoice({ find = findAccounts, name, onChoose }: PersonChoiceProps) {
  const [q, setQ] = useState('')
  const [chosen, setChosen] = useState<Person>(['', t('Choose somebody')])
  const found = useLoad(q, () => find(q))
  const options = [chosen, ...(found.data ?? []).filter(([id]) => id !== chosen[0])]
  return (
    <div class="stack tight">
      <Search label="Find somebody" value={q} take={setQ} />
      <Choice
        label="Who"
        hint={found.data?.length === 0 ? t('Nobody found') : undefined}
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
