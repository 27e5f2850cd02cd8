import type { Answer, PaperQuestion } from '@exam-practice/client/exam'

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
  const states = questions.map(({ id }) => ({
    isAnswered: answers[id] !== undefined,
    isMarked: isMarked.has(id),
    isUnseen: !seen.has(id) && answers[id] === undefined,
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
              aria-label={`Question ${index + 1}, ${state.isAnswered ? 'answered' : state.isUnseen ? 'not seen' : 'not answered'}${state.isMarked ? ', marked' : ''}`}
              onClick={() => show(index)}
            >
              {index + 1}
            </button>
          </li>
        ))}
      </ol>
      <p class="legend">
        <span class="answered">{count((each) => each.isAnswered)} answered</span>
        <span class="marked">{count((each) => each.isMarked)} marked</span>
        <span class="unseen-yet">{count((each) => each.isUnseen)} not seen</span>
      </p>
    </section>
  )
}
