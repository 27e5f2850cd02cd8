import { useState } from 'preact/hooks'
import { ask, client } from '../../../client.ts'
import { Choice } from '../../../components/forms/fields.tsx'
import { Search } from '../../../components/forms/search.tsx'
import { useLoad } from '../../../components/page/use-load.ts'

/** A choice of one person, by name. */
export function PersonChoice({ name }: { name: string }) {
  const [q, setQ] = useState('')
  const found = useLoad(q, () =>
    ask(client.GET('/api/v01/admin/users', { params: { query: q ? { q } : {} } })),
  )
  return (
    <div class="stack tight">
      <Search label="Find somebody" value={q} take={setQ} />
      <Choice
        label="Who"
        name={name}
        required
        options={(found.data?.users ?? []).map(
          (each) => [each.id, `${each.full_name} (${each.username})`] as const,
        )}
      />
    </div>
  )
}
