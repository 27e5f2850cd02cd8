import 'uplot/dist/uPlot.min.css'
import uPlot from 'uplot'
import { number } from '../../format.ts'
import { t } from '../../texts.ts'

export interface LinePlot {
  labels: readonly string[]
  values: readonly number[]
  /** The name of the values. */
  title: string
  unit: string
  most: number
  /** Opens what a value shows, by its place. */
  open?: ((index: number) => void) | undefined
}

const HEIGHT = 220
const WHOLE = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000]

/** In the font of the axes. */
function widest(labels: readonly string[]): number {
  const pen = document.createElement('canvas').getContext('2d')
  if (!pen) return 0
  pen.font = '12px system-ui'
  return Math.max(0, ...labels.map((label) => pen.measureText(label).width))
}

/**
 * Draws a line with axes into an element, which says the value under the pointer. Returns a function that removes it.
 */
export function drawLine(
  into: HTMLElement,
  { labels, values, title, unit, most, open }: LinePlot,
): () => void {
  const colour = (name: string) => getComputedStyle(document.documentElement).getPropertyValue(name)
  const probe = document.createElement('span')
  into.append(probe)
  // The variables are pairs of light and dark, which a canvas can't read: a browser's computed colour can be.
  const resolve = (name: string) => {
    probe.style.color = `var(${name})`
    return getComputedStyle(probe).color || colour(name)
  }
  const [ink, line, accent] = ['--faint', '--line', '--accent'].map(resolve)
  probe.remove()
  const axis = { stroke: ink, grid: { stroke: line }, ticks: { stroke: line } } as uPlot.Axis
  const plot = new uPlot(
    {
      width: into.clientWidth,
      height: HEIGHT,
      scales: {
        x: { time: false, range: [-0.5, Math.max(0.5, labels.length - 0.5)] },
        // Marks are taken off for wrong answers, so that a result can be below nothing.
        y: { range: [Math.min(0, ...values), most] },
      },
      axes: [
        {
          ...axis,
          incrs: WHOLE,
          // Labels must not run into one another.
          space: Math.max(110, widest(labels) + 20),
          values: (_, places) => places.map((place) => labels[place] ?? ''),
        },
        // What has no unit is counted, in whole numbers.
        {
          ...axis,
          ...(unit ? {} : { incrs: WHOLE }),
          size: 60,
          values: (_, ticks) => ticks.map((tick) => `${number(tick)}${unit}`),
        },
      ],
      series: [
        { label: t('When'), value: (_, place) => (place === null ? '–' : (labels[place] ?? '–')) },
        {
          label: title,
          stroke: accent ?? '',
          width: 2,
          points: { show: labels.length <= 60, size: 7, fill: accent ?? '' },
          value: (_, value) => (value === null ? '–' : `${number(value)}${unit}`),
        },
      ],
    },
    [labels.map((_, index) => index), [...values]],
    into,
  )
  if (open) {
    plot.over.style.cursor = 'pointer'
    plot.over.addEventListener('click', () => {
      if (typeof plot.cursor.idx === 'number') open(plot.cursor.idx)
    })
  }
  const observer = new ResizeObserver(() => plot.setSize({ width: into.clientWidth, height: HEIGHT }))
  observer.observe(into)
  return () => {
    observer.disconnect()
    plot.destroy()
  }
}
