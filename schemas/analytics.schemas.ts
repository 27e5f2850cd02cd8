import { type Static, Type } from 'typebox'
import { Id, Nullable, Timestamp } from './common.ts'
import { keys } from './items.schemas.ts'

const Day = Type.String({
  maxLength: 10,
  format: 'day',
  pattern: '^(19|20|21)\\d\\d-\\d\\d-\\d\\d$',
  errorMessage: 'must be a date such as 2026-11-20',
  examples: ['2026-11-20'],
})

export const AnalyticsQuery = Type.Object({
  timePeriod: Type.Optional(
    Type.Enum(['today', 'week', 'month', 'custom', 'all'], {
      description: 'default `all`; `week` and `month` are the last 7 and 30 days',
    }),
  ),
  exam: Type.Optional(Id),
  class_id: Type.Optional({ ...Id, description: 'its students at its exams' }),
  startDate: Type.Optional({ ...Day, description: 'with `custom`' }),
  endDate: Type.Optional({ ...Day, description: 'with `custom`; included' }),
  table: Type.Optional(
    Type.Enum(['results', 'topPerformers', 'recentActivity', 'examStats'], {
      description: 'which table a CSV download holds; default `results`, every result that matches',
    }),
  ),
})
export type AnalyticsQuery = Static<typeof AnalyticsQuery>

const chart = Type.Object({ labels: Type.Array(Type.String()), data: Type.Array(Type.Number()) })
const Share = Nullable(Type.Number({ description: 'percent; null: none of these attempts has a mark' }))
const averages = Type.Object({ labels: Type.Array(Type.String()), data: Type.Array(Share) })

export const Dashboard = Type.Object({
  summary: Type.Object({
    avgScore: Share,
    totalAttempts: Type.Integer(),
    passRate: Share,
    activeUsers: Type.Integer(),
    scoreChange: Type.Number({ description: 'in percentage points' }),
    attemptsChange: Type.Number({ description: 'in percent' }),
    passRateChange: Type.Number({ description: 'in percentage points' }),
    usersChange: Type.Number({ description: 'in percent' }),
  }),
  charts: Type.Object({
    scoreDistribution: Type.Array(Type.Integer(), {
      minItems: 4,
      maxItems: 4,
      description: '90 and above, 75 to 89, 60 to 74, below 60',
    }),
    examPerformance: averages,
    performanceTrends: averages,
    userActivity: chart,
  }),
  tables: Type.Object({
    topPerformers: Type.Array(
      Type.Object({
        student_id: Type.String(),
        username: Type.String(),
        full_name: Type.String(),
        avgScore: Type.Number(),
        attempts: Type.Integer(),
      }),
    ),
    recentActivity: Type.Array(
      Type.Object({
        created_at: Timestamp,
        username: Type.String(),
        full_name: Type.String(),
        exam_name: Type.String(),
        score: Nullable(Type.Number()),
        max_score: Nullable(Type.Number()),
        percentage: Nullable(Type.Number()),
      }),
    ),
    examStats: Type.Array(
      Type.Object({
        name: Type.String(),
        attempts: Type.Integer(),
        avgScore: Share,
        passRate: Share,
      }),
    ),
  }),
})
export type Dashboard = Static<typeof Dashboard>
export const DashboardAnswer = Type.Object(
  { success: Type.Literal(true), ...Dashboard.properties },
  { $id: 'DashboardAnswer' },
)

/** Exams of a class whose marks a dashboard leaves out. */
export const ClassDashboardAnswer = Type.Object(
  {
    success: Type.Literal(true),
    ...Dashboard.properties,
    unmarked: Type.Array(Type.Object({ id: Id, name: Type.String(), ...keys }), {
      description: 'exams whose keys are not shown: their attempts are counted, their marks are in no figure',
    }),
  },
  { $id: 'ClassDashboardAnswer' },
)
export type ClassDashboardAnswer = Static<typeof ClassDashboardAnswer>

export const OverviewAnswer = Type.Object(
  {
    success: Type.Literal(true),
    total_users: Type.Integer(),
    total_exams: Type.Integer(),
    total_results: Type.Integer({ description: 'finished attempts' }),
    total_responses: Type.Integer({ description: 'questions answered in them' }),
  },
  { $id: 'OverviewAnswer' },
)
export type OverviewAnswer = Static<typeof OverviewAnswer>
