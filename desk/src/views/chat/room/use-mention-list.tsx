import type { RefObject } from 'preact'
import { useId, useState } from 'preact/hooks'
import { isEnter } from '../../../components/forms/typing-keys.ts'
import { mentionAt, suggest } from './mentions.ts'
import type { Member } from './use-members.ts'

/**
 * Members to mention, while their name is typed behind an `@`: the arrow keys choose, Enter and Tab complete, Escape
 * closes. `field` goes to the field, whose keys `take` gets first, and which calls `look` upon each input.
 */
export function useMentionList(
  field: RefObject<HTMLTextAreaElement | null>,
  members: readonly Member[],
  text: string,
  setText: (text: string) => void,
) {
  const id = useId()
  const [caret, setCaret] = useState<number>()
  const [chosen, setChosen] = useState(0)
  const beginning = caret === undefined ? undefined : mentionAt(text, caret)
  const suggested = beginning ? suggest(beginning.name, members) : []
  const close = () => setCaret(undefined)
  const look = () => {
    setCaret(field.current?.selectionStart)
    setChosen(0)
  }

  function complete(member: Member | undefined) {
    if (!member || !beginning || caret === undefined) return
    const before = `${text.slice(0, beginning.start)}${member.username} `
    setText(before + text.slice(caret))
    close()
    // Once the field has the new text.
    requestAnimationFrame(() => {
      field.current?.focus()
      field.current?.setSelectionRange(before.length, before.length)
    })
  }

  /** Whether the key was for the list. */
  function take(event: KeyboardEvent): boolean {
    if (suggested.length === 0) return false
    const step = { ArrowDown: 1, ArrowUp: suggested.length - 1 }[event.key]
    if (step !== undefined) setChosen((chosen + step) % suggested.length)
    else if (isEnter(event) || event.key === 'Tab') complete(suggested[chosen])
    else if (event.key === 'Escape') close()
    else return false
    event.preventDefault()
    return true
  }

  return {
    look,
    take,
    field: {
      'aria-autocomplete': 'list' as const,
      ...(suggested.length > 0 ? { 'aria-controls': id, 'aria-activedescendant': `${id}-${chosen}` } : {}),
      onBlur: close,
    },
    list: suggested.length > 0 && (
      <div id={id} class="mention-list" role="listbox" aria-label="Members to mention">
        {suggested.map((member, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the field has the focus, and its keys
          // biome-ignore lint/a11y/useFocusableInteractive: the same
          <div
            key={member.id}
            id={`${id}-${index}`}
            role="option"
            aria-selected={index === chosen}
            // A press doesn't take the focus from the field.
            onMouseDown={(event) => event.preventDefault()}
            onClick={() => complete(member)}
          >
            <strong>{member.full_name}</strong> <small dir="ltr">@{member.username}</small>
          </div>
        ))}
      </div>
    ),
  }
}
