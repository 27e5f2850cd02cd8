import { useId } from 'preact/hooks'
import { useSettled } from '../use-settled.ts'

const PAUSE_MS = 250

interface SearchProps {
  label: string
  value: string | undefined
  take: (q: string) => void
}

/** A search field that searches while somebody types, after a pause. */
export function Search({ label, value, take }: SearchProps) {
  const id = useId()
  const search = useSettled(take, PAUSE_MS)
  return (
    <div class="field search">
      <label class="unseen" for={id}>
        {label}
      </label>
      <input
        id={id}
        type="search"
        placeholder={label}
        defaultValue={value ?? ''}
        onInput={({ currentTarget }) => search(currentTarget.value.trim())}
      />
    </div>
  )
}
