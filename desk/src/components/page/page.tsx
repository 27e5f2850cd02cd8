import type { ComponentChildren } from 'preact'
import { useEffect } from 'preact/hooks'
import { $title } from '../../view-title.ts'

interface PageProps {
  title: string
  lead?: ComponentChildren
  actions?: ComponentChildren
  children: ComponentChildren
  class?: string
}

/**
 * Moves the focus to the title of the view, which a screen reader then reads; for views that replace another one in its
 * place.
 */
export function focusHeading(): void {
  document.querySelector<HTMLElement>('main h1')?.focus({ preventScroll: true })
  scrollTo(0, 0)
}

/** A view with its title, its actions and its content. */
export function Page({ title, lead, actions, children, class: extra = '' }: PageProps) {
  useEffect(() => $title.set(title), [title])
  return (
    <div class={`page ${extra}`}>
      <header class="page-head">
        <div>
          <h1 tabIndex={-1}>
            <bdi>{title}</bdi>
          </h1>
          {lead && <p class="lead">{typeof lead === 'string' ? <bdi>{lead}</bdi> : lead}</p>}
        </div>
        {actions && <div class="row">{actions}</div>}
      </header>
      {children}
    </div>
  )
}
