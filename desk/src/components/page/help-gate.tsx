import { useStore } from '@nanostores/preact'
import type { ComponentChildren } from 'preact'
import { $isHelpLocked } from '../../help-lock.ts'
import { Empty } from './load-states.tsx'
import { Page } from './page.tsx'

interface HelpGateProps {
  title: string
  /** What the person finds there after the exam. */
  promise: string
  children: ComponentChildren
}

/** A view that is closed while the person takes an exam that locks help. */
export function HelpGate({ title, promise, children }: HelpGateProps) {
  if (!useStore($isHelpLocked)) return children
  return (
    <Page title={title}>
      <Closed promise={promise} />
    </Page>
  )
}

/** Stands in place of what such an exam closes. */
export function Closed({ promise }: Pick<HelpGateProps, 'promise'>) {
  return (
    <Empty title="Closed during your exam">
      <p>{promise}</p>
      <p>It opens by itself as soon as you have handed in.</p>
    </Empty>
  )
}
