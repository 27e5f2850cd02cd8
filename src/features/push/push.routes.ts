import type { FastifyPluginAsync } from 'fastify'
import { IdParams, Success } from '../../../schemas/common.ts'
import {
  PushAnswer,
  PushSettingsAnswer,
  PushSettingsBody,
  PushSubscriptionAnswer,
  PushSubscriptionBody,
} from '../../../schemas/push.schemas.ts'
import type { Core } from '../../core.ts'
import { operations } from '../../http/operations.ts'
import { ownLanguageOf, setLanguageCookie } from '../../http/request-language.ts'
import * as service from './push.service.ts'

/** Pushes to browsers and apps (docs/protocol/push.md), at `/api/v01/push`. */
export const pushRoutes: FastifyPluginAsync<{ core: Core }> = async (app, { core }) => {
  const operation = operations(app, 'push')

  operation('getPush', 'GET', {
    summary: "The service's key, and one's own devices and settings",
    answer: PushAnswer,
    run: ({ caller }) => service.getPush(core, caller.userId),
  })

  operation('addPushSubscription', 'POST /subscriptions', {
    summary: 'Register a browser or an app for pushes',
    description:
      'Its pushes are in the language of `Accept-Language`, unless the person has set one. The same endpoint again replaces its keys. It belongs to the account and the session that registered it last.',
    body: PushSubscriptionBody,
    created: PushSubscriptionAnswer,
    refuses: ['too_many', 'not_configured'],
    run: async (request) => {
      const { caller, body } = request
      const subscription = await service.subscribe(core, caller, body, ownLanguageOf(request))
      return { subscription }
    },
  })

  operation('removePushSubscription', 'DELETE /subscriptions/:id', {
    summary: 'Send no more pushes there',
    params: IdParams,
    answer: Success,
    refuses: ['not_found'],
    run: async ({ caller, params }) => {
      await service.unsubscribe(core, caller.userId, params.id)
    },
  })

  operation('changePushSettings', 'PATCH /settings', {
    summary: 'What to be told of, and how',
    body: PushSettingsBody,
    answer: PushSettingsAnswer,
    refuses: ['nothing_to_update'],
    run: async ({ caller, body }, reply) => {
      const settings = await service.changeSettings(core, caller.userId, body)
      // The desk goes on in the new language when it is opened again.
      if (body.language !== undefined) setLanguageCookie(reply, core, settings.language)
      return { settings }
    },
  })
}
