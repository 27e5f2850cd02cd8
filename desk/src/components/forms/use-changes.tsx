import { useEffect, useRef, useState } from 'preact/hooks'
import { dropDraft, keepDraft, readDraft, useDraftSaver } from '../../drafts.ts'
import { compare, type FormChanges, isEmpty, pick } from './changes.ts'
import { RestoredNotice } from './form-draft.tsx'

interface EditState<T> {
  /** What the fields show at first. */
  shown: T
  /** What was stored when the person saw it, field by field. */
  before: T
  stored: T
  restoredAt?: number | undefined
  /** Fields of another number are others. */
  turn: number
}

/**
 * What somebody changes of what is stored. What they have typed stays, and so does what they saw then, even if the
 * stored values are read anew or the page is closed meanwhile; all other fields are as they are stored now.
 */
export function useChanges<T extends object>(
  stored: T,
  draft: string | undefined,
  read: () => T | undefined,
  /** Whether all that is typed can be read: a time that isn't whole would be lost with its field. */
  isReadable: () => boolean,
) {
  const [opened, setOpened] = useState(() => open(stored, draft))
  const { keep, drop } = useDraftSaver(draft)
  const latest = useRef(stored)
  latest.current = stored
  const known = useRef(JSON.stringify(stored))
  const sent = useRef<T | undefined>(undefined)
  const compareNow = (): FormChanges<T> => compare(opened.before, read() ?? opened.before)
  const json = JSON.stringify(stored)
  useEffect(() => {
    // Fields that can't be read stay, and what others have changed is asked when it is sent.
    if (known.current === json || !isReadable()) return
    known.current = json
    const changes = compareNow()
    setOpened((last) => ({ ...last, ...onTop(stored, changes), stored, turn: last.turn + 1 }))
  }, [json])
  /** What was typed while the rest was sent. */
  const typedSince = (): FormChanges<T> =>
    compare(sent.current ?? opened.before, (sent.current && read()) ?? opened.before)
  /** Nothing is left of the draft but changes of what is stored now. */
  const keepOnly = (changes: Partial<T>, now: T) => {
    const names = Object.keys(changes) as (keyof T)[]
    if (names.length === 0) drop()
    else keep(() => ({ changes, was: pick(now, names) }))
  }
  const stayAs = (now: T) => {
    keepOnly(typedSince().changes, now)
    setOpened((last) => ({ ...last, before: now, stored: now, restoredAt: undefined }))
  }
  const beginAnew = (now: T, changes: Partial<T> = {}) => {
    keepOnly(changes, now)
    // What was sent is none of these changes any more, also where the stored was read anew a moment ago.
    known.current = JSON.stringify(latest.current)
    setOpened(({ turn }) => ({ ...onTop(now, { changes, was: now }), stored: now, turn: turn + 1 }))
  }
  return {
    ...opened,
    /** The changes that are to be sent: what is typed from now on stays when they are saved. */
    takeChanges: () => {
      sent.current = read()
      return compareNow()
    },
    kept: {
      keep: () => {
        const changes = compareNow()
        if (isEmpty(changes)) drop()
        else keep(() => changes)
      },
      settle: () => {
        if (isReadable()) beginAnew(latest.current, typedSince().changes)
        else stayAs(sent.current ?? latest.current)
      },
      notice: <RestoredNotice at={opened.restoredAt} discard={() => beginAnew(latest.current)} />,
    },
    /** For a form that stays as it is when it was saved. */
    settleAs: stayAs,
    /** For a form that is left as it was sent: what was typed since becomes a draft of what it has made. */
    settleInto: (made: string) => {
      const typed = typedSince()
      drop()
      if (!isEmpty(typed)) keepDraft(made, typed)
    },
  }
}

function open<T extends object>(stored: T, draft: string | undefined): EditState<T> {
  const kept = draft === undefined ? undefined : readDraft<Partial<FormChanges<T>>>(draft)
  const { changes, was } = kept?.value ?? {}
  const isKept = changes && was && !isEmpty(compare(stored, changes))
  if (draft !== undefined && kept && !isKept) dropDraft(draft)
  return isKept
    ? { ...onTop(stored, { changes, was }), stored, restoredAt: kept?.at, turn: 0 }
    : { shown: stored, before: stored, stored, turn: 0 }
}

/** Changes on top of what is stored now; those that are stored already are none. */
function onTop<T extends object>(
  stored: T,
  { changes, was }: FormChanges<T>,
): Pick<EditState<T>, 'shown' | 'before'> {
  const names = Object.keys(compare(stored, changes).changes) as (keyof T)[]
  return { shown: { ...stored, ...pick(changes, names) }, before: { ...stored, ...pick(was, names) } }
}
