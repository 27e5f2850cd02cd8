import './chart.css'
import type { ComponentChildren } from 'preact'

export interface Point {
  label: string
  value: number
}

interface ChartProps {
  title: string
  points: readonly Point[]
  /** The top of the scale; left out: the largest value. */
  most?: number
  unit?: string
}

const WIDTH = 640
const HEIGHT = 200

/** A line over time; a table beside it shows the same values as text. */
export function LineChart({ title, points, most, unit = '' }: ChartProps) {
  const top = most ?? Math.max(1, ...points.map(({ value }) => value))
  const x = (index: number) => (points.length < 2 ? WIDTH / 2 : (index / (points.length - 1)) * WIDTH)
  const y = (value: number) => HEIGHT - (value / top) * HEIGHT
  const path = points
    .map(({ value }, index) => `${index === 0 ? 'M' : 'L'}${x(index).toFixed(1)} ${y(value).toFixed(1)}`)
    .join('')
  const last = points.at(-1)
  return (
    <ChartFigure
      title={title}
      isEmpty={points.length === 0}
      aside={
        last && (
          <small>
            {last.label}: {last.value.toLocaleString()}
            {unit}
          </small>
        )
      }
    >
      <svg viewBox={`-6 -10 ${WIDTH + 12} ${HEIGHT + 20}`} class="chart" aria-hidden="true">
        {[0, 0.5, 1].map((share) => (
          <line key={share} x1="0" x2={WIDTH} y1={HEIGHT * share} y2={HEIGHT * share} class="grid" />
        ))}
        <path d={path} class="curve" />
        {points.length <= 40 &&
          points.map((point, index) => (
            <circle key={point.label} cx={x(index)} cy={y(point.value)} r="4" class="dot" />
          ))}
      </svg>
      <details>
        <summary>The numbers</summary>
        <table>
          <tbody>
            {points.map(({ label, value }) => (
              <tr key={label}>
                <th scope="row">{label}</th>
                <td class="number">
                  {value.toLocaleString()}
                  {unit}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </details>
    </ChartFigure>
  )
}

/** A bar for each value, with its number beside it. */
export function BarChart({ title, points, most, unit = '' }: ChartProps) {
  const top = most ?? Math.max(1, ...points.map(({ value }) => value))
  return (
    <ChartFigure title={title} isEmpty={points.length === 0}>
      <dl class="bars">
        {points.map(({ label, value }) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd>
              <meter min={0} max={top} value={Math.max(0, value)} aria-label={label} />
              <span class="number">
                {value.toLocaleString(undefined, { maximumFractionDigits: 2 })}
                {unit}
              </span>
            </dd>
          </div>
        ))}
      </dl>
    </ChartFigure>
  )
}

interface ChartFigureProps {
  title: string
  isEmpty: boolean
  /** Shown beside the title. */
  aside?: ComponentChildren
  children: ComponentChildren
}

function ChartFigure({ title, isEmpty, aside, children }: ChartFigureProps) {
  return (
    <figure class="sheet chart-figure">
      <figcaption class="row spread">
        <span>{title}</span>
        {aside}
      </figcaption>
      {isEmpty ? <p class="lead">Nothing to show yet.</p> : children}
    </figure>
  )
}
