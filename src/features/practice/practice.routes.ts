import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import {
  ForecastAnswer,
  ForecastQuery,
  NextAnswer,
  NextQuery,
  PracticeAnswer,
  PracticeHistoryAnswer,
  PracticeHistoryQuery,
  PracticeSettingsAnswer,
  PracticeSettingsChanges,
  ReviewsAnswer,
  ReviewsBody,
  UndoAnswer,
  UndoBody,
} from '../../../schemas/practice.schemas.ts'
import type { Core } from '../../core.ts'
import { failures } from '../../http/failures.ts'
import { readForecast } from './forecast.service.ts'
import * as service from './practice.service.ts'
import { review, undo } from './reviewing.service.ts'

const tags = ['practice']
const success = true as const

/** Spaced repetition (docs/protocol/practice.md), at `/api/v01/practice`, for signed-in people. */
export const practiceRoutes: FastifyPluginAsyncTypebox<{ core: Core }> = async (app, { core }) => {
  app.get(
    '',
    {
      schema: {
        operationId: 'getPractice',
        summary: 'What is to be practised now, and what was today',
        tags,
        response: { 200: PracticeAnswer },
      },
    },
    async ({ caller }) => ({ success, ...(await service.readPractice(core, caller.userId)) }),
  )

  app.put(
    '/settings',
    {
      schema: {
        operationId: 'changePracticeSettings',
        summary: 'Set how many new questions come each day, and how well answers should be remembered',
        description: 'Settings that are left out stay as they are.',
        tags,
        body: PracticeSettingsChanges,
        response: { 200: PracticeSettingsAnswer, ...failures('too_many') },
      },
    },
    async ({ caller, body }) => ({
      success,
      settings: await service.changeSettings(core, caller.userId, body),
    }),
  )

  app.get(
    '/next',
    {
      config: { decidesHelpLock: true },
      schema: {
        operationId: 'listNextCards',
        summary: 'The questions to practise now',
        description:
          'Due questions first, beginning with those that raise the expected score most; then new ones.',
        tags,
        querystring: NextQuery,
        response: { 200: NextAnswer },
      },
    },
    async ({ caller, query }) => ({ success, ...(await service.listNext(core, caller.userId, query)) }),
  )

  app.post(
    '/reviews',
    {
      schema: {
        operationId: 'sendReviews',
        summary: 'Send answers to practice questions',
        description:
          'Each answer counts once, by its `client_id`. If one is refused, the others still count.',
        tags,
        body: ReviewsBody,
        response: { 200: ReviewsAnswer, ...failures('too_many', 'daily_limit') },
      },
    },
    async ({ caller, body }) => ({ success, results: await review(core, caller.userId, body.reviews) }),
  )

  app.post(
    '/reviews/undo',
    {
      schema: {
        operationId: 'undoReview',
        summary: 'Undo the newest answer to a question',
        tags,
        body: UndoBody,
        response: { 200: UndoAnswer, ...failures('not_found', 'not_newest') },
      },
    },
    async ({ caller, body }) => ({ success, card: await undo(core, caller.userId, body.client_id) }),
  )

  app.get(
    '/forecast',
    {
      schema: {
        operationId: 'getForecast',
        summary: 'The score that you can expect in an exam',
        tags,
        querystring: ForecastQuery,
        response: { 200: ForecastAnswer, ...failures('not_found', 'not_practisable') },
      },
    },
    async ({ caller, query }) => ({ success, ...(await readForecast(core, caller.userId, query)) }),
  )

  app.get(
    '/history',
    {
      config: { budget: 'heavy' },
      schema: {
        operationId: 'getPracticeHistory',
        summary: 'Practice by day, and how much of it was right',
        tags,
        querystring: PracticeHistoryQuery,
        response: { 200: PracticeHistoryAnswer },
      },
    },
    async ({ caller, query }) => ({
      success,
      ...(await service.readHistory(core, caller.userId, query.days)),
    }),
  )
}
