import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { Text } from '../../../schemas/common.ts'
import type { Core } from '../../core.ts'
import { AppError } from '../../errors.ts'
import { sayIn } from '../../formats/translations.ts'
import { Page, sendPage } from '../../http/page-body.ts'
import { pageLanguageOf } from '../../http/request-language.ts'
import { registerUrlencoded } from '../../http/urlencoded-body.ts'
import { findKindOfMail, MAILS_OFF_PATH, turnKindOff } from '../notices/notice-mails.service.ts'
import { renderMailsOff } from './mails-off-html.ts'

const LARGEST_FORM = 4 * 1024
/** What RFC 8058 has mail programs send. */
const OffForm = Type.Object({ 'List-Unsubscribe': Type.Optional(Type.String()) })
const TokenQuery = Type.Object({ token: Text(1, 100) })
const tags = ['pages']

/**
 * Turns off the mails of a kind, for whoever has one of them, without a sign-in. Mail programs do it by themselves
 * (RFC 8058), by either kind of form, which says nothing that matters.
 */
export const mailsOffRoutes: FastifyPluginAsyncTypebox<{ core: Core }> = async (app, { core }) => {
  registerUrlencoded(app, LARGEST_FORM)
  app.addContentTypeParser(
    'multipart/form-data',
    { parseAs: 'buffer', bodyLimit: LARGEST_FORM },
    (_request, _body, done) => done(null, {}),
  )

  app.get(
    MAILS_OFF_PATH,
    {
      schema: {
        operationId: 'showMailsOff',
        summary: 'Ask whether the mails of a kind are to end; the link is in each of them',
        description: 'Changes nothing.',
        tags,
        produces: ['text/html', 'application/json'],
        querystring: TokenQuery,
        response: { 200: Page },
      },
    },
    async (request, reply) => {
      const kind = await orUndefined(findKindOfMail(core, request.query.token))
      return sendPage(reply, renderMailsOff(sayIn(pageLanguageOf(request)), kind, false))
    },
  )

  app.post(
    MAILS_OFF_PATH,
    {
      schema: {
        operationId: 'turnMailsOff',
        summary: 'End the mails of a kind, for whoever got the mail',
        description: 'As RFC 8058 says it for mail programs.',
        tags,
        consumes: ['application/x-www-form-urlencoded', 'multipart/form-data'],
        produces: ['text/html', 'application/json'],
        querystring: TokenQuery,
        body: OffForm,
        response: { 200: Page },
      },
    },
    async (request, reply) => {
      const kind = await orUndefined(turnKindOff(core, request.query.token))
      return sendPage(reply, renderMailsOff(sayIn(pageLanguageOf(request)), kind, true))
    },
  )
}

/** A link that leads to nothing any more is told in words. */
async function orUndefined<Found>(found: Promise<Found>): Promise<Found | undefined> {
  try {
    return await found
  } catch (error) {
    if (error instanceof AppError && error.code === 'not_found') return undefined
    throw error
  }
}
