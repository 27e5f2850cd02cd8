import { useStore } from '@nanostores/preact'
import type { ComponentChildren } from 'preact'
import { $isHelpLocked } from '../../help-lock.ts'
import { Empty } from './loaded.tsx'
import { Page } from './page.tsx'

interface UnlockedProps {
  title: string
  /** What waits there until the exam is over. */
  promise: string
  children: ComponentChildren
}

/** A view that is closed while its reader takes an exam without help. */
export function Unlocked({ title, promise, children }: UnlockedProps) {
  if (!useStore($isHelpLocked)) return children
  return (
    <Page title={title}>
      <Empty title="Closed during your exam">
        <p>{promise}</p>
        <p>It opens by itself as soon as you have handed in.</p>
      </Empty>
    </Page>
  )
}
