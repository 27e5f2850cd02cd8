import { Type } from 'typebox'

/** After how many days something is deleted; undefined: when somebody deletes it. */
export interface Retention {
  /** Accounts that an administrator has suspended. */
  suspendedDays: number | undefined
  /** Conversations with the tutor, after their last question. */
  tutorDays: number | undefined
  /** Entries of the audit log. */
  auditDays: number | undefined
}

/** Between its parts. */
const COMMA = /, ?/
/** The audit log is kept for a month at least, whatever is set: the database refuses earlier deletions too. */
const RETENTION_PART = /^(suspended=[1-9]\d{0,4}|tutor=[1-9]\d{0,4}|audit=([3-9]\d|[1-9]\d{2,4}))$/

export const RETENTION_SETTING = Type.Refine(
  Type.String({
    description:
      'a comma-separated list of suspended=days, tutor=days and audit=days (30 or more), such as suspended=90,audit=365',
  }),
  (text) => text.split(COMMA).every((part) => RETENTION_PART.test(part)),
)

export function readRetention(text = ''): Retention {
  const parts = text.split(COMMA)
  const of = (what: string) =>
    Number(parts.find((part) => part.startsWith(`${what}=`))?.slice(what.length + 1)) || undefined
  return { suspendedDays: of('suspended'), tutorDays: of('tutor'), auditDays: of('audit') }
}
