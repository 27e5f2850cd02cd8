import { useStore } from '@nanostores/preact'
import { Choice } from '../../../components/forms/fields.tsx'
import { $query, setQuery } from '../../../router.ts'
import { t } from '../../../texts.ts'
import { useTags } from './tags-field.tsx'

/** Shows only the questions with one tag; the page's address keeps it. */
export function TagFilter() {
  const { tag } = useStore($query)
  const tags = useTags()
  if (tags.length === 0) return null
  return (
    <Choice
      label="Tag"
      value={tag}
      options={[
        ['', t('All questions')],
        ...tags.map(({ tag: each, questions }) => [each, `${each} (${questions})`] as const),
      ]}
      onChange={({ currentTarget }) => setQuery({ tag: currentTarget.value, page: undefined })}
    />
  )
}
