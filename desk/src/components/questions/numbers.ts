/** The service's rule for a complete number (`readGivenNumber` in questions/kinds/numbers.ts); change both together. */
const COMPLETE = /^[+-]?(\d+([.,]\d+)?|[.,]\d+)([eE][+-]?\d{1,3})?$/

/** Whether a number is complete, or nothing is typed yet. */
export function isReadableNumber(typed: string): boolean {
  return typed.trim() === '' || COMPLETE.test(typed.trim())
}

/** Characters of a number that is typed. */
export const LONGEST_NUMBER = 100

/** A number that is right within a tolerance. */
export function withTolerance(key: string | number, tolerance: string | number): string {
  return Number(tolerance) > 0 ? `${key} ± ${tolerance}` : String(key)
}
