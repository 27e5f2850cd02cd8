import type { ComponentChildren } from 'preact'

/** A number with its name, for a `dl`. */
export function Stat({ name, value }: { name: string; value: ComponentChildren }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  )
}
