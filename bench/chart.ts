export interface Curve {
  name: string
  unit: string
  /** Minute and value. */
  points: [number, number][]
}

const WIDTH = 720
const PANEL = 90
const TOP = 34
const LEFT = 70
const RIGHT = 16
const GAP = 34

/** An SVG of panels below each other, each from 0 to its highest value; readable on light and dark pages. */
export function drawChart(title: string, curves: Curve[]): string {
  const height = TOP + curves.length * (PANEL + GAP) + 4
  const minutes = Math.max(...curves.flatMap(({ points }) => points.map(([minute]) => minute)))
  const panels = curves.map((curve, at) => drawPanel(curve, minutes, TOP + at * (PANEL + GAP) + 16))
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" font-family="sans-serif" font-size="12" fill="#777">
<title>${title}</title>
<text x="${LEFT}" y="18" font-size="14">${title}</text>
${panels.join('\n')}
</svg>
`
}

function drawPanel({ name, unit, points }: Curve, minutes: number, top: number): string {
  const most = roundUp(Math.max(...points.map(([, value]) => value)))
  const x = (minute: number) => LEFT + (minute / minutes) * (WIDTH - LEFT - RIGHT)
  const y = (value: number) => top + PANEL - (value / most) * PANEL
  const line = points.map(([minute, value]) => `${x(minute).toFixed(1)},${y(value).toFixed(1)}`).join(' ')
  const edge = (value: number, text: string) =>
    `<line x1="${LEFT}" y1="${y(value)}" x2="${WIDTH - RIGHT}" y2="${y(value)}" stroke="#ccc" stroke-width=".5"/>` +
    `<text x="${LEFT - 6}" y="${y(value) + 4}" text-anchor="end">${text}</text>`
  return [
    `<text x="${LEFT}" y="${top - 5}">${name}</text>`,
    edge(0, '0'),
    edge(most, `${most} ${unit}`.trim()),
    `<text x="${WIDTH - RIGHT}" y="${top + PANEL + 13}" text-anchor="end">${Math.round(minutes)} min</text>`,
    `<polyline points="${line}" fill="none" stroke="#2a78c8" stroke-width="1.5"/>`,
  ].join('\n')
}

/** The next larger round number, such as 1.5, 20 or 400. */
function roundUp(value: number): number {
  const unit = 10 ** Math.floor(Math.log10(value || 1))
  return ([1, 1.5, 2, 3, 4, 5, 7.5, 10].find((step) => step * unit >= value) ?? 10) * unit
}
