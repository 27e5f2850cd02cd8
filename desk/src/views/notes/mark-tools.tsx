import { t } from '../../texts.ts'
import type { Mark } from './drawing.tsx'
import { boxOf, resized } from './mark-geometry.ts'

/** How much a step makes a mark larger. */
const LARGER = 1.15

type TextMark = Extract<Mark, { kind: 'text' }>

interface MarkToolsProps {
  /** From the lowest one up. */
  marks: readonly Mark[]
  selected: Mark | undefined
  select: (id: string | undefined) => void
  change: (marks: readonly Mark[]) => void
  rewrite: (mark: TextMark) => Promise<void>
  remove: (mark: Mark) => void
}

/** Selects a mark, and changes the selected one, for those who point at none. */
export function MarkTools({ marks, selected, select, change, rewrite, remove }: MarkToolsProps) {
  function selectNext() {
    const at = selected ? marks.indexOf(selected) : -1
    select(marks[(at + 1) % marks.length]?.id)
  }
  function resize(mark: Mark, by: number) {
    const { left, right } = boxOf(mark)
    const next = resized(mark, left + (right - left) * by)
    change(marks.map((each) => (each === mark ? next : each)))
  }
  return (
    <div class="row" role="toolbar" aria-label="Selected">
      <button type="button" class="small" onClick={selectNext}>
        Select next
      </button>
      {selected && (
        <>
          {selected.kind === 'text' && (
            <button type="button" class="small" onClick={() => void rewrite(selected)}>
              Edit text
            </button>
          )}
          {selected.kind !== 'stroke' && (
            <>
              <button type="button" class="small" onClick={() => resize(selected, 1 / LARGER)}>
                Smaller
              </button>
              <button type="button" class="small" onClick={() => resize(selected, LARGER)}>
                Larger
              </button>
            </>
          )}
          <button
            type="button"
            class="small"
            onClick={() => change([selected, ...marks.filter((each) => each !== selected)])}
          >
            Send to back
          </button>
          <button
            type="button"
            class="small"
            onClick={() => change([...marks.filter((each) => each !== selected), selected])}
          >
            Bring to front
          </button>
          <button type="button" class="small bad" onClick={() => remove(selected)}>
            Delete
          </button>
        </>
      )}
      <small role="status">
        {selected && t('{mark} is selected. Arrow keys move it.', { mark: nameOf(selected) })}
      </small>
    </div>
  )
}

function nameOf(mark: Mark): string {
  if (mark.kind === 'text') return t('“{text}”', { text: mark.text })
  return mark.kind === 'stroke' ? t('A stroke') : t('A picture')
}
