import { getStroke } from 'perfect-freehand'
import { useMemo } from 'preact/hooks'
import { client } from '../../client.ts'

export const WIDTH = 1200
export const HEIGHT = 1600

export type Mark =
  /** `pressures`: of a pen, from 0 to 1, one for each point; `points`: x and y in turn. */
  | { id: string; kind: 'stroke'; color: string; width: number; points: number[]; pressures?: number[] }
  | { id: string; kind: 'text'; color: string; x: number; y: number; size: number; text: string }
  | { id: string; kind: 'image'; asset_id: number; x: number; y: number; width: number; height: number }

export type Asset = { id: number; url: string; width: number; height: number }

/** The objects that can be drawn: other clients may have stored anything. */
export function toMarks(objects: readonly { id: string; [field: string]: unknown }[]): Mark[] {
  return objects.filter((each): each is Mark => {
    if (each.kind === 'stroke') return Array.isArray(each.points) && each.points.every(Number.isFinite)
    if (each.kind === 'text')
      return typeof each.text === 'string' && [each.x, each.y, each.size].every(Number.isFinite)
    return each.kind === 'image' && [each.x, each.y, each.width, each.height].every(Number.isFinite)
  })
}

/** Marks as SVG. Texts and colours are set as text and attributes, never as markup. */
export function Drawing({ marks, assets }: { marks: readonly Mark[]; assets: readonly Asset[] }) {
  const urls = useMemo(() => new Map(assets.map(({ id, url }) => [id, absolute(url)])), [assets])
  return (
    <>
      {marks.map((mark) =>
        mark.kind === 'stroke' ? (
          <Stroke key={mark.id} mark={mark} />
        ) : mark.kind === 'text' ? (
          <text key={mark.id} x={mark.x} y={mark.y} font-size={mark.size} fill={safeColor(mark.color)}>
            {linesOf(mark).map((line, index) => (
              <tspan key={index} x={mark.x} dy={index === 0 ? 0 : mark.size * 1.3}>
                {line}
              </tspan>
            ))}
          </text>
        ) : (
          <image
            key={mark.id}
            href={urls.get(mark.asset_id) ?? ''}
            x={mark.x}
            y={mark.y}
            width={mark.width}
            height={mark.height}
          />
        ),
      )}
    </>
  )
}

const pen = document.createElement('canvas').getContext('2d')

/** The lines of a text, broken between words where they would run out of the page: SVG breaks none. */
export function linesOf({ text, size, x }: Extract<Mark, { kind: 'text' }>): string[] {
  const given = text.split('\n')
  if (!pen) return given
  pen.font = `${size}px ${getComputedStyle(document.body).fontFamily}`
  const fits = (line: string) => pen.measureText(line).width <= WIDTH - x - size
  return given.flatMap((words) => {
    const lines: string[] = []
    let line = ''
    for (const word of words.split(' ')) {
      const longer = line && `${line} ${word}`
      if (line && !fits(longer)) lines.push(line)
      line = fits(longer) && longer ? longer : word
    }
    return [...lines, line]
  })
}

export function Stroke({ mark }: { mark: Extract<Mark, { kind: 'stroke' }> }) {
  return <path d={useMemo(() => outline(mark), [mark])} fill={safeColor(mark.color)} />
}

/** The outline of a stroke, thicker where the pen was pressed or the pointer was slow. */
function outline({ points, pressures, width }: Extract<Mark, { kind: 'stroke' }>): string {
  const given: number[][] = []
  for (let at = 0; at + 1 < points.length; at += 2)
    given.push([points[at] ?? 0, points[at + 1] ?? 0, pressures?.[at / 2] ?? 0.5])
  const edge = getStroke(given, {
    size: width * 1.6,
    thinning: pressures ? 0.6 : 0.3,
    smoothing: 0.5,
    streamline: 0.4,
    simulatePressure: !pressures,
    last: true,
  })
  const [first, ...rest] = edge
  if (!first) return ''
  // Curves through the middles of the edge's points have no corners.
  const middles = rest.map((point, index) => {
    const next = rest[index + 1] ?? first
    return `Q${round(point[0])} ${round(point[1])} ${round(((point[0] ?? 0) + (next[0] ?? 0)) / 2)} ${round(((point[1] ?? 0) + (next[1] ?? 0)) / 2)}`
  })
  return `M${round(first[0])} ${round(first[1])}${middles.join('')}Z`
}

const round = (value = 0) => Math.round(value * 10) / 10

function safeColor(color: unknown): string {
  return typeof color === 'string' && /^#[0-9a-f]{6}$/i.test(color) ? color : '#1d2321'
}

function absolute(url: string): string {
  return new URL(url, client.baseUrl).href
}
