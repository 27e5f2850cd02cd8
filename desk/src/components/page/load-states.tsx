import { Unreachable } from '@exam-practice/client'
import type { ComponentChildren } from 'preact'
import { explain, RequestFailed } from '../../client.ts'
import type { Load } from './use-load.ts'

/** A part of a page that is loaded from the service: shows that it loads, an error, or the data. */
export function Loaded<T>({ of, children }: { of: Load<T>; children: (data: T) => ComponentChildren }) {
  const { data, error, isLoading, reload } = of
  if (data !== undefined)
    return (
      <div class="loaded" aria-busy={isLoading}>
        {error !== undefined && <Failed error={error} again={reload} />}
        {children(data)}
      </div>
    )
  if (error !== undefined) return <Failed error={error} again={reload} />
  return (
    <div class="skeleton" aria-busy="true">
      <span class="unseen">Loading</span>
      <i />
      <i />
      <i />
    </div>
  )
}

export function Failed({ error, again }: { error: unknown; again?: () => Promise<void> }) {
  const isLocked = error instanceof RequestFailed && error.code === 'exam_in_progress'
  if (error instanceof RequestFailed && error.code === 'not_found')
    return (
      <div class="empty" role="alert">
        <p class="empty-title">There is nothing here</p>
        <p>It was deleted, or it isn’t shared with you.</p>
        <a class="button" href="/desk">
          Home
        </a>
      </div>
    )
  return (
    <div class={`notice ${isLocked || error instanceof Unreachable ? 'warn' : 'bad'}`} role="alert">
      <p>
        {isLocked
          ? 'You are taking an exam. Chat, tutor and discussions are closed until it ends; everything will be here afterwards.'
          : explain(error)}
      </p>
      {again && !isLocked && (
        <p>
          <button type="button" class="small" onClick={() => void again()}>
            Try again
          </button>
        </p>
      )}
    </div>
  )
}

/** Shown instead of an empty list, with what one can do about it. */
export function Empty({ title, children }: { title: string; children?: ComponentChildren }) {
  return (
    <div class="empty">
      <p class="empty-title">{title}</p>
      {children}
    </div>
  )
}
