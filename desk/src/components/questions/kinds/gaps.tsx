import type { RefObject } from 'preact'
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { list } from '../../../format.ts'
import { t } from '../../../texts.ts'
import { bestAccepted, describeAccepted, readAccepted } from '../accepted-texts.ts'
import {
  type AnswerProps,
  entriesOf,
  type QuestionKind,
  type ReviewProps,
  type StudentQuestion,
  type TeacherQuestion,
  toChoices,
  withEntry,
} from '../kind.ts'
import { isReadableNumber, LONGEST_NUMBER, withTolerance } from '../numbers.ts'
import { QuestionText } from '../question-text.tsx'
import { ReviewedEntry } from '../reviewed-entry.tsx'
import { TypedInput } from '../typed-input.tsx'
import { LONGEST_TEXT } from './short.tsx'

type Gap = Extract<NonNullable<StudentQuestion['parts']>, { gaps: unknown[] }>['gaps'][number]

export type WrittenGap = Extract<NonNullable<TeacherQuestion['parts']>, { gaps: unknown[] }>['gaps'][number]

function gapsOf({ parts }: StudentQuestion): Gap[] {
  return parts && 'gaps' in parts ? parts.gaps : []
}

function Answer({ question, answer, change, isReadOnly }: AnswerProps) {
  const all = gapsOf(question)
  const entries = entriesOf(answer, all.length)
  const text = useRef<HTMLDivElement>(null)
  const undrawn = useUndrawn(text, all.length)
  const draw = (number: number) => {
    const gap = all[number - 1]
    return (
      gap && (
        <GapField
          key={number}
          gap={gap}
          number={number}
          entry={entries[number - 1] ?? ''}
          fill={(entry) => change((before) => withEntry(before, all.length, number - 1, entry))}
          isReadOnly={isReadOnly}
        />
      )
    )
  }
  return (
    <fieldset class="stack tight gaps" disabled={isReadOnly}>
      <legend class="label">Fill the gaps</legend>
      <div ref={text}>
        <QuestionText question={question} gap={draw} />
      </div>
      {undrawn.map((number) => (
        <p key={number} class="row">
          <span>{t('Gap {number}:', { number })}</span>
          {draw(number)}
        </p>
      ))}
      {all.map(
        (gap, index) =>
          gap.kind === 'number' &&
          !isReadableNumber(entries[index] ?? '') && (
            <small key={index} role="status" class="warn">
              {t('Gap {number} doesn’t read as a number yet, and would count as empty.', {
                number: index + 1,
              })}
            </small>
          ),
      )}
    </fieldset>
  )
}

/** The numbers of gaps whose marks are not drawn as fields, such as those within a formula. */
function useUndrawn(text: RefObject<HTMLElement | null>, count: number): number[] {
  const [undrawn, setUndrawn] = useState<number[]>([])
  useLayoutEffect(() => {
    const element = text.current
    if (!element) return
    const look = () => {
      const numbers = Array.from({ length: count }, (_, index) => index + 1)
      const missing = numbers.filter((number) => !element.querySelector(`[data-gap="${number}"]`))
      setUndrawn((before) => (before.join() === missing.join() ? before : missing))
    }
    look()
    // Formulas and lists are drawn later than the rest.
    const observer = new MutationObserver(look)
    observer.observe(element, { childList: true, subtree: true })
    return () => observer.disconnect()
  }, [count])
  return undrawn
}

interface GapFieldProps {
  gap: Gap
  number: number
  entry: string
  fill: (entry: string) => void
  isReadOnly: boolean
}

