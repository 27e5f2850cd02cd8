interface MoveButtonsProps {
  /** Of the list: its rows stay where they are while what is in them moves, so the focus goes along by ids made of it. */
  id: string
  index: number
  count: number
  up: string
  down: string
  move: (to: number) => void
}

/** Moves what stands in a row of a list up and down. */
export function MoveButtons({ id, index, count, up, down, move }: MoveButtonsProps) {
  const button = (control: 'up' | 'down', to: number) => {
    const isPossible = to >= 0 && to < count
    return (
      <button
        id={`${id}-${control}-${index}`}
        type="button"
        class="icon small"
        aria-label={control === 'up' ? up : down}
        aria-disabled={!isPossible}
        onClick={() => {
          if (!isPossible) return
          move(to)
          document.getElementById(`${id}-${control}-${to}`)?.focus()
        }}
      >
        {control === 'up' ? '↑' : '↓'}
      </button>
    )
  }
  return (
    <>
      {button('up', index - 1)}
      {button('down', index + 1)}
    </>
  )
}

/** A list in which what was at one place is at another. */
export function moved<T>(all: readonly T[], from: number, to: number): T[] {
  return all.toSpliced(from, 1).toSpliced(to, 0, ...all.slice(from, from + 1))
}
