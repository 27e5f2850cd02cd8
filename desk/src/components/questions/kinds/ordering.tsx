import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { list } from '../../../format.ts'
import { t } from '../../../texts.ts'
import { RichText } from '../../rich-text/rich-text.tsx'
import type { AnswerProps, GivenAnswer, QuestionKind, ReviewProps, StudentQuestion } from '../kind.ts'
import { QuestionText } from '../question-text.tsx'
import { useDrag } from '../use-drag.ts'

interface OrderingItem {
  id: string
  text: string
}

function itemsOf({ parts }: StudentQuestion): OrderingItem[] {
  return parts && 'items' in parts ? parts.items : []
}

/** The items in the order of an answer; without one as they come. */
function inOrder(question: StudentQuestion, answer: GivenAnswer | null | undefined): OrderingItem[] {
  const items = itemsOf(question)
  const ids = Array.isArray(answer) ? answer : []
  const found = ids.map((id) => items.find((item) => item.id === id))
  return found.length === items.length && !found.includes(undefined) ? (found as OrderingItem[]) : items
}

function Answer({ question, answer, change, isReadOnly }: AnswerProps) {
  const items = inOrder(question, answer)
  const list = useRef<HTMLOListElement>(null)
  const moved = useRef<{ id: string; control: string }>(undefined)
  const [told, setTold] = useState('')
  const place = (id: string, to: number) => {
    change((before) => {
      const ids = inOrder(question, before).map((item) => item.id)
      return ids.toSpliced(ids.indexOf(id), 1).toSpliced(to, 0, id)
    })
    setTold(
      t('{item} is now {place} of {count}', {
        item: items.find((item) => item.id === id)?.text ?? '',
        place: to + 1,
        count: items.length,
      }),
    )
  }
  /** Moves an item by one of its controls, which keeps the focus at the item's new place. */
  const placeBy = (control: string, id: string, to: number) => {
    if (to < 0 || to >= items.length) return
    moved.current = { id, control }
    place(id, to)
  }
  useLayoutEffect(() => {
    if (!moved.current) return
    const { id, control } = moved.current
    moved.current = undefined
    const rows = [...(list.current?.children ?? [])] as HTMLElement[]
    rows
      .find((row) => row.dataset.dragged === id)
      ?.querySelector<HTMLElement>(control)
      ?.focus()
  })
  const { grip, whole, drag } = useDrag((id, to) => place(id, Number(to)))
  return (
    <>
      <QuestionText question={question} />
      <fieldset class="stack tight" disabled={isReadOnly}>
        <legend class="label">Put these into the correct order</legend>
        <ol class="options ordering" ref={list}>
          {items.map((item, index) => (
            <li
              key={item.id}
              class={`option ${drag?.dragged === item.id ? 'dragged' : ''} ${drag?.over === String(index) ? 'over' : ''}`}
              data-dragged={item.id}
              data-place={index}
              {...(isReadOnly ? {} : whole)}
            >
              <button
                type="button"
                class="grip"
                aria-label={t('Move {item}: arrow keys, or drag', { item: item.text })}
                {...grip}
                onKeyDown={(event) => {
                  const step = { ArrowUp: -1, ArrowDown: 1 }[event.key]
                  if (step === undefined) return
                  event.preventDefault()
                  placeBy('.grip', item.id, index + step)
                }}
              />
              <RichText class="grow-text" text={item.text} kind="option" />
              <select
                aria-label={t('Place of {item}', { item: item.text })}
                value={index}
                onPointerDown={(event) => event.stopPropagation()}
                onChange={({ currentTarget }) => placeBy('select', item.id, Number(currentTarget.value))}
              >
                {items.map((each, to) => (
                  <option key={each.id} value={to}>
                    {to + 1}
                  </option>
                ))}
              </select>
            </li>
          ))}
        </ol>
        <p class="unseen" role="status">
          {told}
        </p>
        {answer === undefined && (
          <p class="row">
            <small>This order isn’t your answer yet: move something, or take it as it is.</small>
            <button type="button" class="small" onClick={() => change(() => items.map(({ id }) => id))}>
              Answer with this order
            </button>
          </p>
        )}
      </fieldset>
    </>
  )
}

function Review({ question, given, correct, givenName }: ReviewProps) {
  const right = correct === null ? undefined : inOrder(question, correct)
  const order = given === null ? undefined : inOrder(question, given)
  return (
    <>
      <QuestionText question={question} />
      <div class="two">
        {order && (
          <div>
            <p class="label">{givenName}</p>
            <ol class="options reviewed numbered">
              {order.map((item, index) => {
                const isRight = right?.[index]?.text === item.text
                return (
                  <li key={item.id} class={`option ${!right ? '' : isRight ? 'right' : 'wrong'}`}>
                    <b>{index + 1}</b>
                    <RichText text={item.text} kind="option" />
                    {isRight && <span class="chip good marks">Correct</span>}
                  </li>
                )
              })}
            </ol>
          </div>
        )}
        {right && (
          <div>
            <p class="label">Correct order</p>
            <ol class="options reviewed numbered">
              {right.map((item, index) => (
                <li key={item.id} class="option right">
                  <b>{index + 1}</b>
                  <RichText text={item.text} kind="option" />
                </li>
              ))}
            </ol>
          </div>
        )}
      </div>
    </>
  )
}

/** Items that have to be put into their order. */
export const ordering: QuestionKind = {
  name: t('Ordering'),
  Answer,
  Review,
  describe: (question, answer) => list(inOrder(question, answer).map(({ text }) => text)),
  show({ parts }) {
    const items = parts && 'items' in parts ? parts.items : []
    const withIds = items.map((text, index) => ({ id: String(index + 1), text: String(text) }))
    return {
      parts: { items: withIds.toSorted((one, other) => one.text.localeCompare(other.text)) },
      option_order: null,
      correct: withIds.map(({ id }) => id),
    }
  },
}
