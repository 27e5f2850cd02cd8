import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { IdParams, Success } from '../../../schemas/common.ts'
import {
  PushAnswer,
  PushSettingsAnswer,
  PushSettingsBody,
  PushSubscriptionAnswer,
  PushSubscriptionBody,
} from '../../../schemas/push.schemas.ts'
import type { Core } from '../../core.ts'
import { failures } from '../../http/failures.ts'
import { ownLanguageOf, setLanguageCookie } from '../../http/request-language.ts'
import * as service from './push.service.ts'

const tags = ['push']
const success = true as const

/** Pushes to browsers and apps (docs/protocol/push.md), at `/api/v01/push`. */
export const pushRoutes: FastifyPluginAsyncTypebox<{ core: Core }> = async (app, { core }) => {
  app.get(
    '',
    {
      schema: {
        operationId: 'getPush',
        summary: "The service's key, and one's own devices and settings",
        tags,
        response: { 200: PushAnswer },
      },
    },
    async ({ caller }) => ({ success, ...(await service.getPush(core, caller.userId)) }),
  )

  app.post(
    '/subscriptions',
    {
      schema: {
        operationId: 'addPushSubscription',
        summary: 'Register a browser or an app for pushes',
        description:
          'Its pushes are in the language of `Accept-Language`, unless the person has set one. The same endpoint again replaces its keys. It belongs to the account and the session that registered it last.',
        tags,
        body: PushSubscriptionBody,
        response: { 201: PushSubscriptionAnswer, ...failures('too_many', 'not_configured') },
      },
    },
    async (request, reply) => {
      const { caller, body } = request
      const subscription = await service.subscribe(core, caller, body, ownLanguageOf(request))
      return reply.code(201).send({ success, subscription })
    },
  )

  app.delete(
    '/subscriptions/:id',
    {
      schema: {
        operationId: 'removePushSubscription',
        summary: 'Send no more pushes there',
        tags,
        params: IdParams,
        response: { 200: Success, ...failures('not_found') },
      },
    },
    async ({ caller, params }) => {
      await service.unsubscribe(core, caller.userId, params.id)
      return { success }
    },
  )

  app.patch(
    '/settings',
    {
      schema: {
        operationId: 'changePushSettings',
        summary: 'What to be told of, and how',
        tags,
        body: PushSettingsBody,
        response: { 200: PushSettingsAnswer, ...failures('nothing_to_update') },
      },
    },
    async ({ caller, body }, reply) => {
      const settings = await service.changeSettings(core, caller.userId, body)
      // The desk goes on in the new language when it is opened again.
      if (body.language !== undefined) setLanguageCookie(reply, core, settings.language)
      return { success, settings }
    },
  )
}
