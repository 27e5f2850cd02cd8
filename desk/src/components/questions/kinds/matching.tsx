import { useId } from 'preact/hooks'
import { list } from '../../../format.ts'
import { t } from '../../../texts.ts'
import { RichText } from '../../rich-text/rich-text.tsx'
import {
  type AnswerProps,
  entriesOf,
  type QuestionKind,
  type ReviewProps,
  type StudentQuestion,
  toChoices,
  withEntry,
} from '../kind.ts'
import { QuestionText } from '../question-text.tsx'
import { ReviewedEntry } from '../reviewed-entry.tsx'
import { useDrag } from '../use-drag.ts'

type ShownMatching = Extract<NonNullable<StudentQuestion['parts']>, { prompts: string[] }>

function partsOf({ parts }: StudentQuestion): ShownMatching {
  return parts && 'prompts' in parts ? parts : { prompts: [], choices: [] }
}

function Answer({ question, answer, change, isReadOnly }: AnswerProps) {
  const id = useId()
  const { prompts, choices } = partsOf(question)
  const chosen = entriesOf(answer, prompts.length)
  const match = (index: number, choice: string) =>
    change((before) => withEntry(before, prompts.length, index, choice))
  const { grip, whole, drag } = useDrag((choice, index) => match(Number(index), choice))
  return (
    <>
      <QuestionText question={question} />
      <fieldset class="matching" disabled={isReadOnly}>
        <legend class="label">Choose what belongs to each, or drag it there</legend>
        <ol class="choices" aria-label="Choices">
          {choices.map((choice, index) => (
            <li
              key={choice.id}
              class={`pick ${drag?.dragged === choice.id ? 'dragged' : ''} ${chosen.includes(choice.id) ? 'used' : ''}`}
              data-dragged={choice.id}
              {...(isReadOnly ? {} : whole)}
            >
              <span class="grip" aria-hidden="true" {...(isReadOnly ? {} : grip)} />
              <b>{index + 1}</b>
              <RichText text={choice.text} kind="option" />
            </li>
          ))}
        </ol>
        <ul class="prompts">
          {prompts.map((prompt, index) => (
            <li
              key={index}
              class={`option prompt ${drag?.over === String(index) ? 'over' : ''}`}
              data-place={index}
            >
              <label for={`${id}-${index}`}>
                <RichText text={prompt} kind="option" />
              </label>
              <select
                id={`${id}-${index}`}
                value={chosen[index]}
                onChange={({ currentTarget }) => match(index, currentTarget.value)}
              >
                <option value="">–</option>
                {choices.map((choice, place) => (
                  <option key={choice.id} value={choice.id}>
                    {place + 1}. {choice.text}
                  </option>
                ))}
              </select>
            </li>
          ))}
        </ul>
      </fieldset>
    </>
  )
}

function Review({ question, given, correct, givenName }: ReviewProps) {
  const { prompts } = partsOf(question)
  const chosen = entriesOf(given, prompts.length)
  const key = correct === null ? undefined : entriesOf(correct, prompts.length)
  return (
    <>
      <QuestionText question={question} />
      <ul class="options reviewed">
        {prompts.map((prompt, index) => {
          const isRight = key && chosen[index] === key[index]
          return (
            <ReviewedEntry
              key={index}
              given={textOf(question, chosen[index])}
              givenName={givenName}
              right={key && textOf(question, key[index])}
              mood={!key ? '' : isRight ? 'right' : chosen[index] ? 'wrong' : ''}
            >
              <RichText text={prompt} kind="option" />
            </ReviewedEntry>
          )
        })}
      </ul>
    </>
  )
}

function textOf(question: StudentQuestion, id: string | undefined): string {
  return partsOf(question).choices.find((choice) => choice.id === id)?.text ?? '–'
}

/** Prompts that each have a match among the choices. */
export const matching: QuestionKind = {
  name: t('Matching'),
  Answer,
  Review,
  describe(question, answer) {
    const { prompts } = partsOf(question)
    const chosen = entriesOf(answer, prompts.length)
    return list(prompts.map((prompt, index) => `${prompt} = ${textOf(question, chosen[index])}`))
  },
  show({ parts }) {
    const { pairs, distractors } = parts && 'pairs' in parts ? parts : { pairs: [], distractors: [] }
    const choices = toChoices([...pairs.map(({ match }) => match), ...distractors])
    return {
      parts: { prompts: pairs.map(({ prompt }) => prompt), choices },
      option_order: null,
      correct: pairs.map(({ match }) => choices.find(({ text }) => text === match)?.id ?? ''),
    }
  },
}
