import type { Socket } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { WATCHED_MS } from '../src/features/attempts/watched-exams.ts'
import { answersOf, createExam } from './exam.ts'
import { CONNECTIONS, describeLoads, load } from './load.ts'
import { find, interleave, medianRatio, type Report, table } from './measure.ts'
import { ask, openSocket, SIGN_OF_LIFE } from './sockets.ts'
import { createWorld, populate, type Server, type World } from './world.ts'

const STUDENTS = 500
const TEACHERS = 5
const EXAM = 1

/** Saves as fast as the service answers, with and without teachers who watch the live room, in turns. */
export async function benchLiveRoom(rounds: number, seconds: number): Promise<Report> {
  const world = await createWorld()
  try {
    await populate(world.sql, STUDENTS + TEACHERS, STUDENTS + TEACHERS)
    await createExam(world, EXAM)
    const server = await world.start('service')
    const tokens = Array.from({ length: STUDENTS }, (_, index) => world.tokenOf(index + 1))
    for (const token of tokens) await start(server, token)
    let turn = 0
    const save = (duration: number) =>
      load(server, duration, (request) => {
        turn += 1
        request.method = 'PUT'
        request.path = `/api/v01/exams/${EXAM}/answers`
        request.headers = {
          authorization: `Bearer ${tokens[turn % STUDENTS]}`,
          'content-type': 'application/json',
        }
        request.body = answersOf(EXAM, turn)
      })
    await save(2)
    const unwatched = { name: 'nobody watches', teachers: 0 }
    const watched = { name: `${TEACHERS} teachers watch`, teachers: TEACHERS }
    const cases = [unwatched, watched]
    const results = await interleave(cases, rounds, async ({ teachers }) => {
      // Until the service has forgotten that somebody watched.
      if (teachers === 0) await setTimeout(WATCHED_MS)
      const sockets = await watch(world, server, teachers)
      const result = await save(seconds)
      for (const socket of sockets) {
        // A frame with all rows is larger than that.
        if (socket.bytesRead < STUDENTS * 200) throw new Error('the watchers were told nothing')
        socket.destroy()
      }
      return result
    })
    const loadsOf = (each: (typeof cases)[number]) => results.get(each) ?? []
    const rates = (each: (typeof cases)[number]) => loadsOf(each).map(({ perSecond }) => perSecond)
    const ratio = medianRatio(rates(watched), rates(unwatched))
    const text = `### The live room

${CONNECTIONS} connections save for ${STUDENTS} students of one exam, so that each second all rows change; ${rounds} rounds of ${seconds} s.

${table(
  ['', 'saves/s', 'p50 ms', 'p99 ms', 'Node CPU µs a save'],
  cases.map((each) => [each.name, ...describeLoads(loadsOf(each))]),
)}
`
    return { text, findings: [find('saves a second, watched ÷ not', ratio, '', '≥', 0.98)] }
  } finally {
    await world.close()
  }
}

async function start({ url }: Server, token: string): Promise<void> {
  const answer = await fetch(`${url}/api/v01/exams/${EXAM}/start`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: '{}',
  })
  if (!answer.ok) throw new Error(`a start was answered ${answer.status}: ${await answer.text()}`)
  await answer.arrayBuffer()
}

function watch(world: World, { url }: Server, teachers: number): Promise<Socket[]> {
  return Promise.all(
    Array.from({ length: teachers }, async (_, index) => {
      const socket = await openSocket(url, world.tokenOf(STUDENTS + index + 1, 'user,admin'))
      await ask(socket, { type: 'subscribe', topic: `live:${EXAM}` })
      socket.resume()
      socket.write(SIGN_OF_LIFE)
      return socket
    }),
  )
}
