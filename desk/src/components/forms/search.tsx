import { useStore } from '@nanostores/preact'
import { useId } from 'preact/hooks'
import { $query, setQuery } from '../../router.ts'
import { useDebounced } from '../use-debounced.ts'

const PAUSE_MS = 250

interface SearchProps {
  label: string
  value: string | undefined
  /** `typedAt`: the path of the page's address when it was typed. */
  take: (q: string, typedAt: string) => void
}

/** A search field that searches while somebody types, after a pause. */
export function Search({ label, value, take }: SearchProps) {
  const id = useId()
  const search = useDebounced(take, PAUSE_MS)
  return (
    <div class="field search">
      <label class="unseen" for={id}>
        {label}
      </label>
      <input
        id={id}
        type="search"
        dir="auto"
        placeholder={label}
        defaultValue={value ?? ''}
        onInput={({ currentTarget }) => search(currentTarget.value.trim(), location.pathname)}
      />
    </div>
  )
}

/** A search of a list that keeps it in the page's address; never in that of the next view. */
export function ListSearch({ label }: { label: string }) {
  const { q } = useStore($query)
  return (
    <Search
      label={label}
      value={q}
      take={(text, typedAt) => {
        if (location.pathname === typedAt) setQuery({ q: text, page: undefined })
      }}
    />
  )
}
