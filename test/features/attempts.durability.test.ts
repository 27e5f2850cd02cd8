import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { createExam, longPaper } from '../support/content/exams.ts'
import { startProcess } from '../support/processes/process.ts'
import { withService } from '../support/service.ts'

/** Both services sign and verify tokens with it. */
const SECRET = 'a secret that two processes share in this test'

/** A service with an exam, and a process beside it, on the same database, that is to be killed. */
async function startTwo() {
  const survivor = await withService({ config: { jwtSecrets: [SECRET] } })
  const { examId, questionIds } = await createExam(survivor.sql, { questions: longPaper() })
  const doomed = startProcess({
    DATABASE_URL: survivor.databaseUrl,
    DATA_DIR: survivor.dataDir,
    JWT_SECRET: SECRET,
  })
  const address = await doomed.ready()
  return { survivor, doomed, address, examId, questionIds }
}

test('no acknowledged answer is lost when the process is killed between sync and submit', async () => {
  const { survivor, doomed, address, examId, questionIds } = await startTwo()
  const people = await Promise.all(Array.from({ length: 12 }, () => survivor.person()))
  const base = `/api/v01/exams/${examId}` as const

  let totalAcknowledged = 0
  const sittings = people.map(async (person) => {
    const there = person.at(address)
    await there.post(`${base}/start`, {}, 201)
    const acknowledged: number[] = []
    try {
      for (const id of questionIds.slice(0, 40)) {
        await there.put(`${base}/answers`, { answers: { [id]: 'A' } }, 200)
        acknowledged.push(id)
        totalAcknowledged += 1
      }
    } catch (error) {
      // The connection broke, so the last answer may or may not have been saved.
      if (!(error instanceof TypeError)) throw error
    }
    return { person, acknowledged }
  })
  while (totalAcknowledged < 100) await sleep(1)
  await doomed.exit('SIGKILL')

  for (const { person, acknowledged } of await Promise.all(sittings)) {
    expect(acknowledged.length).toBeLessThan(40)
    const { answers } = (await person.get(`${base}/paper`, 200)).body
    for (const id of acknowledged) expect(answers[id]).toBe('A')
    expect(Object.keys(answers).length).toBeLessThanOrEqual(acknowledged.length + 1)
    const { result } = (await person.post(`${base}/submit`, {}, 200)).body
    expect(Number(result?.correct) + Number(result?.incorrect)).toBe(Object.keys(answers).length)
  }
})

test('what was submitted is practised, though the process is killed right after it', async () => {
  const { survivor, doomed, address, examId, questionIds } = await startTwo()
  const people = await Promise.all(Array.from({ length: 8 }, () => survivor.person()))
  const submits = people.map(async (person) => {
    const there = person.at(address)
    await there.post(`/api/v01/exams/${examId}/start`, {}, 201)
    await there.post(`/api/v01/exams/${examId}/submit`, { answers: { [questionIds[0] as number]: 'A' } }, 200)
    return person
  })
  const first = await Promise.race(submits)
  await doomed.exit('SIGKILL')
  const settled = await Promise.allSettled(submits)
  const acknowledged = settled.flatMap((each) => (each.status === 'fulfilled' ? each.value : []))
  expect(acknowledged).toContain(first)
  for (const person of acknowledged)
    expect((await person.get('/api/v01/practice', 200)).body).toMatchObject({
      learning: questionIds.length,
      today: { reviews: 0 },
    })
})
