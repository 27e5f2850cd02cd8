import { useId, useRef } from 'preact/hooks'
import { ask, client } from '../../../client.ts'
import { isComposing, isEnter } from '../../../components/forms/typing-keys.ts'
import { useLoad } from '../../../components/page/use-load.ts'
import { t } from '../../../texts.ts'

const MOST_TAGS = 20
const LONGEST_TAG = 40

const isSame = (one: string, other: string) => one.toLowerCase() === other.toLowerCase()

/** The tags that questions have, with how many of them; empty for teachers who aren't administrators. */
export function useTags() {
  const found = useLoad('tags', async () => {
    const { tags } = await ask(client.GET('/api/v01/admin/tags', {}))
    return tags
  })
  return found.data ?? []
}

interface TagsFieldProps {
  tags: readonly string[]
  change: (tags: string[]) => void
}

/** The tags of a question; those that others have are offered while somebody types. */
export function TagsField({ tags, change }: TagsFieldProps) {
  const id = useId()
  const input = useRef<HTMLInputElement>(null)
  const known = useTags()
  function add() {
    const element = input.current
    const tag = element?.value.replace(/\s+/gu, ' ').trim() ?? ''
    if (!element || tag === '') return
    element.value = ''
    if (!tags.some((each) => isSame(each, tag))) change([...tags, tag])
  }
  return (
    <div class="field">
      <label for={id}>Tags</label>
      {tags.length > 0 && (
        <ul class="row tags">
          {tags.map((tag) => (
            <li key={tag} class="chip">
              {tag}
              <button
                type="button"
                class="quiet small"
                aria-label={t('Remove the tag {tag}', { tag })}
                onClick={() => {
                  change(tags.filter((each) => each !== tag))
                  input.current?.focus()
                }}
              >
                ×
              </button>
            </li>
          ))}
        </ul>
      )}
      <input
        ref={input}
        id={id}
        list={`${id}-known`}
        maxLength={LONGEST_TAG}
        autoComplete="off"
        aria-describedby={`${id}-hint`}
        disabled={tags.length >= MOST_TAGS}
        onKeyDown={(event) => {
          if (!isEnter(event) && (event.key !== ',' || isComposing(event))) return
          if (event.ctrlKey || event.metaKey) return
          event.preventDefault()
          add()
        }}
        onChange={add}
      />
      <datalist id={`${id}-known`}>
        {known
          .filter(({ tag }) => !tags.some((each) => isSame(each, tag)))
          .map(({ tag, questions }) => (
            <option key={tag} value={tag}>
              {questions}
            </option>
          ))}
      </datalist>
      <small id={`${id}-hint`}>Enter adds one</small>
    </div>
  )
}
