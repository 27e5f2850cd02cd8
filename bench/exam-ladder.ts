import { createExam } from './exam.ts'
import { cpuSeconds, find, quantile, type Report, table } from './measure.ts'
import { savedAnswers } from './morning-plan.ts'
import { createWorld, populate, type Server, type World } from './world.ts'

const STEPS = [100, 200, 500, 1_000]
/**
 * With the start, the paper and the hand-in it is as many requests as Artemis' own simulation sends for each student.
 */
const SAVES = 33

/**
 * The ladder of Artemis' simulated exams, another workload than a morning: everybody begins at once and sends each
 * request as soon as the one before is answered, without a pause to think.
 */
export async function benchExamLadder(): Promise<Report> {
  const world = await createWorld()
  try {
    await populate(world.sql, Math.max(...STEPS), 2)
    const service = await world.start('service')
    const steps = []
    for (const [index, students] of STEPS.entries()) {
      await createExam(world, index + 1)
      steps.push({ students, ...(await sitAll(world, service, index + 1, students)) })
    }
    return {
      text: `### Students without pauses

All begin at once on one node; each sends ${SAVES + 3} requests, the next as soon as the one before is answered: start, paper, ${SAVES} saves of two answers, hand-in.
Artemis publishes some 100 students for a machine of four cores, and 2,000 students with 72,000 requests for 44 cores, none failed.

${table(
  [
    'students',
    'requests',
    'failed',
    'seconds',
    'requests/s',
    'p50 ms',
    'p99 ms',
    'slowest ms',
    'Node’s CPU s',
  ],
  steps.map(({ students, times, failed, seconds, cpu }) => [
    students.toLocaleString('en-US'),
    times.length.toLocaleString('en-US'),
    String(failed),
    seconds.toFixed(1),
    (times.length / seconds).toFixed(0),
    ...[0.5, 0.99, 1].map((share) => quantile(times, share).toFixed(0)),
    cpu.toFixed(1),
  ]),
)}
`,
      findings: steps.map(({ students, failed, times }) =>
        find(`${students} students without pauses: failed`, failed, `${times.length} requests`, '≤', 0, 0),
      ),
    }
  } finally {
    await world.close()
  }
}

async function sitAll({ tokenOf }: World, service: Server, exam: number, students: number) {
  const times: number[] = []
  let failed = 0
  const sit = async (userId: number) => {
    const headers = { authorization: `Bearer ${tokenOf(userId)}`, 'content-type': 'application/json' }
    const send = async (method: string, path: string, body?: object) => {
      const began = performance.now()
      const answer = await fetch(`${service.url}/api/v01/exams/${exam}/${path}`, {
        method,
        headers,
        ...(body && { body: JSON.stringify(body) }),
      })
      await answer.arrayBuffer()
      times.push(performance.now() - began)
      if (!answer.ok) failed += 1
    }
    await send('POST', 'start', {})
    await send('GET', 'paper')
    for (let turn = 1; turn <= SAVES; turn++)
      await send('PUT', 'answers', {
        answers: savedAnswers(exam, userId, turn),
        markedForReview: [],
        revision: turn,
      })
    await send('POST', 'submit', {})
  }
  const cpu = cpuSeconds(service.pid)
  const began = performance.now()
  await Promise.all(Array.from({ length: students }, (_, index) => sit(index + 1)))
  const seconds = (performance.now() - began) / 1_000
  return { times, failed, seconds, cpu: cpuSeconds(service.pid) - cpu }
}