function GapField({ gap, number, entry, fill, isReadOnly }: GapFieldProps) {
  return (
    <span class={`gap gap-${gap.kind}`} data-gap={number}>
      {gap.kind === 'choice' ? (
        <select
          aria-label={t('Gap {number}', { number })}
          value={entry}
          onChange={({ currentTarget }) => fill(currentTarget.value)}
        >
          <option value="">–</option>
          {gap.choices?.map(({ id, text }) => (
            <option key={id} value={id}>
              {text}
            </option>
          ))}
        </select>
      ) : (
        <TypedInput
          aria-label={t('Gap {number}', { number })}
          {...(gap.kind === 'number' ? { inputMode: 'decimal' as const } : {})}
          maxLength={gap.kind === 'number' ? LONGEST_NUMBER : LONGEST_TEXT}
          value={entry}
          type={fill}
          isReadOnly={isReadOnly}
        />
      )}
    </span>
  )
}

function Review({ question, given, correct, givenName }: ReviewProps) {
  const all = gapsOf(question)
  const entries = entriesOf(given, all.length)
  const key = correct === null ? undefined : entriesOf(correct, all.length)
  return (
    <>
      <QuestionText
        question={question}
        gap={(number) => all[number - 1] && <span class="gap-mark">{number}</span>}
      />
      <ol class="options reviewed">
        {all.map((gap, index) => {
          const isRight = key && isSame(gap, entries[index], key[index])
          // Another text or number may be right as well, and only the service knows.
          const isWrong = key && gap.kind === 'choice' && entries[index] !== '' && !isRight
          return (
            <ReviewedEntry
              key={index}
              given={textOf(gap, entries[index])}
              givenName={givenName}
              right={key && textOf(gap, key[index])}
              mood={isRight ? 'right' : isWrong ? 'wrong' : ''}
            >
              <span class="gap-mark">{index + 1}</span>
            </ReviewedEntry>
          )
        })}
      </ol>
    </>
  )
}

/** Whether an entry surely gets the marks of a gap's key. */
function isSame({ kind }: Gap, entry = '', key = ''): boolean {
  if (kind === 'choice' || entry.trim() === '') return entry === key
  if (kind === 'number') return Number(entry.replace(',', '.')) === Number(key)
  const [one, other] = [entry, key].map((text) => text.trim().replace(/\s+/g, ' ').toLowerCase())
  return one === other
}

function textOf(gap: Gap, entry: string | undefined): string {
  return (gap.kind === 'choice' ? gap.choices?.find(({ id }) => id === entry)?.text : entry) || '–'
}

function describeGap(gap: WrittenGap): string {
  if (gap.kind === 'text') return describeAccepted(gap.accepted.map(readAccepted))
  if (gap.kind === 'number') return withTolerance(gap.key, gap.tolerance)
  return gap.choices[gap.correct] ?? '–'
}

/** A text with gaps to be filled. */
export const gaps: QuestionKind = {
  name: t('A text with gaps'),
  Answer,
  Review,
  isComplete: (question, answer) =>
    gapsOf(question).some(({ kind }, index) => {
      const entry = entriesOf(answer, index + 1)[index]?.trim()
      return Boolean(entry) && (kind !== 'number' || isReadableNumber(entry ?? ''))
    }),
  describe(question, answer) {
    const all = gapsOf(question)
    const entries = entriesOf(answer, all.length)
    return list(all.map((gap, index) => `${index + 1}: ${textOf(gap, entries[index])}`))
  },
  describeKey({ parts }) {
    const written = parts && 'gaps' in parts ? parts.gaps : []
    return list(written.map((gap, index) => `${index + 1}: ${describeGap(gap)}`))
  },
  show({ parts }) {
    const written = parts && 'gaps' in parts ? parts.gaps : []
    const shown = written.map((gap) => {
      if (gap.kind === 'text')
        return { gap: { kind: gap.kind }, right: bestAccepted(gap.accepted.map(readAccepted)) }
      if (gap.kind === 'number') return { gap: { kind: gap.kind }, right: String(gap.key) }
      const choices = toChoices(gap.choices)
      const right = choices.find(({ text }) => text === gap.choices[gap.correct])?.id
      return { gap: { kind: gap.kind, choices }, right }
    })
    return {
      parts: { gaps: shown.map(({ gap }) => gap) },
      option_order: null,
      correct: shown.map(({ right }) => right ?? ''),
    }
  },
}
