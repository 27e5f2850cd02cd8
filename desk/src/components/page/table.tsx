import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { t } from '../../texts.ts'
import type { Selection } from './use-selection.ts'

export interface Column<T> {
  head: string
  cell: (row: T) => ComponentChildren
  isNumber?: boolean
  /** What rows can be sorted by; null comes last, whichever way. */
  order?: ((row: T) => string | number | null) | undefined
}

interface Sorting {
  head: string
  isDown: boolean
}

interface TableProps<T> {
  caption: string
  columns: Column<T>[]
  rows: readonly T[]
  keyOf: (row: T) => string | number
  /** Makes rows selectable; `name` names a row for screen readers. */
  selection?: Selection<T> & { name: (row: T) => string }
}

/**
 * A table. If it is wider than the screen it scrolls, also with the keyboard; on a phone each row is a list of its
 * cells.
 */
export function Table<T>({ caption, columns, rows, keyOf, selection }: TableProps<T>) {
  const [sorting, setSorting] = useState<Sorting>()
  const order = columns.find(({ head }) => head === sorting?.head)?.order
  const shown = order ? rows.toSorted(by(order, sorting?.isDown ?? false)) : rows
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling element has to be reachable with the keyboard
    <section class="table" aria-label={caption} tabIndex={0}>
      <table>
        <caption class="unseen">{caption}</caption>
        <thead>
          <tr>
            {selection && (
              <th scope="col" class="choice">
                <label>
                  <small>Select all on this page</small>
                  <input
                    type="checkbox"
                    aria-label="Select all on this page"
                    checked={rows.every(selection.has)}
                    onChange={({ currentTarget }) => selection.choose(rows, currentTarget.checked)}
                  />
                </label>
              </th>
            )}
            {columns.map(({ head, isNumber, order }) => {
              const isDown = sorting?.head === head ? sorting.isDown : undefined
              return (
                <th
                  key={head}
                  scope="col"
                  class={isNumber ? 'number' : ''}
                  aria-sort={isDown === undefined ? undefined : isDown ? 'descending' : 'ascending'}
                >
                  {order ? (
                    <button
                      type="button"
                      class="sorts"
                      onClick={() => setSorting({ head, isDown: isDown === false })}
                    >
                      {head}
                    </button>
                  ) : (
                    head
                  )}
                </th>
              )
            })}
          </tr>
        </thead>
        <tbody>
          {shown.map((row) => (
            <tr key={keyOf(row)}>
              {selection && (
                <td class="choice">
                  <input
                    type="checkbox"
                    aria-label={t('Select {name}', { name: selection.name(row) })}
                    checked={selection.has(row)}
                    onChange={({ currentTarget }) => selection.choose([row], currentTarget.checked)}
                  />
                </td>
              )}
              {columns.map(({ head, cell, isNumber }) => (
                <td key={head} class={isNumber ? 'number' : ''} data-head={head}>
                  {cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

function by<T>(order: (row: T) => string | number | null, isDown: boolean) {
  return (one: T, other: T): number => {
    const [a, b] = [order(one), order(other)]
    if (a === null || b === null) return Number(a === null) - Number(b === null)
    const difference = typeof a === 'number' ? a - Number(b) : a.localeCompare(String(b))
    return isDown ? -difference : difference
  }
}
