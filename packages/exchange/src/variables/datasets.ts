import type { Variable } from '@exam-practice/expressions'
import { Skip } from '../items.ts'
import { digitsAt, parseDecimal, writeDecimal } from '../numbers/decimals.ts'

/** A variable as other tools have it: a range from which its values were drawn, and these. */
export interface Dataset {
  name: string
  from: string
  to: string
  decimals: number
  /** As they are written. */
  values: string[]
}

const MOST_DECIMALS = 15
const LONGEST_NUMBER = 50

/** Throws `Skip` for what can't be read. */
export function readDataset(given: {
  name: string
  from: string
  to: string
  decimals: string
  values: readonly string[]
}): Dataset {
  const decimals = Number(given.decimals || '0')
  if (!Number.isInteger(decimals) || decimals < 0 || decimals > MOST_DECIMALS)
    throw new Skip('the decimals of a variable cannot be read')
  const [from, to] = [given.from, given.to].map((end) =>
    rounded(requireNumber(end, 'range of a variable'), decimals),
  ) as [string, string]
  const isReversed = Number(from) > Number(to)
  return {
    name: given.name,
    ...(isReversed ? { from: to, to: from } : { from, to }),
    decimals,
    values: given.values.map((value) => requireNumber(value, 'value of a variable')),
  }
}

export function requireNumber(text: string, what: string): string {
  const number = text.trim()
  if (number.length > LONGEST_NUMBER || !parseDecimal(number)) throw new Skip(`the ${what} cannot be read`)
  return number
}

/** Whether values were entered by hand: some couldn't have been drawn from the range. */
export function isTable({ from, to, decimals, values }: Dataset): boolean {
  const [low, high] = [from, to].map((each) => atScale(each, decimals))
  return !values.every((value) => {
    const digits = atScale(value, decimals)
    return digits !== undefined && low !== undefined && high !== undefined && low <= digits && digits <= high
  })
}

/** Ranges, or the values of the only one. Throws `Skip` where values of several belong together. */
export function toVariables(datasets: readonly Dataset[], names: ReadonlyMap<string, string>): Variable[] {
  if (datasets.length > 1 && datasets.some(isTable))
    throw new Skip('its values were entered by hand, and those of several variables belong together')
  return datasets.map((dataset): Variable => {
    const name = names.get(dataset.name) ?? dataset.name
    const { from, to, decimals, values } = dataset
    return isTable(dataset)
      ? { name, values }
      : { name, from, to, step: writeDecimal({ digits: 1n, scale: decimals }) }
  })
}

/** With so many decimals, half away from zero. */
function rounded(number: string, decimals: number): string {
  const { digits, scale } = parseDecimal(number) ?? { digits: 0n, scale: 0 }
  if (scale <= decimals) return writeDecimal({ digits, scale })
  const power = 10n ** BigInt(scale - decimals)
  const half = digits < 0n ? -power / 2n : power / 2n
  return writeDecimal({ digits: (digits + half) / power, scale: decimals })
}

/** undefined for a number with more decimals. */
function atScale(number: string, decimals: number): bigint | undefined {
  const decimal = parseDecimal(number)
  const shortest = decimal && parseDecimal(writeDecimal(decimal))
  return shortest && shortest.scale <= decimals ? digitsAt(shortest, decimals) : undefined
}
