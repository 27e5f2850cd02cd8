import { useId } from 'preact/hooks'
import { t } from '../../../texts.ts'
import { focusDrawn } from '../../forms/focus-drawn.ts'
import { MoveButtons, moved } from '../../forms/move-buttons.tsx'
import { type EditorProps, findEmpty, type QuestionEditor } from '../editor.ts'
import type { TeacherQuestion } from '../kind.ts'

const FEWEST = 2
const MOST = 20

const itemsOf = ({ parts }: Pick<TeacherQuestion, 'parts'>) => (parts && 'items' in parts ? parts.items : [])

function Editor({ content, change, isKeyOnly }: EditorProps) {
  const id = useId()
  const items = itemsOf(content)
  const set = (next: string[]) => change({ parts: { items: next } })
  return (
    <fieldset class="stack tight">
      <legend>
        {t('Items')} <small>In the correct order; students get them shuffled</small>
      </legend>
      {items.map((item, index) => (
        <div key={index} class="item-row">
          <b>{index + 1}</b>
          <input
            id={`${id}-text-${index}`}
            aria-label={t('Item {number}', { number: index + 1 })}
            dir="auto"
            value={item}
            readOnly={isKeyOnly}
            onInput={({ currentTarget }) => set(items.with(index, currentTarget.value))}
          />
          <span class="row tight">
            <MoveButtons
              id={id}
              index={index}
              count={items.length}
              up={t('Move item {number} up', { number: index + 1 })}
              down={t('Move item {number} down', { number: index + 1 })}
              move={(to) => set(moved(items, index, to))}
            />
            {!isKeyOnly && (
              <button
                type="button"
                class="small quiet"
                aria-label={t('Remove item {number}', { number: index + 1 })}
                disabled={items.length <= FEWEST}
                onClick={() => {
                  set(items.toSpliced(index, 1))
                  document.getElementById(`${id}-text-${Math.max(0, index - 1)}`)?.focus()
                }}
              >
                Remove
              </button>
            )}
          </span>
        </div>
      ))}
      {!isKeyOnly && items.length < MOST && (
        <p>
          <button
            type="button"
            class="small"
            onClick={() => {
              set([...items, ''])
              focusDrawn(`#${id}-text-${items.length}`)
            }}
          >
            Add an item
          </button>
        </p>
      )}
    </fieldset>
  )
}

export const orderingEditor: QuestionEditor = {
  Editor,
  hasOptions: false,
  adopt: () => ({ correct_answer: '', parts: { items: ['', ''] } }),
  findProblems: (question) => ({
    wrong: findEmpty(
      itemsOf(question).map((item, index) => [t('Item {number}', { number: index + 1 }), item]),
    ),
    doubtful: [],
  }),
}
