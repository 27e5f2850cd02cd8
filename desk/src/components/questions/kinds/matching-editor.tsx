import { useId } from 'preact/hooks'
import { t } from '../../../texts.ts'
import { focusDrawn } from '../../forms/focus-drawn.ts'
import { type EditorProps, findEmpty, type QuestionEditor } from '../editor.ts'
import type { TeacherQuestion } from '../kind.ts'

const FEWEST_PAIRS = 2
const MOST_PAIRS = 20
const MOST_DISTRACTORS = 10

type Parts = Extract<NonNullable<TeacherQuestion['parts']>, { pairs: unknown[] }>

const EMPTY: Parts = {
  pairs: [
    { prompt: '', match: '' },
    { prompt: '', match: '' },
  ],
  distractors: [],
}

const partsOf = ({ parts }: Pick<TeacherQuestion, 'parts'>): Parts =>
  parts && 'pairs' in parts ? parts : EMPTY

function Editor({ content, change, isKeyOnly }: EditorProps) {
  const id = useId()
  const { pairs, distractors } = partsOf(content)
  const set = (changes: Partial<Parts>) => change({ parts: { pairs, distractors, ...changes } })
  const setPair = (index: number, changes: Partial<Parts['pairs'][number]>) =>
    set({ pairs: pairs.map((pair, at) => (at === index ? { ...pair, ...changes } : pair)) })
  const choices = [...new Set([...pairs.map(({ match }) => match), ...distractors])]
  /** Another choice becomes the match; those that match nothing any more stay choices. */
  function rematch(index: number, match: string) {
    const next = pairs.map((pair, at) => (at === index ? { ...pair, match } : pair))
    set({ pairs: next, distractors: choices.filter((choice) => !next.some((pair) => pair.match === choice)) })
  }
  return (
    <>
      <fieldset class="stack tight">
        <legend>
          {t('Pairs')} <small>Students get the right sides shuffled; equal ones are one choice</small>
        </legend>
        {pairs.map(({ prompt, match }, index) => (
          <div key={index} class="pair-row">
            <input
              id={`${id}-prompt-${index}`}
              aria-label={t('Prompt {number}', { number: index + 1 })}
              placeholder="Prompt"
              dir="auto"
              value={prompt}
              readOnly={isKeyOnly}
              onInput={({ currentTarget }) => setPair(index, { prompt: currentTarget.value })}
            />
            {isKeyOnly ? (
              <select
                aria-label={t('Match {number}', { number: index + 1 })}
                value={match}
                onChange={({ currentTarget }) => rematch(index, currentTarget.value)}
              >
                {choices.map((choice) => (
                  <option key={choice}>{choice}</option>
                ))}
              </select>
            ) : (
              <input
                aria-label={t('Match {number}', { number: index + 1 })}
                placeholder="Match"
                dir="auto"
                value={match}
                onInput={({ currentTarget }) => setPair(index, { match: currentTarget.value })}
              />
            )}
            {!isKeyOnly && (
              <button
                type="button"
                class="small quiet"
                aria-label={t('Remove pair {number}', { number: index + 1 })}
                disabled={pairs.length <= FEWEST_PAIRS}
                onClick={() => {
                  set({ pairs: pairs.toSpliced(index, 1) })
                  document.getElementById(`${id}-prompt-${Math.max(0, index - 1)}`)?.focus()
                }}
              >
                Remove
              </button>
            )}
          </div>
        ))}
        {!isKeyOnly && pairs.length < MOST_PAIRS && (
          <p>
            <button
              type="button"
              class="small"
              onClick={() => {
                set({ pairs: [...pairs, { prompt: '', match: '' }] })
                focusDrawn(`#${id}-prompt-${pairs.length}`)
              }}
            >
              Add a pair
            </button>
          </p>
        )}
      </fieldset>
      {!isKeyOnly && (
        <fieldset class="stack tight">
          <legend>
            {t('Distractors')} <small>Choices that belong to no prompt</small>
          </legend>
          {distractors.map((distractor, index) => (
            <div key={index} class="item-row">
              <b>{index + 1}</b>
              <input
                aria-label={t('Distractor {number}', { number: index + 1 })}
                dir="auto"
                value={distractor}
                onInput={({ currentTarget }) =>
                  set({ distractors: distractors.with(index, currentTarget.value) })
                }
              />
              <button
                type="button"
                class="small quiet"
                aria-label={t('Remove distractor {number}', { number: index + 1 })}
                onClick={() => {
                  set({ distractors: distractors.toSpliced(index, 1) })
                  document.getElementById(`${id}-more`)?.focus()
                }}
              >
                Remove
              </button>
            </div>
          ))}
          <p>
            <button
              id={`${id}-more`}
              type="button"
              class="small"
              aria-disabled={distractors.length >= MOST_DISTRACTORS}
              onClick={() =>
                distractors.length < MOST_DISTRACTORS && set({ distractors: [...distractors, ''] })
              }
            >
              Add a distractor
            </button>
          </p>
        </fieldset>
      )}
    </>
  )
}

export const matchingEditor: QuestionEditor = {
  Editor,
  hasOptions: false,
  adopt: () => ({ correct_answer: '', parts: EMPTY }),
  findProblems(question) {
    const { pairs, distractors } = partsOf(question)
    const prompts = pairs.map(({ prompt }) => prompt.trim())
    const twice = prompts.findIndex((prompt, index) => prompt !== '' && prompts.indexOf(prompt) !== index)
    return {
      wrong: [
        ...findEmpty(
          pairs.flatMap(({ prompt, match }, index) => [
            [t('Prompt {number}', { number: index + 1 }), prompt] as const,
            [t('Match {number}', { number: index + 1 }), match] as const,
          ]),
        ),
        ...findEmpty(
          distractors.map((text, index) => [t('Distractor {number}', { number: index + 1 }), text]),
        ),
        ...(twice === -1 ? [] : [t('Prompt {number} is the same as an earlier one.', { number: twice + 1 })]),
      ],
      doubtful: [],
    }
  },
}
