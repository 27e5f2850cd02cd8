import { ask, client, readAllPages } from '../../../client.ts'
import { LineChart } from '../../../components/charts/chart.tsx'
import { useLoad } from '../../../components/page/use-load.ts'
import { day } from '../../../format.ts'
import { t } from '../../../texts.ts'

/** One's own results of an exam over time, where there are several. */
export function PastResults({ examId }: { examId: number }) {
  const found = useLoad(examId, () =>
    readAllPages((page) =>
      ask(client.GET('/api/v01/attempts', { params: { query: { exam_id: examId, page } } })),
    ),
  )
  const points = (found.data ?? [])
    .flatMap(({ attempts }) => attempts)
    .filter(({ percentage }) => percentage !== null)
    .map(({ attempt_id, attempt_number, submitted_at, percentage }) => ({
      label: t('Attempt {number}, {date}', { number: attempt_number, date: day(submitted_at) }),
      value: percentage as number,
      href: `/desk/results/${attempt_id}`,
    }))
    .reverse()
  if (points.length < 2) return null
  return <LineChart title="Your results of this exam" points={points} most={100} unit=" %" />
}
