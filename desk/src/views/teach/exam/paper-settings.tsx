import '../../../components/questions/questions.css'
import { useId, useState } from 'preact/hooks'
import { Choice } from '../../../components/forms/fields.tsx'
import { JsonField } from '../../../components/forms/json-field.tsx'
import { kindOf } from '../../../components/questions/kinds.ts'
import { QuestionSummary } from '../../../components/questions/question-summary.tsx'
import { t } from '../../../texts.ts'
import { type DrawRule, draw, type ListedQuestion, planDraw, type Shuffle, shuffled } from './paper-plan.ts'

const MOST_RULES = 20
const MOST_DRAWN = 500

interface PaperFieldsProps {
  /** As they are shown first. */
  shuffle: Shuffle
  /** null: all questions. */
  draw: DrawRule[] | null
  /** Of the exam; undefined while they are loaded. */
  questions: readonly ListedQuestion[] | undefined
}

/** What is shuffled and drawn for each attempt, and what that gives. */
export function PaperFields({ shuffle: first, draw, questions }: PaperFieldsProps) {
  const [shuffle, setShuffle] = useState(first)
  const [rules, setRules] = useState(draw ?? [])
  const id = useId()
  const plan = questions && planDraw(rules, questions)
  const tags = [...new Set(questions?.flatMap((question) => question.tags))]
  return (
    <fieldset class="stack tight">
      <legend>The paper of each attempt</legend>
      <Choice
        label="Shuffle"
        name="shuffle"
        value={shuffle}
        options={[
          ['none', t('Nothing')],
          ['questions', t('The questions')],
          ['options', t('The options of each question')],
          ['both', t('The questions and their options')],
        ]}
        onChange={({ currentTarget }) => setShuffle(currentTarget.value as Shuffle)}
      />
      {rules.map((rule, index) => (
        <div key={index} class="draw-row">
          <input
            id={`${id}-${index}`}
            aria-label={t('Tag of draw {number}', { number: index + 1 })}
            placeholder="Tag"
            list={`${id}-tags`}
            maxLength={40}
            value={rule.tag}
            onInput={({ currentTarget }) =>
              setRules(rules.with(index, { ...rule, tag: currentTarget.value }))
            }
          />
          <input
            type="number"
            min={1}
            max={MOST_DRAWN}
            aria-label={t('Number of questions of draw {number}', { number: index + 1 })}
            value={rule.count}
            onInput={({ currentTarget }) =>
              setRules(rules.with(index, { ...rule, count: Number(currentTarget.value) }))
            }
          />
          <small>{plan && t('of {count}', { count: plan.sizes[index] ?? 0 })}</small>
          <button
            type="button"
            class="small quiet"
            aria-label={t('Remove draw {number}', { number: index + 1 })}
            onClick={() => {
              setRules(rules.toSpliced(index, 1))
              document.getElementById(`${id}-more`)?.focus()
            }}
          >
            Remove
          </button>
        </div>
      ))}
      <datalist id={`${id}-tags`}>
        {tags.map((tag) => (
          <option key={tag} value={tag} />
        ))}
      </datalist>
      <p>
        <button
          id={`${id}-more`}
          type="button"
          class="small"
          aria-disabled={rules.length >= MOST_RULES}
          onClick={() => rules.length < MOST_RULES && setRules([...rules, { tag: '', count: 1 }])}
        >
          Draw random questions of a tag
        </button>
      </p>
      {questions?.length === 0 && <p>The exam has no questions.</p>}
      {questions && questions.length > 0 && plan && (
        <>
          <p role="status">
            {rules.length === 0
              ? t(
                  '{count, plural, one {Each attempt has the one question.} other {Each attempt has all # questions.}}',
                  { count: questions.length },
                )
              : t('Each attempt has {drawn} of {count, plural, one {# question} other {# questions}}.', {
                  drawn: plan.count,
                  count: questions.length,
                })}
          </p>
          {plan.tooFew
            .filter(({ tag }) => tag.trim() !== '')
            .map(({ tag, count }, index) => (
              <p key={index} class="notice warn">
                {t(
                  'Fewer than {count, plural, one {# question is} other {# questions are}} there to draw with the tag “{tag}”. One that an earlier draw has taken doesn’t count again.',
                  { count, tag },
                )}
              </p>
            ))}
          <Example shuffle={shuffle} rules={rules} questions={questions} />
        </>
      )}
      <JsonField
        name="draw"
        value={rules.length > 0 ? rules : null}
        take={(taken: DrawRule[] | null) => setRules(taken ?? [])}
      />
    </fieldset>
  )
}

interface ExampleProps {
  shuffle: Shuffle
  rules: DrawRule[]
  questions: readonly ListedQuestion[]
}

/** The paper of one attempt, as it could be. */
function Example({ shuffle, rules, questions }: ExampleProps) {
  const [paper, setPaper] = useState<{ question: ListedQuestion; letters: string[] | null }[]>()
  function make() {
    const drawn = draw(rules, questions)
    const ordered = shuffle === 'questions' || shuffle === 'both' ? shuffled(drawn) : drawn
    setPaper(
      ordered.map((question) => {
        const letters = kindOf(question.question_type).show(question).option_order
        return {
          question,
          letters: letters && (shuffle === 'options' || shuffle === 'both') ? shuffled(letters) : letters,
        }
      }),
    )
  }
  return (
    <div class="stack tight">
      <p>
        <button type="button" class="small" onClick={make}>
          {paper ? 'Show another example' : 'Show an example'}
        </button>
      </p>
      {paper && (
        <ol class="example" aria-label="The paper of one attempt">
          {paper.map(({ question, letters }) => (
            <li key={question.id}>
              <QuestionSummary text={question.question_text} />{' '}
              {letters && <small>{letters.join(' ')}</small>}
            </li>
          ))}
        </ol>
      )}
    </div>
  )
}
