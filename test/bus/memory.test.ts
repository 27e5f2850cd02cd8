import { pino } from 'pino'
import { describe } from 'vitest'
import { createMemoryBus } from '../../src/bus/bus-memory.ts'
import { createMemoryPresence } from '../../src/bus/presence-memory.ts'
import { createMemoryRateSlots } from '../../src/bus/rate-slots-memory.ts'
import { describeBus } from '../contracts/bus.ts'
import { describePresence, listen, TIMES } from '../contracts/presence.ts'
import { describeRateSlots } from '../contracts/rate-slots.ts'

describe('the bus in process', () => describeBus(async () => [createMemoryBus(pino({ level: 'silent' }))]))

describe('rate slots in process', () =>
  describeRateSlots(async () => {
    let now = 0
    return {
      nodes: [createMemoryRateSlots(() => now)],
      async pass(ms) {
        now += ms
      },
    }
  }))

describe('presence in process', () => describePresence(async () => [listen(createMemoryPresence(TIMES))]))
