import { useEffect, useRef, useState } from 'preact/hooks'
import groups from 'unicode-emoji-json/data-by-group.json'
import { isEnter } from '../../../components/forms/typing-keys.ts'
import { readStored, writeStored } from '../../../stored.ts'
import { isMirrored, t } from '../../../texts.ts'

/** What is offered first: what this person has used last, and then what most people use. */
const USUAL = ['👍', '❤️', '😂', '🎉', '😮', '😢', '🙏', '👀']
const LATEST = 'reactions'

const GROUPS: Record<string, string> = {
  smileys_emotion: t('Smileys and emotion'),
  people_body: t('People and body'),
  animals_nature: t('Animals and nature'),
  food_drink: t('Food and drink'),
  travel_places: t('Travel and places'),
  activities: t('Activities'),
  objects: t('Objects'),
  symbols: t('Symbols'),
  flags: t('Flags'),
}

/** Every emoji to choose from: found by name, and reached by the arrow keys. */
export function EmojiPicker({ pick }: { pick: (emoji: string) => void }) {
  const [search, setSearch] = useState('')
  const field = useRef<HTMLInputElement>(null)
  const latest = readStored<string[]>(LATEST) ?? []
  const usual = [...new Set([...latest, ...USUAL])].slice(0, USUAL.length)
  useEffect(() => field.current?.focus(), [])
  function choose(emoji: string) {
    writeStored(LATEST, [...new Set([emoji, ...latest])].slice(0, USUAL.length))
    pick(emoji)
  }
  const words = search.toLowerCase().split(/\s+/).filter(Boolean)
  const isWanted = (name: string) => words.every((word) => name.includes(word))
  const shown =
    words.length === 0
      ? groups
      : groups.map((group) => ({ ...group, emojis: group.emojis.filter(({ name }) => isWanted(name)) }))
  const filled = shown.filter(({ emojis }) => emojis.length > 0)
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: its buttons have the focus; their arrow keys arrive here
    <div class="emoji-picker" onKeyDown={moveFocus}>
      <input
        ref={field}
        type="search"
        aria-label="Search emoji"
        placeholder="Search emoji"
        onInput={({ currentTarget }) => setSearch(currentTarget.value)}
        onKeyDown={(event) => {
          const first = filled[0]?.emojis[0]
          if (!isEnter(event) || words.length === 0 || !first) return
          event.preventDefault()
          choose(first.emoji)
        }}
      />
      <div class="emoji-groups">
        {words.length === 0 && <Group title="Often used" emojis={usual} choose={choose} />}
        {filled.map(({ slug, name, emojis }) => (
          <Group
            key={slug}
            title={GROUPS[slug] ?? name}
            emojis={emojis.map(({ emoji }) => emoji)}
            names={emojis.map((each) => each.name)}
            choose={choose}
          />
        ))}
        {filled.length === 0 && <p class="lead">No emoji is called that.</p>}
      </div>
    </div>
  )
}

interface GroupProps {
  title: string
  emojis: readonly string[]
  /** How each is called, where it isn't plain from the emoji itself. */
  names?: readonly string[]
  choose: (emoji: string) => void
}

function Group({ title, emojis, names, choose }: GroupProps) {
  return (
    <section aria-label={title}>
      <h3>{title}</h3>
      <div class="emoji-grid">
        {emojis.map((emoji, index) => (
          <button
            key={emoji}
            type="button"
            class="quiet emoji"
            // One stop of the Tab key for each group.
            tabIndex={index === 0 ? 0 : -1}
            title={names?.[index]}
            aria-label={names ? `${emoji} ${names[index]}` : emoji}
            onClick={() => choose(emoji)}
          >
            {emoji}
          </button>
        ))}
      </div>
    </section>
  )
}

/** The arrow keys go from button to button, down and up to the one below and above. */
function moveFocus(event: KeyboardEvent & { currentTarget: HTMLElement }): void {
  const buttons = [...event.currentTarget.querySelectorAll<HTMLButtonElement>('.emoji')]
  const at = buttons.indexOf(document.activeElement as HTMLButtonElement)
  const next = buttons[at < 0 && event.key === 'ArrowDown' ? 0 : at + stepOf(event.key, buttons, at)]
  if (!next || next === buttons[at]) return
  event.preventDefault()
  next.focus()
}

function stepOf(key: string, buttons: readonly HTMLButtonElement[], at: number): number {
  const current = buttons[at]
  if (!current) return 0
  if (key === 'ArrowRight') return isMirrored ? -1 : 1
  if (key === 'ArrowLeft') return isMirrored ? 1 : -1
  const { left, top } = current.getBoundingClientRect()
  const isInColumn = (each: HTMLButtonElement) => Math.abs(each.getBoundingClientRect().left - left) < 1
  const placed = buttons.map((each, index) => ({ index, top: each.getBoundingClientRect().top, each }))
  if (key === 'ArrowDown') {
    const below = placed.find((place) => place.top > top + 1 && isInColumn(place.each))
    return below ? below.index - at : 0
  }
  if (key !== 'ArrowUp') return 0
  const above = placed.findLast((place) => place.top < top - 1 && isInColumn(place.each))
  return above ? above.index - at : 0
}
