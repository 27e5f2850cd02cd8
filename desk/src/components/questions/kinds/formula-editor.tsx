import { useId } from 'preact/hooks'
import { t } from '../../../texts.ts'
import { Labelled } from '../../forms/fields.tsx'
import { focusDrawn } from '../../forms/focus-drawn.ts'
import { type EditorProps, NO_KEY, type QuestionEditor } from '../editor.ts'
import { FormulaInput } from '../formula-input.tsx'
import type { TeacherQuestion } from '../kind.ts'

interface Symbol {
  name: string
  from?: string | number
  to?: string | number
}

const MOST_SYMBOLS = 10
const LONGEST_NAME = 16

function symbolsOf({ parts }: Pick<TeacherQuestion, 'parts'>): Symbol[] {
  return parts && 'symbols' in parts ? parts.symbols : []
}

function Editor({ content, change, isKeyOnly }: EditorProps) {
  const id = useId()
  const symbols = symbolsOf(content)
  const also = content.parts && 'also' in content.parts ? content.parts.also : undefined
  const set = (next: Symbol[]) => change({ parts: { symbols: next, ...(also ? { also } : {}) } })
  const setLimit = (index: number, limits: { from?: string; to?: string }) => {
    const { name, from = '', to = '', ...rest } = { ...(symbols[index] as Symbol), ...limits }
    set(symbols.with(index, from === '' && to === '' ? { ...rest, name } : { ...rest, name, from, to }))
  }
  return (
    <>
      <FormulaInput
        label={t('Correct answer')}
        value={content.correct_answer}
        symbols={symbols.map(({ name }) => name)}
        store={(text) => change({ correct_answer: text })}
        isReadOnly={false}
      />
      <fieldset class="stack tight">
        <legend>
          {t('Symbols')} <small>What an answer is written in, and between which numbers it is compared</small>
        </legend>
        {symbols.map(({ name, from = '', to = '' }, index) => (
          <div key={index} class="fields">
            <Labelled label={t('Symbol {number}', { number: index + 1 })}>
              {(tie) => (
                <input
                  {...tie}
                  data-symbol={`${id}-${index}`}
                  dir="ltr"
                  autoCapitalize="off"
                  maxLength={LONGEST_NAME}
                  value={name}
                  readOnly={isKeyOnly}
                  onInput={({ currentTarget }) =>
                    set(
                      symbols.with(index, {
                        ...(symbols[index] as Symbol),
                        name: currentTarget.value.trim(),
                      }),
                    )
                  }
                />
              )}
            </Labelled>
            <Labelled label="From">
              {(tie) => (
                <input
                  {...tie}
                  inputMode="decimal"
                  placeholder="-3"
                  value={from}
                  onInput={({ currentTarget }) => setLimit(index, { from: currentTarget.value.trim() })}
                />
              )}
            </Labelled>
            <Labelled label="To">
              {(tie) => (
                <input
                  {...tie}
                  inputMode="decimal"
                  placeholder="3"
                  value={to}
                  onInput={({ currentTarget }) => setLimit(index, { to: currentTarget.value.trim() })}
                />
              )}
            </Labelled>
            {!isKeyOnly && (
              <button
                type="button"
                class="small quiet"
                aria-label={t('Remove symbol {number}', { number: index + 1 })}
                disabled={symbols.length === 1}
                onClick={() => set(symbols.toSpliced(index, 1))}
              >
                Remove
              </button>
            )}
          </div>
        ))}
        {!isKeyOnly && symbols.length < MOST_SYMBOLS && (
          <p>
            <button
              type="button"
              class="small"
              onClick={() => {
                set([...symbols, { name: '' }])
                focusDrawn(`[data-symbol="${id}-${symbols.length}"]`)
              }}
            >
              Add a symbol
            </button>
          </p>
        )}
      </fieldset>
    </>
  )
}

export const formulaEditor: QuestionEditor = {
  Editor,
  hasOptions: false,
  adopt: () => ({ correct_answer: '', parts: { symbols: [{ name: 'x' }] } }),
  findProblems: (question) => {
    const unnamed = symbolsOf(question).some(({ name }) => name === '')
    const wrong = unnamed ? [t('A symbol has no name.')] : []
    return { wrong, doubtful: question.correct_answer.trim() === '' ? [NO_KEY] : [] }
  },
}
