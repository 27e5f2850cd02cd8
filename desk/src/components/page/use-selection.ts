import { useState } from 'preact/hooks'

export interface Selection<T> {
  /** The selected rows, those of other pages included. */
  chosen: T[]
  has: (row: T) => boolean
  choose: (rows: readonly T[], isChosen: boolean) => void
  clear: () => void
}

/** Rows that somebody selects for an action. */
export function useSelection<T>(keyOf: (row: T) => string | number): Selection<T> {
  const [rows, setRows] = useState<ReadonlyMap<string | number, T>>(new Map())
  return {
    chosen: [...rows.values()],
    has: (row) => rows.has(keyOf(row)),
    choose: (some, isChosen) =>
      setRows((before) => {
        const next = new Map(before)
        for (const row of some) {
          if (isChosen) next.set(keyOf(row), row)
          else next.delete(keyOf(row))
        }
        return next
      }),
    clear: () => setRows(new Map()),
  }
}
