import { useState } from 'preact/hooks'
import { AnsweredQuestion } from '../../../components/questions/answered-question.tsx'
import type { GivenAnswer, TeacherQuestion } from '../../../components/questions/kind.ts'
import { kindOf } from '../../../components/questions/kinds.ts'
import { MarksOf } from '../../../components/questions/marks-of.tsx'
import { ReviewedQuestion } from '../../../components/questions/reviewed-question.tsx'
import { t } from '../../../texts.ts'

interface PreviewProps {
  question: TeacherQuestion
  /** Whether it can be answered at first; else its key and explanation are shown, as in a review. */
  isAsked?: boolean
  /** Which one it is, where a page has several. */
  number?: number
}

/** A question as students see it, while they take the exam and afterwards. */
export function Preview({ question, isAsked: isAskedAtFirst = false, number }: PreviewProps) {
  const [isAsked, setAsked] = useState(isAskedAtFirst)
  const { correct, ...shown } = kindOf(question.question_type).show(question)
  const asked = { ...question, ...shown, tolerance: Number(question.tolerance) || 0, id: 0 }
  return (
    <section
      class="sheet preview"
      aria-label={number === undefined ? t('As students see it') : `${number}. ${t('As students see it')}`}
    >
      <div class="row spread">
        <small>As students see it</small>
        <MarksOf question={question} />
      </div>
      <div class="row">
        <button type="button" class="small" aria-pressed={isAsked} onClick={() => setAsked(true)}>
          During the exam
        </button>
        <button type="button" class="small" aria-pressed={!isAsked} onClick={() => setAsked(false)}>
          In the review
        </button>
      </div>
      {isAsked ? (
        <Trial key={JSON.stringify([question.question_type, shown])} question={asked} />
      ) : (
        <ReviewedQuestion
          question={asked}
          given={null}
          correct={correct}
          explanation={question.explanation}
        />
      )}
    </section>
  )
}

/** A question that can be answered to try it; the answer goes nowhere. */
function Trial({ question }: { question: Parameters<typeof AnsweredQuestion>[0]['question'] }) {
  const [answer, setAnswer] = useState<GivenAnswer>()
  return (
    <AnsweredQuestion
      question={question}
      answer={answer}
      change={(next) => setAnswer((before) => next(before) ?? undefined)}
      isReadOnly={false}
    />
  )
}
