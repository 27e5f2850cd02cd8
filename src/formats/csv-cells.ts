/**
 * Text that a spreadsheet would run as a formula or command, also after white space, and characters that hide such
 * text.
 */
const FORMULA = /^[\p{Default_Ignorable_Code_Point}\p{Cc}]|^\s*[=+\-@|%＝＋－＠｜％]/u
/** Nobody types this, so the import can remove exactly what the export has added. */
const MARK = "'\u2060"

/** Puts an apostrophe in front of text that a spreadsheet would take for a formula. */
export function guardFormula(text: string): string {
  return FORMULA.test(text) ? `'${text}` : text
}

/** The same in a form that `unmarkFormula` turns back into the original text. */
export function markFormula(text: string): string {
  return FORMULA.test(text) || text.startsWith(MARK) ? MARK + text : text
}

export function unmarkFormula(text: string): string {
  return text.startsWith(MARK) ? text.slice(MARK.length) : text
}
