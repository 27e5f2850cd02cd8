import type { Answer, PaperQuestion } from '@exam-practice/client/exam'
import { isAnswered } from '../../../components/questions/kinds.ts'
import { t } from '../../../texts.ts'

interface PaletteProps {
  questions: readonly PaperQuestion[]
  answers: Readonly<Record<string, Answer>>
  marked: readonly number[]
  seen: ReadonlySet<number>
  current: number
  show: (index: number) => void
}

/** All questions with their states, shown by shape and word as well as by colour. */
export function Palette({ questions, answers, marked, seen, current, show }: PaletteProps) {
  const isMarked = new Set(marked)
  const states = questions.map((question) => ({
    isAnswered: isAnswered(question, answers[question.id]),
    isMarked: isMarked.has(question.id),
    isUnseen: !seen.has(question.id) && answers[question.id] === undefined,
  }))
  const count = (test: (state: (typeof states)[number]) => boolean) => states.filter(test).length
  return (
    <section class="palette sheet" aria-label="Questions">
      <ol>
        {states.map((state, index) => (
          <li key={questions[index]?.id}>
            <button
              type="button"
              class={`${state.isAnswered ? 'answered' : state.isUnseen ? 'unseen-yet' : 'skipped'} ${state.isMarked ? 'marked' : ''}`}
              aria-current={index === current ? 'step' : undefined}
              aria-label={t(
                'Question {number}, {state, select, answered {answered} unseen {not seen} other {not answered}}{marked, select, true {, marked} other {}}',
                {
                  number: index + 1,
                  state: state.isAnswered ? 'answered' : state.isUnseen ? 'unseen' : 'open',
                  marked: String(state.isMarked),
                },
              )}
              onClick={() => show(index)}
            >
              {index + 1}
            </button>
          </li>
        ))}
      </ol>
      <p class="legend">
        <span class="answered">
          {t('{count, plural, other {# answered}}', { count: count((each) => each.isAnswered) })}
        </span>
        <span class="marked">
          {t('{count, plural, other {# marked}}', { count: count((each) => each.isMarked) })}
        </span>
        <span class="unseen-yet">
          {t('{count, plural, other {# not seen}}', { count: count((each) => each.isUnseen) })}
        </span>
      </p>
    </section>
  )
}
