import { type Static, Type } from 'typebox'
import { Id, Timestamp } from './common.ts'

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

export const Dashboard = Type.Object({
  summary: Type.Object({
    avgScore: Type.Number({ description: 'percent' }),
    totalAttempts: Type.Integer(),
    passRate: Type.Number({ description: 'percent' }),
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
    examPerformance: chart,
    performanceTrends: chart,
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
        score: Type.Number(),
        max_score: Type.Number(),
        percentage: Type.Number(),
      }),
    ),
    examStats: Type.Array(
      Type.Object({
        name: Type.String(),
        attempts: Type.Integer(),
        avgScore: Type.Number(),
        passRate: Type.Number(),
      }),
    ),
  }),
})
export type Dashboard = Static<typeof Dashboard>
export const DashboardAnswer = Type.Object(
  { success: Type.Literal(true), ...Dashboard.properties },
  { $id: 'DashboardAnswer' },
)

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
