/** A mark of the passage with that number: `【n】`. */
const OPENING = '【'
const CLOSING = '】'
const MARK = /【(\d+)】/g

const isDigit = (character: string) => character >= '0' && character <= '9'

/** Beginnings of marks at the end of what has come so far, which nobody has seen yet. */
export const NOTHING_HELD = ''

/**
 * Takes marks out of the next piece of a text that name none of the `given` passages, numbered from 1. A mark may be cut
 * anywhere: `held` is what a piece before has left open. What stands around a mark that is taken out makes no new one.
 */
export function takeMarks(held: string, piece: string, given: number): { shown: string; held: string } {
  let shown = ''
  let open = held
  for (const character of piece)
    if (character === OPENING || (open !== '' && isDigit(character))) open += character
    else {
      const start = open.lastIndexOf(OPENING)
      const digits = open.slice(start + 1)
      if (character === CLOSING && digits !== '' && !names(digits, given)) {
        open = open.slice(0, start)
        continue
      }
      shown += open + character
      open = ''
    }
  return { shown, held: open }
}

/** Whether a mark with these digits names one of the passages. */
function names(digits: string, given: number): boolean {
  const n = Number(digits)
  return n >= 1 && n <= given && String(n) === digits
}

/** A text without its marks, and where each stood in it. */
export function readMarks(text: string): { plain: string; marks: { n: number; at: number }[] } {
  const marks: { n: number; at: number }[] = []
  let taken = 0
  const plain = text.replace(MARK, (mark, digits: string, at: number) => {
    marks.push({ n: Number(digits), at: at - taken })
    taken += mark.length
    return ''
  })
  return { plain, marks }
}
