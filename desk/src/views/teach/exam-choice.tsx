import type { TargetedEvent } from 'preact'
import { ask, client, readAllPages } from '../../client.ts'
import { Choice } from '../../components/forms/fields.tsx'
import { useLoad } from '../../components/page/use-load.ts'

interface ExamChoiceProps {
  label: string
  value: string | undefined
  name?: string
  /** The label of the choice of all exams; left out: there is no such choice. */
  all?: string
  onChange?: (event: TargetedEvent<HTMLSelectElement>) => void
}

/** A choice of one exam, published or not. */
export function ExamChoice({ label, value, name, all, onChange }: ExamChoiceProps) {
  const { data } = useLoad('exams', () =>
    readAllPages((page) => ask(client.GET('/api/v01/admin/exams', { params: { query: { page } } }))),
  )
  const known = (data ?? []).flatMap(({ exams }) => exams).map((exam) => [exam.id, exam.name] as const)
  return (
    <Choice
      label={label}
      value={value}
      {...(name ? { name } : {})}
      required={all === undefined}
      options={all === undefined ? known : [['', all], ...known]}
      {...(onChange ? { onChange } : {})}
    />
  )
}
