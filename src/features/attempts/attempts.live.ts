import type { ServerFrame } from '../../../schemas/events.schemas.ts'
import type { ExamEvent } from '../../bus/events.ts'
import type { LivePlugin } from '../../gateway/live-plugin.ts'
import { sendTo } from '../../gateway/person.ts'
import { listStudents } from './attempts.service.ts'

type ReleaseEvent = Extract<ExamEvent, { kind: 'results_released' }>

/** Exams on sockets: students hear of their results, and when their attempts under way end at another time. */
export const attemptsLive: LivePlugin = (core, people) => {
  /** Events are sent one after another, so that the last frame is the current state. */
  let told = Promise.resolve()

  /** One query finds which of the people on this node have an attempt at that exam. */
  async function tellReleased({ examId, released }: ReleaseEvent): Promise<void> {
    try {
      const userIds = people.all().map(({ userId }) => userId)
      for (const userId of await listStudents(core, examId, userIds))
        tell(userId, { type: 'results_released', exam_id: examId, released })
    } catch (error) {
      core.log.warn({ err: error, exam_id: examId }, 'the release of results could not be told')
    }
  }

  function tell(userId: number, frame: ServerFrame): void {
    const person = people.find(userId)
    if (person) sendTo(person, frame)
  }

  core.bus.subscribe('exams', (event) => {
    switch (event.kind) {
      case 'results_released':
        told = told.then(() => tellReleased(event))
        break
      case 'attempt_times':
        for (const { userId, attemptId, endsAt } of event.times)
          tell(userId, {
            type: 'attempt_time',
            exam_id: event.examId,
            attempt_id: attemptId,
            ends_at: endsAt === null ? null : new Date(endsAt).toISOString(),
          })
        break
      case 'exam_message':
        for (const userId of event.userIds)
          tell(userId, { type: 'exam_message', exam_id: event.examId, text: event.text, at: event.at })
        break
      case 'results_changed':
        for (const { userId, attemptId } of event.results)
          tell(userId, { type: 'result_changed', exam_id: event.examId, attempt_id: attemptId })
        break
    }
  })
  return {}
}
