import { HEIGHT, linesOf, type Mark, WIDTH } from './drawing.tsx'

/** The radius of the corner by which a mark is resized; a pointer still hits a mark from twice as far. */
export const REACH = 14
/** The least width to which a mark is resized. */
const SMALLEST = 24

/** The rectangle around a mark, wide enough to be hit with a finger. */
export function boxOf(mark: Mark): { left: number; top: number; right: number; bottom: number } {
  if (mark.kind === 'image')
    return { left: mark.x, top: mark.y, right: mark.x + mark.width, bottom: mark.y + mark.height }
  if (mark.kind === 'text') {
    const lines = linesOf(mark)
    return {
      left: mark.x - REACH,
      top: mark.y - mark.size,
      right: mark.x + Math.max(...lines.map(({ length }) => length)) * mark.size * 0.6,
      bottom: mark.y + (lines.length - 1) * mark.size * 1.3 + REACH,
    }
  }
  let [left, top, right, bottom] = [WIDTH, HEIGHT, 0, 0]
  for (let at = 0; at + 1 < mark.points.length; at += 2) {
    const [x = 0, y = 0] = mark.points.slice(at, at + 2)
    left = Math.min(left, x)
    right = Math.max(right, x)
    top = Math.min(top, y)
    bottom = Math.max(bottom, y)
  }
  return { left: left - REACH, top: top - REACH, right: right + REACH, bottom: bottom + REACH }
}

/** Whether a point is on a mark, or close to its line. */
export function isAt(mark: Mark, x: number, y: number): boolean {
  const { left, top, right, bottom } = boxOf(mark)
  if (x < left || x > right || y < top || y > bottom) return false
  if (mark.kind !== 'stroke') return true
  for (let at = 0; at + 1 < mark.points.length; at += 2)
    if (Math.hypot((mark.points[at] ?? 0) - x, (mark.points[at + 1] ?? 0) - y) < REACH * 2) return true
  return false
}

/** Whether a point is at the corner by which a mark is resized; strokes have none. */
export function isAtCorner(mark: Mark, x: number, y: number): boolean {
  const { right, bottom } = boxOf(mark)
  return mark.kind !== 'stroke' && Math.hypot(right - x, bottom - y) < REACH * 2
}

/** Moved by this much. */
export function shifted(mark: Mark, dx: number, dy: number): Mark {
  if (mark.kind !== 'stroke') return { ...mark, x: mark.x + dx, y: mark.y + dy }
  return { ...mark, points: mark.points.map((value, index) => value + (index % 2 === 0 ? dx : dy)) }
}

/** With its right edge at `x`, in the same proportions. */
export function resized(mark: Mark, x: number): Mark {
  if (mark.kind === 'stroke') return mark
  const { left, right } = boxOf(mark)
  const scale = Math.max(SMALLEST, x - left) / (right - left)
  if (mark.kind === 'text') return { ...mark, size: Math.max(12, Math.round(mark.size * scale)) }
  return { ...mark, width: Math.round(mark.width * scale), height: Math.round(mark.height * scale) }
}
