import './chart.css'
import { useStore } from '@nanostores/preact'
import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { number } from '../../format.ts'
import { go } from '../../router.ts'
import { $theme } from '../../shell/theme.ts'

export interface Point {
  label: string
  value: number
  /** Where what it shows is. */
  href?: string | undefined
}

interface ChartProps {
  title: string
  points: readonly Point[]
  /** The top of the scale; left out: the largest value. */
  most?: number
  unit?: string
}

/**
 * A line over time with axes, drawn by uPlot, which is loaded with the first one; a table beside it shows the same
 * values.
 */
export function LineChart({ title, points, most, unit = '' }: ChartProps) {
  const top = most ?? Math.max(1, ...points.map(({ value }) => value))
  const place = useRef<HTMLDivElement>(null)
  const theme = useStore($theme)
  const content = JSON.stringify(points)
  useEffect(() => {
    let end: (() => void) | undefined
    let isGone = false
    const draw = async () => {
      const { drawLine } = await import('./line-plot.ts')
      end?.()
      if (isGone || !place.current || points.length === 0) return
      const labels = points.map(({ label }) => label)
      const values = points.map(({ value }) => value)
      const open = (index: number) => {
        const href = points[index]?.href
        if (href) go(href)
      }
      const hasLinks = points.some(({ href }) => href)
      end = drawLine(place.current, {
        labels,
        values,
        title,
        unit,
        most: top,
        open: hasLinks ? open : undefined,
      })
    }
    const dark = matchMedia('(prefers-color-scheme: dark)')
    dark.addEventListener('change', draw)
    void draw()
    return () => {
      isGone = true
      dark.removeEventListener('change', draw)
      end?.()
    }
  }, [content, theme])
  const last = points.at(-1)
  return (
    <ChartFigure
      title={title}
      isEmpty={points.length === 0}
      aside={
        last && (
          <small>
            {last.label}: {number(last.value)}
            {unit}
          </small>
        )
      }
    >
      <div ref={place} class="chart" aria-hidden="true" />
      <details>
        <summary>Data table</summary>
        <table>
          <tbody>
            {points.map(({ label, value, href }) => (
              <tr key={label}>
                <th scope="row">{href ? <a href={href}>{label}</a> : label}</th>
                <td class="number">
                  {number(value)}
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
        {points.map(({ label, value, href }) => (
          <div key={label}>
            <dt>{href ? <a href={href}>{label}</a> : label}</dt>
            <dd>
              <meter min={0} max={top} value={Math.max(0, value)} aria-label={label} />
              <span class="number">
                {number(value)}
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
