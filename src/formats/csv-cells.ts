/** A row of a download, by its columns. */
export type CsvRow = Record<string, string | number | boolean | null>

/** What begins a formula or command of a spreadsheet. */
const SIGN = '[=+\\-@|%＝＋－＠｜％]'
/**
 * Text that a spreadsheet would run as a formula or command, also after white space, and characters that hide such
 * text.
 */
const FORMULA = new RegExp(`^[\\p{Default_Ignorable_Code_Point}\\p{Cc}]|^\\s*${SIGN}`, 'u')
/** Nobody types this, so the import can remove exactly what the export has added. */
const MARK = "'\u2060"
/**
 * Where a spreadsheet that takes another separator than the comma begins a cell: it doesn't know our quotation marks,
 * which then are in the middle of its cells.
 */
const CELL_BEGINS = '(?<=[;\\t\\r\\n]\\s*)'
const INNER_FORMULA = new RegExp(`(?=${SIGN})${CELL_BEGINS}`, 'gu')
const INNER_TO_MARK = new RegExp(`(?=${SIGN}|${MARK})${CELL_BEGINS}`, 'gu')
const INNER_MARK = new RegExp(`${MARK}(?<=[;\\t\\r\\n]\\s*${MARK})`, 'gu')

/** Puts an apostrophe in front of text that a spreadsheet would take for a formula. */
export function guardFormula(text: string): string {
  return (FORMULA.test(text) ? `'${text}` : text).replace(INNER_FORMULA, "'")
}

/** Marks text that a spreadsheet would take for a formula, so that `unmarkFormula` gives back the original text. */
export function markFormula(text: string): string {
  const inner = text.replace(INNER_TO_MARK, MARK)
  return FORMULA.test(text) || text.startsWith(MARK) ? MARK + inner : inner
}

export function unmarkFormula(text: string): string {
  return (text.startsWith(MARK) ? text.slice(MARK.length) : text).replace(INNER_MARK, '')
}
