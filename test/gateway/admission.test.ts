import { Socket } from 'node:net'
import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { Admission } from '../../src/gateway/admission.ts'

/** Admits sockets until the next one has to wait. */
async function fill(admission: Admission): Promise<Socket[]> {
  const inside: Socket[] = []
  for (;;) {
    const socket = new Socket()
    let entered = false
    const entering = admission.enter(socket).then(() => {
      entered = true
    })
    await setImmediate()
    if (!entered) {
      socket.emit('close')
      await expect(entering).rejects.toMatchObject({ code: 'aborted' })
      return inside
    }
    inside.push(socket)
  }
}

test('sockets are admitted in the order of their arrival, when others are set up or closed', async () => {
  const admission = new Admission()
  const [one, other] = (await fill(admission)) as [Socket, Socket]
  const order: number[] = []
  const waiting = [1, 2, 3, 4].map((n) => ({ n, socket: new Socket() }))
  const entering = waiting.map(({ n, socket }) =>
    admission.enter(socket).then(
      () => order.push(n),
      () => order.push(-n),
    ),
  )
  // A waiting socket that closes doesn't take a turn.
  waiting[1]?.socket.emit('close')
  admission.leave(one)
  one.emit('close')
  await setImmediate()
  expect(order).toEqual([-2, 1])
  other.emit('close')
  await setImmediate()
  expect(order).toEqual([-2, 1, 3])
  waiting[0]?.socket.emit('close')
  await Promise.all(entering)
  expect(order).toEqual([-2, 1, 3, 4])
})

test('when too many wait, more are refused and told when to try again', async () => {
  const admission = new Admission()
  await fill(admission)
  const waiting: Socket[] = []
  for (;;) {
    const socket = new Socket()
    const refusal = await Promise.race([
      admission.enter(socket).catch((error: unknown) => error),
      setImmediate('waits'),
    ])
    if (refusal !== 'waits') {
      expect(refusal).toMatchObject({ code: 'unavailable', status: 503, retryAfter: expect.any(Number) })
      break
    }
    waiting.push(socket)
  }
  expect(waiting.length).toBeGreaterThan(1_000)
  for (const socket of waiting) socket.emit('close')
})
