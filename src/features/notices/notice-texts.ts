import type { Language } from '../../../schemas/languages.ts'
import { sayIn } from '../../formats/translations.ts'
import type { NoticeRow } from './notices.store.ts'

/** Code points of a body. */
const LONGEST_BODY = 500

/** For people who have set neither. */
interface Defaults {
  language: Language
  timezone: string
}

/** What a notice says, in its reader's language and time zone. */
export function sayNotice(row: NoticeRow, defaults: Defaults): { title: string; body: string } {
  const t = sayIn(row.language ?? defaults.language)
  const examName = row.examName ?? ''
  switch (row.kind) {
    case 'exam_published': {
      if (row.closesAt === null) return { title: examName, body: t('A new exam') }
      return { title: examName, body: t('A new exam. It closes on {when}', { when: when(row, defaults) }) }
    }
    case 'exam_closing':
      return row.closesAt === null
        ? { title: examName, body: t('It stays open') }
        : { title: examName, body: t('It closes on {when}', { when: when(row, defaults) }) }
    case 'result_released':
      return { title: examName, body: t('Your result is out') }
    case 'result_changed':
      return { title: examName, body: t('Your result has changed') }
    case 'challenge_answered':
      return {
        title: examName,
        body:
          row.status === 'accepted'
            ? t('Your challenge was accepted')
            : t('Your challenge was answered: the result stays as it is'),
      }
    case 'more_time':
      return {
        title: examName,
        body: t('You got {minutes, plural, one {# more minute} other {# more minutes}}', {
          minutes: row.minutes ?? 0,
        }),
      }
    case 'class_news':
      return { title: row.className ?? '', body: cut(row.text ?? '') }
    case 'access_decided':
      return {
        title: t('Your request for another role'),
        body:
          row.status === 'completed' ? t('It was granted. Sign in again to use it') : t('It was declined'),
      }
  }
}

function when({ closesAt, language, timeZone }: NoticeRow, defaults: Defaults): string {
  const locale = `${language ?? defaults.language}-u-nu-latn`
  const zone = timeZone ?? defaults.timezone
  return new Intl.DateTimeFormat(locale, { dateStyle: 'long', timeStyle: 'short', timeZone: zone }).format(
    closesAt ?? undefined,
  )
}

function cut(text: string): string {
  const points = [...text]
  return points.length <= LONGEST_BODY ? text : `${points.slice(0, LONGEST_BODY - 1).join('')}…`
}
