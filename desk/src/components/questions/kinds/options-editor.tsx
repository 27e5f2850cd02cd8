import { useId } from 'preact/hooks'
import { list } from '../../../format.ts'
import { t } from '../../../texts.ts'
import { RichText } from '../../rich-text/rich-text.tsx'
import {
  type EditorProps,
  NO_KEY,
  NOT_IN_FORM,
  type Problems,
  type QuestionContent,
  type QuestionEditor,
} from '../editor.ts'
import type { TeacherQuestion } from '../kind.ts'
import { optionTexts } from '../kind.ts'
import { letterAt, shownLetters } from './options.tsx'

/** Letters A to Z. */
const MOST_OPTIONS = 26

const lettersOf = (key: string) => key.toUpperCase().split(',').filter(Boolean)

function fieldsOf(texts: readonly string[]): Partial<QuestionContent> {
  const [option_a = '', option_b = '', option_c = '', option_d = '', ...more_options] = texts
  return { option_a, option_b, option_c, option_d, more_options }
}

interface OptionsEditorProps extends EditorProps {
  type: 'radio' | 'checkbox'
  hint: string
}

/** The options, each with its mark beside it that makes it a correct one. */
function OptionsEditor({ content, change, isKeyOnly, type, hint }: OptionsEditorProps) {
  const id = useId()
  const texts = optionTexts(content)
  const key = lettersOf(content.correct_answer)
  const shown = shownLetters(content)
  function mark(letter: string, isRight: boolean) {
    const others = type === 'radio' ? [] : key.filter((each) => each !== letter)
    change({ correct_answer: [...others, ...(isRight ? [letter] : [])].sort().join(',') })
  }
  /** The letters of the options after it move up. */
  function remove(index: number) {
    const left = key.filter((letter) => letter !== letterAt(index))
    const moved = left.map((letter) =>
      letter > letterAt(index) ? letterAt(letter.charCodeAt(0) - 66) : letter,
    )
    change({ ...fieldsOf(texts.toSpliced(index, 1)), correct_answer: moved.join(',') })
  }
  return (
    <fieldset class="stack tight">
      <legend>
        {t('Options')} <small>{hint}</small>
      </legend>
      {texts.map((text, index) => {
        const letter = letterAt(index)
        // Nobody could have chosen it.
        if (isKeyOnly && !shown.includes(letter) && !key.includes(letter)) return null
        return (
          <div key={letter} class="option-field">
            <input
              id={`${id}${letter}-key`}
              type={type}
              name={`${id}-key`}
              {...NOT_IN_FORM}
              aria-label={t('Option {letter} is correct', { letter })}
              checked={key.includes(letter)}
              onChange={({ currentTarget }) => mark(letter, currentTarget.checked)}
            />
            <label class="letter" for={isKeyOnly ? `${id}${letter}-key` : `${id}${letter}`}>
              {t('<unseen>Option</unseen> {letter}', {
                letter,
                unseen: (inner) => <span class="unseen">{inner}</span>,
              })}
            </label>
            {isKeyOnly ? (
              <RichText text={text} kind="option" />
            ) : (
              <textarea
                id={`${id}${letter}`}
                rows={1}
                dir="auto"
                value={text}
                onInput={({ currentTarget }) => change(fieldsOf(texts.with(index, currentTarget.value)))}
              />
            )}
            {index >= 4 && !isKeyOnly && (
              <button
                type="button"
                class="small quiet"
                aria-label={t('Remove option {letter}', { letter })}
                onClick={() => {
                  remove(index)
                  // The button goes away, or belongs to the next option.
                  document.getElementById(`${id}${letterAt(index - 1)}`)?.focus()
                }}
              >
                Remove
              </button>
            )}
          </div>
        )
      })}
      {!isKeyOnly && texts.length < MOST_OPTIONS && (
        <p>
          <button type="button" class="small" onClick={() => change(fieldsOf([...texts, '']))}>
            Add an option
          </button>
        </p>
      )}
    </fieldset>
  )
}

function findProblems(question: TeacherQuestion): Problems {
  const wrong: string[] = []
  const doubtful: string[] = []
  const filled = optionTexts(question).filter((text) => text.trim() !== '')
  const key = lettersOf(question.correct_answer)
  if (key.length === 0) doubtful.push(NO_KEY)
  const shown = shownLetters(question)
  const missing = key.filter((letter) => !shown.includes(letter))
  if (missing.length > 0)
    wrong.push(
      t(
        '{count, plural, one {Option {letters} is marked as correct, but has no text.} other {Options {letters} are marked as correct, but have no text.}}',
        {
          count: missing.length,
          letters: list(missing),
        },
      ),
    )
  if (filled.length === 0 && !question.image_path)
    doubtful.push(t('No option has a text, so students see only the letters A to D.'))
  else if (filled.length === 1) doubtful.push(t('There is only one option to choose from.'))
  return { wrong, doubtful }
}

const areLetters = (key: string) => /^[A-Z](,[A-Z])*$/.test(key)

export const mcqEditor: QuestionEditor = {
  Editor: (props) => <OptionsEditor {...props} type="radio" hint="Mark the one that is correct" />,
  hasOptions: true,
  adopt: ({ correct_answer: key }) => ({
    correct_answer: areLetters(key) ? key.slice(0, 1) : '',
    parts: null,
  }),
  findProblems,
}

export const msqEditor: QuestionEditor = {
  Editor: (props) => <OptionsEditor {...props} type="checkbox" hint="Tick those that are correct" />,
  hasOptions: true,
  adopt: ({ correct_answer: key }) => ({ correct_answer: areLetters(key) ? key : '', parts: null }),
  findProblems,
}
