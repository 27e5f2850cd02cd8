import { describe, expect, test } from 'vitest'
import { tryQuestion } from '../../src/features/questions/draw-trials.ts'
import { checkQuestion } from '../../src/features/questions/question-checks.ts'
import { createClass } from '../support/content/classes.ts'
import { form } from '../support/content/forms.ts'
import { sharedService } from '../support/service.ts'

const QUESTIONS = '/api/v01/admin/questions'
const service = await sharedService()
const admin = await service.admin()

const COSTLY = { meta: { costly: 'draws are tried in a thread, whose time counts' } }

const QUOTIENT = {
  question_type: 'NUMERIC',
  question_text: '{@a@} / {@b@}',
  correct_answer: '{@a/b@}',
  tolerance: '{@abs(a)/100@}',
  variables: [
    { name: 'a', from: 1, to: 9, step: 1 },
    { name: 'b', from: -2, to: 2, step: 1 },
  ],
  conditions: ['b != 0'],
}
/** A question as a form carries it. */
const asForm = ({ variables, conditions, ...fields }: typeof QUOTIENT, seed: string) =>
  form({ ...fields, seed, variables: JSON.stringify(variables), conditions: JSON.stringify(conditions) })

describe('a preview', () => {
  test('takes a form as it takes JSON', COSTLY, async () => {
    const { body } = await admin.post(`${QUESTIONS}/preview`, { ...QUOTIENT, seed: 5 }, 200)
    const fromForm = await admin.request('POST', `${QUESTIONS}/preview`, asForm(QUOTIENT, '5'), 200)
    expect(fromForm.body).toEqual(body)
    const wrong = asForm({ ...QUOTIENT, question_text: '{@c@}' }, '5')
    const refused = await admin.request('POST', `${QUESTIONS}/preview`, wrong, 400)
    expect(refused.body).toMatchObject({ errors: [{ path: '/question_text' }] })
    expect(
      (await admin.request('POST', `${QUESTIONS}/preview`, asForm(QUOTIENT, 'x'), 400)).body,
    ).toMatchObject({
      errors: [{ path: '/seed' }],
    })
    await admin.post(`${QUESTIONS}/preview`, { ...QUOTIENT, seed: -1 }, 400)
    await (await service.person()).request('POST', `${QUESTIONS}/preview`, asForm(QUOTIENT, '5'), 403)
  })

  test('is also for teachers of classes, who write questions', COSTLY, async () => {
    const teacher = await service.person()
    await createClass(service.sql, { students: [], teachers: [teacher] })
    await teacher.post(`${QUESTIONS}/preview`, { ...QUOTIENT, seed: 5 }, 200)
    await teacher.post(`${QUESTIONS}/draws`, { ...QUOTIENT, seed: 5 }, 200)
  })
})

describe('draws', () => {
  test('are listed as they come, with what fails, and why', COSTLY, async () => {
    const draws = async (question: object) =>
      (await admin.post(`${QUESTIONS}/draws`, { ...question, seed: 1, count: 50 }, 200)).body.draws
    const listed = await draws(QUOTIENT)
    expect(listed).toHaveLength(50)
    for (const { values, failure } of listed)
      expect(failure).toEqual(values.b === '0' ? { path: '/conditions', message: 'aren’t fulfilled' } : null)
    for (const { values, correct_answer, failure } of listed) {
      const [a, b] = [values.a, values.b].map((value) => Number(value?.replace('−', '-')))
      expect(correct_answer).toBe(failure ? '' : String(Number(a) / Number(b)))
    }
    expect(listed.filter(({ failure }) => failure).length).toBeGreaterThan(3)
    expect(await draws(QUOTIENT)).toEqual(listed)
    // What couldn't be saved is listed too.
    const wrong = await draws({ ...QUOTIENT, conditions: [] })
    for (const { values, failure } of wrong)
      expect(failure).toEqual(
        values.b === '0' ? { path: '/correct_answer', message: 'has no finite value' } : null,
      )
    await admin.post(`${QUESTIONS}/preview`, { ...QUOTIENT, conditions: [] }, 400)
    const { body } = await admin.post(`${QUESTIONS}/draws`, { ...QUOTIENT, conditions: ['c > 1'] }, 400)
    expect(body).toMatchObject({ errors: [{ path: '/conditions/0' }] })
    await admin.post(`${QUESTIONS}/draws`, { ...QUOTIENT, count: 51 }, 400)
    await (await service.person()).post(`${QUESTIONS}/draws`, QUOTIENT, 403)
  })
})

/** Of whose draws 500 take much longer than two seconds. */
const SLOW = {
  ...QUOTIENT,
  variables: [
    { name: 'a', from: 500, to: 1000, step: 1 },
    ...Array.from({ length: 19 }, (_, index) => ({
      name: `b${index}`,
      is: Array.from(
        { length: 16 },
        (_each, place) => `binom(a, ${200 + place})/binom(a, ${270 + place})`,
      ).join('+'),
    })),
  ],
  question_text: '{@a@}',
  correct_answer: '{@a@}',
  tolerance: '0',
  conditions: [],
}

describe('trials', () => {
  test('that take too long are refused, and those behind them go on', COSTLY, async () => {
    const slow = admin.post(`${QUESTIONS}/preview`, { ...SLOW, seed: 1 }, 400)
    const [refused, quick] = await Promise.all([slow, admin.post(`${QUESTIONS}/preview`, QUOTIENT, 200)])
    expect(refused.body).toMatchObject({ code: 'too_slow' })
    expect(quick.body.values).toHaveProperty('a')
  })

  test('wait for one another, and too many at once are refused until there is room', COSTLY, async () => {
    const checked = checkQuestion(QUOTIENT)
    if ('errors' in checked) throw new Error('it is right')
    const outcomes = await Promise.allSettled(Array.from({ length: 40 }, () => tryQuestion(checked.question)))
    const refused = outcomes.filter(({ status }) => status === 'rejected')
    expect(refused).toHaveLength(24)
    for (const each of refused) expect(each).toMatchObject({ reason: { code: 'unavailable' } })
    expect(await tryQuestion(checked.question)).toHaveProperty('kept')
  })
})
