import { type Say, sayIn } from '../../formats/translations.ts'
import type { PushKind } from './push.store.ts'
import type { PushFacts } from './push-sending.store.ts'

/** What a device shows, as it is in the encrypted text of a push (docs/protocol/push.md#what-it-says). */
export interface PushText {
  type: PushKind
  title: string
  body: string
  /** A later one with the same tag replaces this one. */
  tag: string
  /** Where a click leads, on this service. */
  url: string
  /** The conversation, connection, exam or news; 0 of practice. */
  id: number
}

/** A push has room for a few thousand bytes. */
const LONGEST_TITLE = 120
const LONGEST_BODY = 240

type Subject = { kind: PushKind; subjectId: number; topic: string }

export function toPushText({ kind, subjectId, topic }: Subject, facts: PushFacts): PushText {
  const { title, body, url } = say(sayIn(facts.language), kind, subjectId, facts)
  return {
    type: kind,
    title: cut(title, LONGEST_TITLE),
    body: cut(body, LONGEST_BODY),
    tag: topic,
    url,
    id: subjectId,
  }
}

function say(t: Say, kind: PushKind, id: number, facts: PushFacts): Pick<PushText, 'title' | 'body' | 'url'> {
  switch (kind) {
    case 'message':
      return { ...sayMessage(t, facts), url: `/desk/chat/${id}` }
    case 'connection_request':
      return { title: facts.personName ?? '', body: t('Wants to connect with you'), url: '/desk/people' }
    case 'released':
      return { title: examOr(t('Results'), facts), body: t('Your result is out'), url: `/desk/exams/${id}` }
    case 'changed':
      return {
        title: examOr(t('Results'), facts),
        body: t('Your result has changed'),
        url: `/desk/exams/${id}`,
      }
    case 'opening':
      return { title: examOr(t('Exam'), facts), body: t('Opens in 15 minutes'), url: `/desk/exams/${id}` }
    case 'exam_published':
      return { title: examOr(t('Exam'), facts), body: t('A new exam'), url: `/desk/exams/${id}` }
    case 'exam_closing':
      return { title: examOr(t('Exam'), facts), body: t('It closes within a day'), url: `/desk/exams/${id}` }
    case 'class_news':
      return {
        title: facts.subjectName ?? '',
        body: (facts.preview && facts.text) || t('There are news'),
        url: `/desk/classes/${facts.classId ?? ''}`,
      }
    case 'practice':
      return {
        title: t('Practice'),
        body: t('{count, plural, one {A question is due} other {# questions are due}}', {
          count: facts.count,
        }),
        url: '/desk/practice',
      }
  }
}

function sayMessage(t: Say, { personName, subjectName, text, hasFiles, preview, count }: PushFacts) {
  const sender = personName ?? ''
  const news = preview
    ? text || (hasFiles ? t('Sent a file') : '')
    : t('{count, plural, one {New message} other {# new messages}}', { count })
  return subjectName === null
    ? { title: sender, body: news }
    : { title: subjectName, body: `${sender}: ${news}` }
}

/** Which exam it is about is shown on a locked screen only to those who want that. */
function examOr(title: string, { preview, subjectName }: PushFacts): string {
  return preview && subjectName !== null ? subjectName : title
}

function cut(text: string, length: number): string {
  const points = [...text]
  return points.length <= length ? text : `${points.slice(0, length - 1).join('')}…`
}
