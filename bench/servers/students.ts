/**
 * Students of an exam as an open loop: each begins, reads and saves at times of their own, however long others wait.
 * Half of them hold a socket, which comes back when it breaks. What a node refuses or doesn't answer is sent again, as
 * the client does.
 */
import { once } from 'node:events'
import { Agent, type IncomingMessage, request } from 'node:http'
import type { Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  type Morning,
  type Orders,
  SAVE_MS,
  savedAnswers,
  type Told,
  UNANSWERED,
  type Waited,
} from '../morning-plan.ts'
import { openStubbornly, SIGN_OF_LIFE } from '../sockets.ts'
import { createTokenSigner } from '../tokens.ts'

const SECRET = process.env.JWT_SECRET as string
/** How long a student's client waits before it sends again. */
const AGAIN_MS = 1_000
/** Less than the gateway takes for a sign that nobody is there. */
const ALIVE_MS = 20_000
const BACK_WITHIN_MS = 5_000

const morning: Morning = JSON.parse(process.env.MORNING as string)
const { first, students, examId, startWithinMs } = morning
const EXAM = `/api/v01/exams/${examId}`
const signToken = await createTokenSigner(SECRET)
const agent = new Agent({ keepAlive: true, maxSockets: 128 })
const waited: Record<Waited, number[]> = { start: [], paper: [], image: [], save: [] }
const refusals: Record<string, number> = {}
/** Acknowledged saves of each student, and of all in each second. */
const acknowledged = new Array<number>(students).fill(0)
const perSecond: Record<number, number> = {}
const sockets = new Set<Socket>()
let { nodes } = morning
let broken = 0
let isOver = false

const tokenOf = (userId: number) => signToken({ userId, role: 'user', sessionId: userId, generation: 0 })
const nodeOf = (userId: number) => nodes[userId % nodes.length] as string

interface Ask {
  kind: Waited
  method?: string
  path: string
  body?: string
}

/**
 * Asks until it is answered or all is over, and measures from the moment when the student wanted it. Answers the body,
 * if any.
 */
async function send(userId: number, token: string, { kind, ...ask }: Ask): Promise<string | undefined> {
  const wanted = performance.now()
  while (!isOver) {
    const answer = await exchange(userId, token, ask)
    if (answer && answer.status < 300) {
      waited[kind].push(performance.now() - wanted)
      return answer.body
    }
    const why = answer ? `${kind}: ${answer.status}` : UNANSWERED
    refusals[why] = (refusals[why] ?? 0) + 1
    await sleep(AGAIN_MS)
  }
  return undefined
}

async function exchange(userId: number, token: string, { method = 'GET', path, body }: Omit<Ask, 'kind'>) {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const sent = request(nodeOf(userId) + path, { agent, method, headers })
  sent.end(body)
  try {
    const [answer] = (await once(sent, 'response')) as [IncomingMessage]
    return { status: answer.statusCode as number, body: await text(answer) }
  } catch {
    return undefined
  }
}

async function sit(index: number): Promise<void> {
  const userId = first + index
  const token = tokenOf(userId)
  await sleep(Math.random() * startWithinMs)
  await send(userId, token, { kind: 'start', method: 'POST', path: `${EXAM}/start`, body: '{}' })
  const paper = await send(userId, token, { kind: 'paper', path: `${EXAM}/paper` })
  if (paper === undefined) return
  for (const [, path] of paper.matchAll(/"image_url":"([^"]+)"/g))
    await send(userId, token, { kind: 'image', path: path as string })
  if (userId % 4 < 2) void holdSocket(userId, token)
  let next = performance.now() + Math.random() * SAVE_MS
  for (let turn = 1; !isOver; turn++) {
    await sleep(Math.max(0, next - performance.now()))
    if (isOver) return
    next += SAVE_MS
    const body = { answers: savedAnswers(examId, userId, turn), markedForReview: [], revision: turn }
    const saved = await send(userId, token, {
      kind: 'save',
      method: 'PUT',
      path: `${EXAM}/answers`,
      body: JSON.stringify(body),
    })
    if (saved === undefined) return
    acknowledged[index] = turn
    const second = Math.floor(Date.now() / 1_000)
    perSecond[second] = (perSecond[second] ?? 0) + 1
  }
}

async function holdSocket(userId: number, token: string): Promise<void> {
  while (!isOver) {
    const socket = await openStubbornly(nodeOf(userId), token, () => {})
    sockets.add(socket)
    socket.resume()
    socket.on('error', () => {})
    await once(socket, 'close')
    sockets.delete(socket)
    if (!isOver) broken += 1
    await sleep(Math.random() * BACK_WITHIN_MS)
  }
}

const alive = setInterval(() => {
  for (const socket of sockets) socket.write(SIGN_OF_LIFE)
}, ALIVE_MS)

const sitting = Array.from({ length: students }, (_, index) => sit(index))

process.on('message', async (orders: Orders) => {
  if (orders.nodes) nodes = orders.nodes
  if (!orders.isOver) return
  isOver = true
  clearInterval(alive)
  // Whoever waits for their next save goes with the process; a save under way is awaited by its acknowledgement alone.
  await Promise.race([Promise.all(sitting), sleep(AGAIN_MS * 5)])
  const told: Told = { waited, refusals, acknowledged, perSecond, broken }
  for (const socket of sockets) socket.destroy()
  agent.destroy()
  process.send?.(told)
})
process.on('disconnect', () => process.exit())
process.send?.('students')
