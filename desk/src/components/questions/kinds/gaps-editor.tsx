import { useId } from 'preact/hooks'
import { t } from '../../../texts.ts'
import { Choice } from '../../forms/fields.tsx'
import { focusDrawn } from '../../forms/focus-drawn.ts'
import { AcceptedFields } from '../accepted-fields.tsx'
import { findWrongAccepted } from '../accepted-texts.ts'
import { type EditorProps, findEmpty, NOT_IN_FORM, type QuestionEditor } from '../editor.ts'
import type { TeacherQuestion } from '../kind.ts'
import { NumberKey } from '../number-key.tsx'
import { isReadableNumber } from '../numbers.ts'
import type { WrittenGap } from './gaps.tsx'

const MOST_GAPS = 20
const FEWEST_CHOICES = 2
const MOST_CHOICES = 20

type ChoiceGap = Extract<WrittenGap, { kind: 'choice' }>

const EMPTY: Record<WrittenGap['kind'], WrittenGap> = {
  text: { kind: 'text', accepted: [''] },
  choice: { kind: 'choice', choices: ['', ''], correct: 0 },
  number: { kind: 'number', key: '', tolerance: 0 },
}

const KINDS = [
  ['text', t('A text')],
  ['choice', t('A choice')],
  ['number', t('A number')],
] as const

const gapsOf = ({ parts }: Pick<TeacherQuestion, 'parts'>) => (parts && 'gaps' in parts ? parts.gaps : [])

const markOf = (number: number) => `[[${number}]]`
const marksOf = (text: string) => [...text.matchAll(/\[\[(\d+)\]\]/g)].map(([, number]) => Number(number))

function Editor({ content, change, isKeyOnly, text, editText }: EditorProps) {
  const id = useId()
  const all = gapsOf(content)
  const set = (gaps: WrittenGap[]) => change({ parts: { gaps } })
  const insert = (number: number) =>
    editText((before, cursor) => `${before.slice(0, cursor)}${markOf(number)}${before.slice(cursor)}`)
  /** The marks of the gaps after it get the next lower numbers. */
  function remove(index: number) {
    set(all.toSpliced(index, 1))
    editText((before) =>
      before.replace(/\[\[(\d+)\]\]/g, (mark, digits) => {
        const number = Number(digits)
        return number === index + 1 ? '' : number > index + 1 ? markOf(number - 1) : mark
      }),
    )
    document.getElementById(`${id}-more`)?.focus()
  }
  const marks = marksOf(text)
  return (
    <div class="stack tight">
      {all.map((gap, index) => (
        <fieldset key={index} id={`${id}-gap-${index}`} class="gap-row stack tight">
          <legend>{t('Gap {number}', { number: index + 1 })}</legend>
          {!isKeyOnly && (
            <div class="row">
              <Choice
                label={t('Gap {number} is', { number: index + 1 })}
                value={gap.kind}
                options={KINDS}
                onChange={({ currentTarget }) =>
                  set(all.with(index, EMPTY[currentTarget.value as WrittenGap['kind']]))
                }
              />
              {!marks.includes(index + 1) && (
                <button type="button" class="small" onClick={() => insert(index + 1)}>
                  {t('Put {mark} into the text', { mark: markOf(index + 1) })}
                </button>
              )}
              <button
                type="button"
                class="small quiet"
                aria-label={t('Remove gap {number}', { number: index + 1 })}
                onClick={() => remove(index)}
              >
                Remove
              </button>
            </div>
          )}
          <GapEditor gap={gap} set={(next) => set(all.with(index, next))} isKeyOnly={isKeyOnly} />
        </fieldset>
      ))}
      {!isKeyOnly && (
        <p>
          <button
            id={`${id}-more`}
            type="button"
            aria-disabled={all.length >= MOST_GAPS}
            onClick={() => {
              if (all.length >= MOST_GAPS) return
              set([...all, EMPTY.text])
              if (!marks.includes(all.length + 1)) insert(all.length + 1)
              focusDrawn(`#${id}-gap-${all.length} input`)
            }}
          >
            Add a gap
          </button>{' '}
          <small>where the cursor is in the text</small>
        </p>
      )}
    </div>
  )
}

