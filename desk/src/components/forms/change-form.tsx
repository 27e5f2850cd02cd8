import { type ComponentChildren, Fragment } from 'preact'
import { useRef } from 'preact/hooks'
import { t } from '../../texts.ts'
import { type Describe, sendChanges } from './changes.ts'
import { labelOf, wordsOf } from './field-words.ts'
import { type Fields, Form, fieldsOf, isReadable } from './form.tsx'
import { useChanges } from './use-changes.tsx'

interface ChangeFormProps<T> {
  /** What is stored, by the names under which it is sent. */
  of: T
  /** What the fields hold. */
  read: (fields: Fields, form: HTMLFormElement) => T
  /** Sends what was changed, with what was there before; `false`: it was not done, and the form stays as it is. */
  send: (changes: Partial<T>, was: Partial<T>, form: HTMLFormElement) => Promise<unknown>
  /** Reads anew what is stored. */
  reload: () => Promise<unknown>
  button: string
  draft?: string
  aside?: ComponentChildren
  /** What was changed, in words; undefined: as its field shows it. */
  say?: (name: keyof T & string, value: unknown) => string | undefined
  /** What is told afterwards; a form that does so itself says false. */
  saved?: string | false
  /** The fields. */
  children: (shown: T) => ComponentChildren
}

/** A form of something that is stored, which others may change too: only what was changed is sent. */
export function ChangeForm<T extends object>({
  of,
  read,
  send,
  reload,
  draft,
  say,
  saved = t('Saved'),
  children,
  ...form
}: ChangeFormProps<T>) {
  const place = useRef<HTMLDivElement>(null)
  const findForm = () => place.current?.querySelector('form') ?? undefined
  const readNow = () => {
    const element = findForm()
    return element && read(fieldsOf(element), element)
  }
  const { shown, turn, takeChanges, kept } = useChanges(of, draft, readNow, () => isReadable(findForm()))
  return (
    <div ref={place}>
      <Form
        {...form}
        kept={kept}
        send={async (_fields, element) => {
          const describe: Describe<T> = {
            label: (name) => labelOf(element, name),
            value: (name, value) => say?.(name, value) ?? wordsOf(element, name, value),
          }
          const isSent = await sendChanges(
            takeChanges(),
            (changes, was) => send(changes, was, element),
            describe,
          )
          if (!isSent) return false
          await reload()
          return saved || undefined
        }}
      >
        <Fragment key={turn}>{children(shown)}</Fragment>
      </Form>
    </div>
  )
}
