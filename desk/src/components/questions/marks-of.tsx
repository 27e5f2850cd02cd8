import { number } from '../../format.ts'
import { t } from '../../texts.ts'

/** What a question gives, and what a wrong answer takes. */
export function MarksOf({ question }: { question: { positive_marks: number; negative_marks: number } }) {
  const { positive_marks: marks, negative_marks } = question
  return (
    <small>
      {negative_marks > 0
        ? t('{marks, plural, one {# mark} other {# marks}}, −{off} if incorrect', {
            marks,
            off: number(negative_marks),
          })
        : t('{marks, plural, one {# mark} other {# marks}}', { marks })}
    </small>
  )
}

/** What an answer got of what its question gives. */
export function ScoreOf({ awarded, most }: { awarded: number; most: number }) {
  return (
    <small>
      {t('{score} of {most, plural, one {# mark} other {# marks}}', { score: number(awarded), most })}
    </small>
  )
}
