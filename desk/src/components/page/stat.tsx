import type { ComponentChildren } from 'preact'

/** A number with its name, for a `dl`. */
export function Stat({ label, value }: { label: string; value: ComponentChildren }) {
  return (
    <div>
      <dt>{label}</dt>
      <dd>{value}</dd>
    </div>
  )
}
