import { list } from '../../../format.ts'
import { RichText } from '../../rich-text/rich-text.tsx'
import {
  type AnswerProps,
  type GivenAnswer,
  optionTexts,
  type ReviewProps,
  type StudentQuestion,
  type WithOptions,
} from '../kind.ts'
import { imagesOf, QuestionText } from '../question-text.tsx'

export const letterAt = (index: number) => String.fromCharCode(65 + index)

/** The options that are shown, in the order in which they are. */
function listOptions(question: StudentQuestion): { letter: string; text: string }[] {
  const texts = optionTexts(question)
  return (question.option_order ?? []).map((letter) => ({
    letter,
    text: texts[letter.charCodeAt(0) - 65] ?? '',
  }))
}

/** The letters of options with a text. Without any, the options are in the question's picture, and A to D are shown. */
export function shownLetters(question: WithOptions): string[] {
  const texts = optionTexts(question).map((text) => text.trim())
  const arePictured = texts.slice(0, 4).every((text) => text === '')
  return texts.flatMap((text, index) => (text !== '' || (arePictured && index < 4) ? [letterAt(index)] : []))
}

export function hasOption({ option_order }: StudentQuestion, letter: string): boolean {
  return option_order?.includes(letter) ?? false
}

const lettersOf = (answer: GivenAnswer | null | undefined) => (answer ? [answer].flat() : [])

interface OptionsProps extends AnswerProps {
  type: 'radio' | 'checkbox'
  legend: string
  toggle: (letter: string) => void
}

/** A question with options, of which one or several can be chosen. */
export function OptionsAnswer({ question, answer, isReadOnly, type, legend, toggle }: OptionsProps) {
  const chosen = lettersOf(answer)
  const images = imagesOf(question)
  return (
    <>
      <QuestionText question={question} />
      <fieldset class="options" disabled={isReadOnly}>
        <legend class="label">{legend}</legend>
        {listOptions(question).map(({ letter, text }) => (
          <label key={letter} class="option">
            <input
              type={type}
              name={`question-${question.id}`}
              checked={chosen.includes(letter)}
              onChange={() => toggle(letter)}
            />
            <b>{letter}</b>
            <RichText text={text} images={images} kind="option" />
          </label>
        ))}
      </fieldset>
    </>
  )
}

/** The options, with those that were chosen and those that are right. */
export function OptionsReview({ question, given, correct, givenName }: ReviewProps) {
  const chosen = lettersOf(given)
  const images = imagesOf(question)
  const key = lettersOf(correct)
  return (
    <>
      <QuestionText question={question} />
      <ul class="options reviewed">
        {listOptions(question).map(({ letter, text }) => (
          <li
            key={letter}
            class={`option ${key.includes(letter) ? 'right' : chosen.includes(letter) ? 'wrong' : ''}`}
          >
            <b>{letter}</b>
            <RichText text={text} images={images} kind="option" />
            <span class="marks">
              {chosen.includes(letter) && <span class="chip">{givenName}</span>}
              {key.includes(letter) && <span class="chip good">Correct</span>}
            </span>
          </li>
        ))}
      </ul>
    </>
  )
}

export function describeLetters(_question: StudentQuestion, answer: GivenAnswer): string {
  return list(lettersOf(answer))
}
