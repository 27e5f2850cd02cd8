import fastify from 'fastify'
import { expect, test } from 'vitest'
import { fillPercentages } from '../../src/legacy/older-percentages.ts'

const WITHOUT = { max_score: 0, percentage: null }
const FILLED = { max_score: 0, percentage: 0 }

test.each([
  [
    { attempts: 3, result: WITHOUT },
    { attempts: 3, result: FILLED },
  ],
  [
    { attempts: [WITHOUT, { max_score: 2, percentage: 50 }] },
    { attempts: [FILLED, { max_score: 2, percentage: 50 }] },
  ],
  [
    { ...WITHOUT, attempts: null },
    { ...FILLED, attempts: null },
  ],
])('of %j only results without a percentage get one', async (answer, filled) => {
  const app = fastify()
  fillPercentages(app)
  app.get('/', async () => answer)
  expect((await app.inject('/')).json()).toEqual(filled)
})
