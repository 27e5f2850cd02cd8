import { negotiate } from '@fastify/accept-negotiator'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { LANGUAGES, type Language } from '../../schemas/languages.ts'
import type { Core } from '../core.ts'
import { PSEUDO, type ShownLanguage } from '../formats/translations.ts'
import { cookieOptions } from './cookies.ts'

/** The person's own language, as this browser knows it. */
const LANGUAGE_COOKIE = 'language'
const COOKIE_SECONDS = 400 * 86_400

/** The language of a page: what its address asks for, else the person's own, else the browser's. */
export function pageLanguageOf(request: FastifyRequest): ShownLanguage {
  const { lang } = request.query as { lang?: unknown }
  if (lang === PSEUDO) return PSEUDO
  return known(lang) ?? ownLanguageOf(request)
}

/** The person's own language, else the browser's. */
export function ownLanguageOf({ cookies, headers }: FastifyRequest): Language {
  return known(cookies[LANGUAGE_COOKIE]) ?? acceptedLanguage(headers['accept-language'])
}

/** The best one of an `Accept-Language`: of `de-AT` what there is of `de`. */
function acceptedLanguage(header = ''): Language {
  const withoutRegions = header.toLowerCase().replaceAll(/\b([a-z]{2,3})(-[a-z\d]+)+/g, '$1')
  return known(negotiate(withoutRegions, [...LANGUAGES])) ?? 'en'
}

/** Pages go on in this language until somebody signs out; null: as the browser asks for. */
export function setLanguageCookie(reply: FastifyReply, core: Core, language: Language | null): void {
  const options = cookieOptions(core)
  if (language === null) {
    if (reply.request.cookies[LANGUAGE_COOKIE]) reply.clearCookie(LANGUAGE_COOKIE, options)
  } else reply.setCookie(LANGUAGE_COOKIE, language, { ...options, maxAge: COOKIE_SECONDS })
}

function known(language: unknown): Language | undefined {
  return LANGUAGES.find((each) => each === language)
}
