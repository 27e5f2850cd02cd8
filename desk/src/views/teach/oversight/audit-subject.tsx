import type { Answer } from '../../../client.ts'
import { t } from '../../../texts.ts'

type Entry = Answer<'/api/v01/admin/audit', 'get'>['entries'][number]

interface Kind {
  say: (name: string) => string
  /** Where it can be opened, if it is still there. */
  href?: (entry: Entry, name: string) => string
  /** Whether the log has its name; then none means that it is gone. */
  isNamed?: boolean
}

const KINDS: Record<string, Kind> = {
  user: {
    say: (name) => t('Account {name}', { name }),
    href: (_entry, name) => `/desk/teach/users?q=${encodeURIComponent(name)}`,
    isNamed: true,
  },
  exam: {
    say: (name) => t('Exam {name}', { name }),
    href: ({ subject_id }) => `/desk/teach/exams/${subject_id}`,
    isNamed: true,
  },
  class: {
    say: (name) => t('Class {name}', { name }),
    href: (_entry, name) => `/desk/teach/classes?q=${encodeURIComponent(name)}`,
    isNamed: true,
  },
  category: {
    say: (name) => t('Category {name}', { name }),
    href: () => '/desk/teach/categories',
    isNamed: true,
  },
  question: {
    say: (name) => t('Question {name}', { name }),
    // Its own exam's number comes with it.
    href: ({ subject_id }) => `/desk/teach/questions/0/${subject_id}`,
  },
  attempt: {
    say: (name) => t('Attempt {name}', { name }),
    href: ({ subject_id }) => `/desk/teach/attempts/${subject_id}`,
  },
  generation_job: {
    say: () => t('Generating questions'),
    href: ({ subject_id }) => `/desk/teach/generate/${subject_id}`,
  },
  challenge: {
    say: (name) => t('Challenge {name}', { name }),
    href: () => '/desk/teach/challenges?status=all',
  },
  report: { say: (name) => t('Report {name}', { name }) },
  comment: { say: (name) => t('Comment {name}', { name }) },
  regrade: { say: (name) => t('Regrade {name}', { name }) },
  access_request: { say: (name) => t('Access request {name}', { name }) },
  image: { say: (name) => t('Image {name}', { name }) },
}

/** What a change was about: in words, leading to it, and as the code by which the log is filtered. */
export function AuditSubject({ entry }: { entry: Entry }) {
  const { subject_type: type, subject_id: id, subject_name: name } = entry
  const code = id === null ? type : `${type}:${id}`
  const kind = KINDS[type]
  if (!kind) return <code>{code}</code>
  const text = kind.say(name ?? String(id ?? ''))
  const isGone = entry.action === `${type}.delete` || (kind.isNamed && name === null)
  const href = isGone || id === null ? undefined : kind.href?.(entry, name ?? '')
  return (
    <span>
      {href ? <a href={href}>{text}</a> : <span>{text}</span>}
      <br />
      <small>
        <code>{code}</code>
      </small>
    </span>
  )
}
