import type { FastifyPluginAsync } from 'fastify'
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
import { operations } from '../../http/operations.ts'
import { readForecast } from './figures/forecast.service.ts'
import * as service from './practice.service.ts'
import { review, undo } from './reviews/reviewing.service.ts'

/** Spaced repetition (docs/protocol/practice.md), at `/api/v01/practice`, for signed-in people. */
export const practiceRoutes: FastifyPluginAsync<{ core: Core }> = async (app, { core }) => {
  const operation = operations(app, 'practice')

  operation('getPractice', 'GET', {
    summary: 'What is to be practised now, and what was practised today',
    answer: PracticeAnswer,
    run: ({ caller }) => service.readPractice(core, caller.userId),
  })

  operation('changePracticeSettings', 'PUT /settings', {
    summary: 'Set how many new questions come each day, and how well answers should be remembered',
    description: 'Settings that are left out stay as they are.',
    body: PracticeSettingsChanges,
    answer: PracticeSettingsAnswer,
    refuses: ['too_many'],
    run: async ({ caller, body }) => ({ settings: await service.changeSettings(core, caller.userId, body) }),
  })

  operation('listNextCards', 'GET /next', {
    summary: 'The questions to practise now',
    description:
      'Due questions first, beginning with those that raise the expected score most; then new ones.',
    decidesHelpLock: true,
    query: NextQuery,
    answer: NextAnswer,
    run: ({ caller, query }) => service.listNext(core, caller.userId, query),
  })

  operation('sendReviews', 'POST /reviews', {
    summary: 'Send answers to practice questions',
    description: 'Each answer counts once, by its `client_id`. If one is refused, the others still count.',
    body: ReviewsBody,
    answer: ReviewsAnswer,
    refuses: ['too_many', 'daily_limit'],
    run: async ({ caller, body }) => ({ results: await review(core, caller.userId, body.reviews) }),
  })

  operation('undoReview', 'POST /reviews/undo', {
    summary: 'Undo the newest answer to a question',
    body: UndoBody,
    answer: UndoAnswer,
    refuses: ['not_found', 'not_newest'],
    run: async ({ caller, body }) => ({ card: await undo(core, caller.userId, body.client_id) }),
  })

  operation('getForecast', 'GET /forecast', {
    summary: 'The score that you can expect in an exam',
    description:
      'An estimate from your own answers to its questions: how you answered them last, how long ago that was, and how ' +
      'well you usually remember. Questions that you never answered count for what you knew at first sight of others. ' +
      'It is no mark and no promise; it knows nothing of what you learn elsewhere. Teachers don’t see it.',
    query: ForecastQuery,
    answer: ForecastAnswer,
    refuses: ['not_found', 'not_practisable'],
    run: ({ caller, query }) => readForecast(core, caller.userId, query),
  })

  operation('getPracticeHistory', 'GET /history', {
    summary: 'Practice by day, and how much of it was right',
    budget: 'heavy',
    query: PracticeHistoryQuery,
    answer: PracticeHistoryAnswer,
    run: ({ caller, query }) => service.readHistory(core, caller.userId, query.days),
  })
}