interface GapEditorProps<G extends WrittenGap = WrittenGap> {
  gap: G
  set: (gap: WrittenGap) => void
  isKeyOnly: boolean
}

function GapEditor({ gap, set, isKeyOnly }: GapEditorProps) {
  switch (gap.kind) {
    case 'text':
      return (
        <AcceptedFields
          legend="Accepted texts"
          lines={gap.accepted}
          change={(accepted) => set({ ...gap, accepted })}
        />
      )
    case 'number':
      return (
        <NumberKey
          number={String(gap.key)}
          tolerance={gap.tolerance}
          change={({ number = gap.key, tolerance = gap.tolerance }) =>
            set({ ...gap, key: number, tolerance })
          }
        />
      )
    case 'choice':
      return <ChoicesEditor gap={gap} set={set} isKeyOnly={isKeyOnly} />
  }
}

function ChoicesEditor({ gap, set, isKeyOnly }: GapEditorProps<ChoiceGap>) {
  const id = useId()
  const { choices, correct } = gap
  return (
    <fieldset class="stack tight">
      <legend>
        {t('Choices')} <small>Mark the one that is correct</small>
      </legend>
      {choices.map((choice, index) => (
        <div key={index} class="item-row">
          <input
            type="radio"
            name={id}
            {...NOT_IN_FORM}
            aria-label={t('Choice {number} is correct', { number: index + 1 })}
            checked={index === correct}
            onChange={() => set({ ...gap, correct: index })}
          />
          <input
            id={`${id}-${index}`}
            aria-label={t('Choice {number}', { number: index + 1 })}
            dir="auto"
            value={choice}
            readOnly={isKeyOnly}
            onInput={({ currentTarget }) =>
              set({ ...gap, choices: choices.with(index, currentTarget.value) })
            }
          />
          {!isKeyOnly && (
            <button
              type="button"
              class="small quiet"
              aria-label={t('Remove choice {number}', { number: index + 1 })}
              disabled={choices.length <= FEWEST_CHOICES}
              onClick={() => {
                const left = choices.toSpliced(index, 1)
                const moved = index < correct ? correct - 1 : correct
                set({ ...gap, choices: left, correct: Math.min(moved, left.length - 1) })
                document.getElementById(`${id}-${Math.max(0, index - 1)}`)?.focus()
              }}
            >
              Remove
            </button>
          )}
        </div>
      ))}
      {!isKeyOnly && choices.length < MOST_CHOICES && (
        <p>
          <button
            type="button"
            class="small"
            onClick={() => {
              set({ ...gap, choices: [...choices, ''] })
              focusDrawn(`#${id}-${choices.length}`)
            }}
          >
            Add a choice
          </button>
        </p>
      )}
    </fieldset>
  )
}

function findWrong(gap: WrittenGap, number: number): string[] {
  switch (gap.kind) {
    case 'text':
      return findWrongAccepted(gap.accepted, number)
    case 'number': {
      const key = String(gap.key)
      return key !== '' && isReadableNumber(key)
        ? []
        : [t('The correct answer of gap {number} is not a number.', { number })]
    }
    case 'choice':
      return findEmpty(
        gap.choices.map((choice, index) => [
          t('Gap {gap}, choice {number}', { gap: number, number: index + 1 }),
          choice,
        ]),
      )
  }
}

export const gapsEditor: QuestionEditor = {
  Editor,
  hasOptions: false,
  adopt: () => ({ correct_answer: '', parts: { gaps: [] } }),
  findProblems(question) {
    const all = gapsOf(question)
    const marks = marksOf(question.question_text)
    const missing = all.flatMap((_gap, index) =>
      marks.filter((mark) => mark === index + 1).length === 1
        ? []
        : [t('The text must have {mark} once, where the gap is.', { mark: markOf(index + 1) })],
    )
    const unknown = marks.filter((mark) => mark < 1 || mark > all.length)
    return {
      wrong: [
        ...(all.length === 0 ? [t('The question has no gap.')] : []),
        ...missing,
        ...unknown.map((mark) => t('The text has {mark}, but there is no such gap.', { mark: markOf(mark) })),
        ...all.flatMap((gap, index) => findWrong(gap, index + 1)),
      ],
      doubtful: [],
    }
  },
}
