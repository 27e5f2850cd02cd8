import type { Answer } from '../../../client.ts'
import { BarChart, LineChart } from '../../../components/charts/chart.tsx'
import { Stat } from '../../../components/page/stat.tsx'
import { Table } from '../../../components/page/table.tsx'
import { day, moment, nameAndUsername, number, percent } from '../../../format.ts'
import { t } from '../../../texts.ts'

interface DashboardProps {
  of: Answer<'/api/v01/admin/analytics', 'get'>
  /** Where the attempts of a day, and an exam, are shown; left out: nowhere. */
  hrefs?: { day: (day: string) => string; exam: (name: string) => string }
}

/** Figures, curves and tables of attempts. */
export function Dashboard({ of: { summary, charts, tables }, hrefs }: DashboardProps) {
  return (
    <>
      <dl class="figures">
        <Stat
          label="Average"
          value={
            <Changed
              value={percent(summary.avgScore)}
              by={summary.scoreChange}
              unit={t('percentage points')}
            />
          }
        />
        <Stat
          label="Attempts"
          value={<Changed value={summary.totalAttempts} by={summary.attemptsChange} unit="%" />}
        />
        <Stat
          label="Passed"
          value={
            <Changed
              value={percent(summary.passRate)}
              by={summary.passRateChange}
              unit={t('percentage points')}
            />
          }
        />
        <Stat
          label="People"
          value={<Changed value={summary.activeUsers} by={summary.usersChange} unit="%" />}
        />
      </dl>
      <div class="two">
        <BarChart
          title="How the scores spread"
          points={[t('90 % and above'), t('75 to 89 %'), t('60 to 74 %'), t('Below 60 %')].map(
            (label, index) => ({
              label,
              value: charts.scoreDistribution[index] ?? 0,
            }),
          )}
        />
        <BarChart
          title="Average by exam"
          most={100}
          unit=" %"
          points={toPoints(charts.examPerformance, hrefs?.exam)}
        />
        <LineChart
          title="Average, day by day"
          most={100}
          unit=" %"
          points={toDays(charts.performanceTrends, hrefs?.day)}
        />
        <LineChart title="People, day by day" points={toDays(charts.userActivity, hrefs?.day)} />
      </div>
      <h2>Best results</h2>
      <Table
        caption="Best results"
        rows={tables.topPerformers}
        keyOf={(row) => row.student_id}
        columns={[
          { head: t('Who'), cell: (row) => nameAndUsername(row) },
          { head: t('Average'), cell: (row) => percent(row.avgScore), isNumber: true },
          { head: t('Attempts'), cell: (row) => row.attempts, isNumber: true },
        ]}
      />
      <h2>By exam</h2>
      <Table
        caption="By exam"
        rows={tables.examStats}
        keyOf={(row) => row.name}
        columns={[
          { head: t('Exam'), cell: (row) => row.name },
          { head: t('Attempts'), cell: (row) => row.attempts, isNumber: true },
          { head: t('Average'), cell: (row) => percent(row.avgScore), isNumber: true },
          { head: t('Passed'), cell: (row) => percent(row.passRate), isNumber: true },
        ]}
      />
      <h2>The latest</h2>
      <Table
        caption="The latest attempts"
        rows={tables.recentActivity}
        keyOf={(row) => `${row.created_at} ${row.username} ${row.exam_name}`}
        columns={[
          { head: t('When'), cell: (row) => moment(row.created_at) },
          { head: t('Who'), cell: (row) => nameAndUsername(row) },
          { head: t('Exam'), cell: (row) => row.exam_name },
          { head: t('Percent'), cell: (row) => percent(row.percentage), isNumber: true },
        ]}
      />
    </>
  )
}

interface Series {
  labels: string[]
  data: (number | null)[]
}

/** The points of a curve, with days in the reader's format. */
function toDays(series: Series, hrefOf?: (day: string) => string) {
  return toPoints(series, hrefOf).map((point) => ({ ...point, label: day(point.label) }))
}

function toPoints({ labels, data }: Series, hrefOf?: (label: string) => string) {
  return labels.flatMap((label, index) => {
    const value = data[index] ?? null
    return value === null ? [] : { label, value, href: hrefOf?.(label) }
  })
}

function Changed({ value, by, unit }: { value: string | number; by: number; unit: string }) {
  return (
    <>
      {value} {by !== 0 && <small>{`${by > 0 ? '▲' : '▼'} ${number(Math.abs(by))} ${unit}`}</small>}
    </>
  )
}
