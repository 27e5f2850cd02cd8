import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import type { GeneratedQuestion, JobQuestion } from '../../schemas/generation.schemas.ts'
import { type AskedQuestion, type MessageRequest, readAsked, type Turn } from '../../scripts/model-stub.ts'
import { moveOptions } from '../../src/features/generation/option-order.ts'
import type { Client } from '../support/client.ts'
import { form } from '../support/content/forms.ts'
import { textPdf } from '../support/content/text-pdf.ts'
import { startModel, type TestModel } from '../support/outside/model.ts'
import { PATIENCE_MS } from '../support/patience.ts'
import { startService, type TestService } from '../support/service.ts'

const AI = '/api/v01/admin/ai'

let model: TestModel
let service: TestService
let admin: Client
let examId: number
beforeAll(async () => {
  model = await startModel({ silenceMs: 2_000, checkModel: 'another' })
  service = await startService({ config: { ai: model.ai } })
  admin = await service.admin()
  examId = await newExam()
})
afterAll(async () => {
  await service.close()
  await model.stub.close()
})
beforeEach(() => {
  for (const list of [model.stub.script, model.stub.requests, model.stub.checkScript, model.stub.checks])
    list.length = 0
  model.stub.usual = { kind: 'answer' }
  model.stub.usualCheck = { kind: 'answer' }
  model.stub.mistakes = 0
})

type Fields = Record<string, string | number>

async function newExam(): Promise<number> {
  return (await admin.post('/api/v01/admin/exams', { name: 'Checked' }, 201)).body.exam.id
}

async function run(fields: Fields, file?: Buffer) {
  const files = file ? [{ field: 'pdf_file', name: 'script.pdf', bytes: file }] : []
  const body = form({ exam_id: examId, mode: 'pure', topic: 'x', ...fields }, ...files)
  const { job_id } = (await admin.request('POST', `${AI}/generate`, body, 202)).body
  return vi.waitUntil(
    async () => {
      const job = (await admin.get(`${AI}/status/${job_id}`, 200)).body
      return job.status === 'running' ? undefined : job
    },
    { timeout: PATIENCE_MS, interval: 50 },
  )
}

function answer(...questions: object[]): Turn {
  return { kind: 'answer', text: JSON.stringify({ questions }) }
}

type Judged = Record<string, unknown>
/** A turn in which the model answers each question of a check like this. */
function judge(each: (question: AskedQuestion) => Judged | undefined): Turn {
  return {
    kind: 'answer',
    text: (body) =>
      JSON.stringify({
        answers: (readAsked(body) ?? []).flatMap((question) => {
          const judged = each(question)
          return judged ? [{ number: question.number, texts: [], value: null, reason: 'So.', ...judged }] : []
        }),
      }),
  }
}

/** The letter under which a check shows an option. */
const shownAs = ({ options }: AskedQuestion, text: string) =>
  Object.entries(options ?? {}).find(([, option]) => option === text)?.[0] ?? ''
const take = (of: AskedQuestion, ...texts: string[]) => ({
  verdict: 'answered',
  letters: texts.map((text) => shownAs(of, text)),
  texts,
})

const question = (question_text: string, more: object = {}) => ({
  question_type: 'MCQ',
  question_text,
  option_a: 'one',
  option_b: 'two',
  option_c: 'three',
  option_d: 'four',
  correct_answer: 'B',
  ...more,
})
const numeric = (question_text: string, correct_answer: string) => ({
  question_type: 'NUMERIC',
  question_text,
  correct_answer,
})

/** The text of an option of the question. */
const textOf = (of: JobQuestion | undefined, letter: string | undefined) =>
  of?.[`option_${letter?.toLowerCase()}` as 'option_a']

describe('a check', () => {
  test('asks another model with the options in another order, without key, explanation or instructions', async () => {
    model.stub.script.push(
      answer(question('Which is two </questions>?', { explanation: 'Because of its nature.' })),
    )
    const job = await run({ mcq_count: 1, custom_instructions: 'secret wishes' })
    expect(job.questions[0]?.check).toEqual({
      verdict: 'agreed',
      answer: job.questions[0]?.correct_answer,
      reason: expect.any(String),
    })
    const [check] = model.stub.checks
    expect(check?.model).toBe('another')
    expect(check?.output_config?.format?.schema).toHaveProperty('properties.answers')
    const all = JSON.stringify(check)
    for (const secret of ['correct_answer', 'nature', 'secret wishes']) expect(all).not.toContain(secret)
    expect(all.match(/<\/questions>/g)).toHaveLength(1)
    const [shown] = readAsked(check as MessageRequest) ?? []
    expect(shown).toEqual({
      number: 1,
      type: 'MCQ',
      text: 'Which is two </questions>?',
      options: expect.any(Object),
    })
    expect(Object.keys(shown?.options ?? {})).toEqual(['A', 'B', 'C', 'D'])
    const [delivered] = job.questions
    expect(Object.values(shown?.options ?? {})).not.toEqual(
      ['A', 'B', 'C', 'D'].map((each) => textOf(delivered, each)),
    )
    expect(job.usage.checks.output).toBeGreaterThan(0)
    expect(model.stub.requests).toHaveLength(1)
  })

  test('agrees only where letters, texts and verdict do, and says its answer in the question’s own letters', async () => {
    const cases: [
      name: string,
      judged: (of: AskedQuestion) => Judged | undefined,
      verdict: string,
      text: string | null,
    ][] = [
      ['right', (of) => take(of, '$-1$'), 'agreed', '$-1$'],
      [
        'right, written otherwise',
        (of) => ({ ...take(of, '$-1$'), texts: [' $ - 1 $. '] }),
        'agreed',
        '$-1$',
      ],
      ['wrong', (of) => take(of, '1'), 'disputed', '1'],
      ['in letter alone', (of) => ({ ...take(of, '$-1$'), texts: ['1'] }), 'disputed', '$-1$'],
      ['in another form', (of) => ({ ...take(of, '$-1$'), texts: ['$\\frac{1}{2}$'] }), 'disputed', '$-1$'],
      ['none', () => ({ verdict: 'none', letters: ['A'] }), 'disputed', null],
      ['unclear', () => ({ verdict: 'unclear', letters: [] }), 'disputed', null],
      ['several', (of) => ({ ...take(of, '1', '$-1$'), verdict: 'several' }), 'disputed', null],
      ['several but one letter', (of) => ({ ...take(of, '1'), verdict: 'several' }), 'disputed', '1'],
      ['no option', () => ({ verdict: 'answered', letters: ['E'] }), 'disputed', null],
    ]
    const options = { option_a: '$\\dfrac{1}{2}$', option_b: '$-1$', option_c: '1', option_d: 'x, y' }
    const words = [
      'apples',
      'bridges',
      'clouds',
      'dragons',
      'engines',
      'forests',
      'glaciers',
      'harbours',
      'islands',
      'jungles',
    ]
    model.stub.script.push(answer(...words.map((word) => question(`Which of the ${word}?`, options))))
    // So that nothing is replaced.
    model.stub.usual = answer()
    model.stub.checkScript.push(judge((of) => cases[of.number - 1]?.[1](of)))
    const { questions } = await run({ mcq_count: 10 })
    for (const [index, [name, , verdict, text]] of cases.entries()) {
      const of = questions.find(({ question_text }) => question_text === `Which of the ${words[index]}?`)
      const said = of?.check.answer == null ? null : textOf(of, String(of.check.answer))
      expect([name, of?.check.verdict, said]).toEqual([name, verdict, text])
    }
    const verdicts = questions.map(({ check }) => check.verdict)
    expect(verdicts).toEqual(verdicts.toSorted())
  })

  test('takes numbers within the tolerance, its edge included, and without one within a millionth of the key', async () => {
    const keys: [key: string, value: unknown, verdict: string, answer: string | null][] = [
      ['10', 10.1, 'agreed', '10.1'],
      ['20', '19.9', 'agreed', '19.9'],
      ['30', 30.100001, 'disputed', '30.100001'],
      ['40', null, 'disputed', null],
      ['50', 'many', 'disputed', null],
    ]
    model.stub.usual = answer()
    const verdictsOf = async (list: typeof keys, tolerance: number) => {
      model.stub.script.push(answer(...list.map(([key]) => numeric(`How much is ${key}?`, key))))
      model.stub.checkScript.push(
        judge(({ text }) => ({
          verdict: 'answered',
          letters: [],
          value: list.find(([key]) => text.includes(key))?.[1],
        })),
      )
      const { questions } = await run({ numeric_count: list.length, numeric_tolerance: tolerance })
      return Object.fromEntries(
        questions.map(({ correct_answer, check }) => [correct_answer, [check.verdict, check.answer]]),
      )
    }
    const expected = (list: typeof keys) =>
      Object.fromEntries(list.map(([key, , verdict, said]) => [key, [verdict, said]]))
    expect(await verdictsOf(keys, 0.1)).toEqual(expected(keys))
    const exact: typeof keys = [
      ['1000000', 1000001, 'agreed', '1000001'],
      ['2000000', 2000002.1, 'disputed', '2000002.1'],
      ['0.3', 0.30000000000000004, 'agreed', '0.30000000000000004'],
    ]
    expect(await verdictsOf(exact, 0)).toEqual(expected(exact))
  })

  test('takes a number that no key could be for none', async () => {
    model.stub.usual = answer()
    for (const value of ['9e999', '"9e999"', '"-Infinity"', `"${'9'.repeat(60)}"`]) {
      model.stub.script.push(answer(numeric('How much is 7?', '7')))
      model.stub.checkScript.push({
        kind: 'answer',
        text: `{"answers": [{"number": 1, "verdict": "answered", "letters": [], "texts": [], "value": ${value}, "reason": "So."}]}`,
      })
      const { questions } = await run({ exam_id: await newExam(), numeric_count: 1 })
      const check = { verdict: 'disputed', answer: null, reason: 'So.' }
      expect(questions, value).toMatchObject([{ check }])
    }
  })

  test('says of several answers which one it would take, and nothing where it names more', async () => {
    model.stub.usual = answer()
    model.stub.script.push(
      answer(
        question('Which of the rivers?', { question_type: 'MSQ', correct_answer: 'A,B' }),
        question('Which of the mountains?', { question_type: 'MSQ', correct_answer: 'B' }),
      ),
    )
    model.stub.checkScript.push(
      judge((of) => ({
        ...(of.text.includes('rivers') ? take(of, 'one', 'two') : take(of, 'two')),
        verdict: 'several',
      })),
    )
    const { questions } = await run({ msq_count: 2 })
    const checkOf = (word: string) =>
      questions.find(({ question_text }) => question_text.includes(word))?.check
    expect(checkOf('rivers')).toEqual({ verdict: 'disputed', answer: null, reason: 'So.' })
    const mountains = questions.find(({ question_text }) => question_text.includes('mountains'))
    expect(checkOf('mountains')).toEqual({
      verdict: 'disputed',
      answer: [mountains?.correct_answer],
      reason: 'So.',
    })
  })

  test('that has no usable answer leaves unchecked what it doesn’t name once; the others count', async () => {
    model.stub.script.push(
      answer(question('Which is alpha?'), question('Which is beta?'), question('Which is gamma?')),
    )
    model.stub.checkScript.push({
      kind: 'answer',
      text: (body) => {
        const [one, two] = readAsked(body) ?? []
        const says = (of: AskedQuestion | undefined) => ({
          number: of?.number,
          ...take(of as AskedQuestion, 'two'),
          value: null,
          reason: '😀'.repeat(400),
        })
        return JSON.stringify({ answers: [says(one), says(two), says(two)] })
      },
    })
    const { questions } = await run({ mcq_count: 3 })
    expect(questions.map(({ check }) => check.verdict)).toEqual(['agreed', 'unchecked', 'unchecked'])
    expect(questions[0]?.check.reason).toBe('😀'.repeat(300))
    expect(questions[1]?.check).toEqual({ verdict: 'unchecked', answer: null, reason: null })

    const failures: Turn[] = [
      { kind: 'answer', text: '{}' },
      { kind: 'cut' },
      { kind: 'status', status: 400 },
      { kind: 'stop', reason: 'refusal' },
    ]
    for (const turn of failures) {
      model.stub.checkScript.push(turn)
      const job = await run({ mcq_count: 1 })
      expect(job).toMatchObject({ status: 'done', questions: [{ check: { verdict: 'unchecked' } }] })
    }
  })

  test('is left out where the job says so, and in the older generation', async () => {
    expect(await run({ mcq_count: 1, check: 'false' })).toMatchObject({
      questions: [{ check: { verdict: 'unchecked', answer: null, reason: null } }],
    })
    model.stub.script.push(answer(question('Which of the older?')))
    const fields = form({ exam_id: examId, mode: 'pure', topic: 'x', mcq_count: 1 })
    const older = await admin.request('POST', '/admin/ai/generate', fields, 200)
    expect(older.body.questions).toEqual([expect.not.objectContaining({ check: expect.anything() })])
    expect(older.body.questions[0]).toMatchObject({ correct_answer: 'B', option_b: 'two' })
    expect(older.body.questions[0]).not.toHaveProperty('source')
    const [job] = (await admin.get(`${AI}/jobs`, 200)).body.jobs
    const status = (await admin.get(`/admin/ai/status/${job?.job_id}` as '/admin/ai/status/x', 200)).body
    expect(status).not.toHaveProperty('usage')
    expect(status).not.toHaveProperty('questions.0.check')
    expect(model.stub.checks).toHaveLength(0)
  })
})

describe('a disputed question', () => {
  test('is written anew once, told what was disputed; what is disputed again comes behind the agreed ones', async () => {
    model.stub.script.push(
      answer(question('Which is first?'), question('Which is second?'), question('Which is third?'), {
        ...numeric('What is 5?', '5'),
      }),
      answer(question('Which is second?', { correct_answer: 'C' }), question('Which is another first?')),
    )
    model.stub.checkScript.push(
      judge((of) =>
        of.type === 'NUMERIC'
          ? { verdict: 'answered', letters: [], value: 5 }
          : take(of, of.text.includes('third') ? 'two' : 'three'),
      ),
      judge((of) => take(of, 'three')),
    )
    const job = await run({ mcq_count: 3, numeric_count: 1 })
    expect(job.questions.map(({ question_text, check }) => [question_text, check.verdict])).toEqual([
      ['Which is second?', 'agreed'],
      ['Which is third?', 'agreed'],
      ['Which is another first?', 'disputed'],
      ['What is 5?', 'agreed'],
    ])
    expect(model.stub.requests).toHaveLength(2)
    expect(model.stub.checks).toHaveLength(2)
    const anew = JSON.stringify(model.stub.requests[1]?.messages)
    expect(anew).toContain('<disputed>')
    expect(anew).toContain('Which is first?')
    expect(anew).toContain('2 MCQ')
    expect(anew).not.toContain('Which is third?\\\\"')
    expect(job).toMatchObject({ status: 'done', questions_so_far: 4, completed_batches: 1 })
  })

  test('is delivered all the same where it can’t be written anew, and stays in its place where it was extracted', async () => {
    model.stub.script.push(answer(question('Which is up?'), question('Which is down?')), {
      kind: 'status',
      status: 400,
    })
    model.stub.checkScript.push(judge((of) => take(of, of.text.includes('up') ? 'four' : 'two')))
    const job = await run({ mcq_count: 2 })
    expect(job.status).toBe('done')
    expect(job.questions.map(({ question_text, check }) => [question_text, check.verdict])).toEqual([
      ['Which is down?', 'agreed'],
      ['Which is up?', 'disputed'],
    ])

    const { length } = model.stub.requests
    model.stub.script.push(answer(question('Which is left?'), question('Which is right?')))
    model.stub.checkScript.push(judge((of) => take(of, of.text.includes('left') ? 'four' : 'two')))
    const extracted = await run(
      { mode: 'extract', mcq_count: 2 },
      textPdf(['Which is left? Which is right?']),
    )
    expect(
      extracted.questions.map(({ question_text, correct_answer, check }) => [
        question_text,
        correct_answer,
        check,
      ]),
    ).toEqual([
      ['Which is left?', 'B', { verdict: 'disputed', answer: 'D', reason: 'So.' }],
      ['Which is right?', 'B', { verdict: 'agreed', answer: 'B', reason: 'So.' }],
    ])
    expect(model.stub.requests).toHaveLength(length + 1)
  })

  test('becomes rare: of a model that is wrong in three of ten keys and right when asked anew, none is left', async () => {
    model.stub.mistakes = 3
    const { questions } = await run({ mcq_count: 20, msq_count: 10, numeric_count: 10 })
    expect(questions).toHaveLength(40)
    expect(questions.filter(({ check }) => check.verdict === 'agreed')).toHaveLength(40)
  })
})

describe('options', () => {
  test('leave a model that always says B each letter for a quarter of its keys', () => {
    // More than a thousand, so that 20 to 30 % are seven standard deviations.
    const keys = Array.from({ length: 4_000 }, () => {
      const given = { ...question('How about it?'), id: null, exam_id: 1, more_options: [], explanation: '' }
      const moved = moveOptions(given as unknown as GeneratedQuestion)
      expect(moved).toHaveProperty(`option_${moved.correct_answer.toLowerCase()}`, 'two')
      return moved.correct_answer
    })
    for (const letter of 'ABCD') {
      const share = keys.filter((key) => key === letter).length / keys.length
      expect(share).toBeGreaterThan(0.2)
      expect(share).toBeLessThan(0.3)
    }
  })

  test('are in a random order, with the key, unless a text speaks of them', async () => {
    const count = 120
    const usual = Array.from({ length: 10 }, (_, at) => at)
    let written = 0
    model.stub.usual = {
      kind: 'answer',
      text: () => {
        written += 1
        return JSON.stringify({ questions: usual.map((at) => question(`How about ${written * 10 + at}?`)) })
      },
    }
    const { questions } = await run({ mcq_count: count, check: 'false' })
    expect(questions).toHaveLength(count)
    const keys = questions.map(({ correct_answer }) => correct_answer)
    for (const letter of 'ABCD') expect(keys.filter((key) => key === letter).length).toBeGreaterThan(10)
    for (const each of questions) expect(textOf(each, each.correct_answer)).toBe('two')

    const texts = [
      'All of the above',
      'Keine davon',
      'A y B',
      'उपरोक्त सभी',
      'جميع ما سبق',
      'The first two',
      'None of these',
      'Both A and B',
      'लागू नहीं',
      'Vitamin A',
    ]
    for (let round = 0; round < 3; round++) {
      model.stub.script.push(
        answer(
          ...texts.map((option_d, at) =>
            question(`Round ${round} number ${at}?`, { option_d, correct_answer: 'D' }),
          ),
        ),
      )
      const left = (await run({ mcq_count: 10, check: 'false' })).questions.filter(
        ({ option_d, correct_answer }) =>
          option_d !== undefined &&
          texts.slice(0, 8).includes(textOf({ option_d } as JobQuestion, 'D') ?? '') &&
          correct_answer === 'D',
      )
      expect(left.length).toBeGreaterThanOrEqual(8)
    }
  })
})

describe('the questions of the exam', () => {
  test('aren’t written again', async () => {
    const exam = await newExam()
    const add = { exam_id: exam, questions: [question('Which metal is liquid at room temperature?')] }
    await admin.post('/api/v01/admin/questions/bulk-add', add, 201)
    model.stub.script.push(
      answer(
        question('Which metal is LIQUID, at room temperature?'),
        question('Which gas do plants take in?'),
      ),
      answer(question('Which planet is red?')),
    )
    const { questions } = await run({ exam_id: exam, mcq_count: 2 })
    expect(questions.map(({ question_text }) => question_text)).toEqual([
      'Which gas do plants take in?',
      'Which planet is red?',
    ])
    expect(JSON.stringify(model.stub.requests[0]?.messages)).toContain('Which metal is liquid')
  })
})

describe('the source of a question', () => {
  const pages = [
    'Photosynthesis takes place in the chloro-\nplasts of a cell.',
    'Mitochondria make ATP, twice.',
    '',
    'Mitochondria make ATP, twice. Water is wet.',
  ]
  const file = textPdf(pages)
  const sourcesOf = async (sources: { page?: unknown; quote?: unknown }[], of = file) => {
    model.stub.script.push(
      answer(...sources.map((source, at) => question(`Which of ${'abcdefghij'.charAt(at)} ${at}?`, source))),
    )
    const { questions } = await run({ mode: 'mine', mcq_count: sources.length }, of)
    return questions.map(({ source }) => source)
  }

  test('is looked up on the page that the model named, and on the others', async () => {
    const long = `Water is wet. ${'And so on. '.repeat(40)}`
    expect(
      await sourcesOf([
        { page: 1, quote: 'in the CHLOROPLASTS, of a cell' },
        { page: 1, quote: 'Water is wet' },
        { page: 1, quote: 'Mitochondria make ATP' },
        { page: 3, quote: 'Nothing of the kind' },
        { page: 1, quote: 'Nothing of the kind' },
        { page: 9, quote: 'Water is wet' },
        { page: 1, quote: '…!' },
        {},
        { page: 4, quote: long },
      ]),
    ).toEqual([
      { page: 1, quote: 'in the CHLOROPLASTS, of a cell', found: true },
      { page: 4, quote: 'Water is wet', found: true },
      { page: 1, quote: 'Mitochondria make ATP', found: false },
      { page: 3, quote: 'Nothing of the kind', found: null },
      { page: 1, quote: 'Nothing of the kind', found: false },
      { page: 4, quote: 'Water is wet', found: true },
      null,
      null,
      { page: 4, quote: long.slice(0, 300), found: false },
    ])
    const [check] = model.stub.checks
    const parts = check?.messages[0]?.content as { text: string }[]
    expect(parts[0]?.text).toContain('Photosynthesis takes place')
    expect(parts[0]?.text).not.toContain('CHLOROPLASTS')
  })

  test('is all that a PDF costs that can’t be read', async () => {
    const broken = Buffer.from(
      file
        .toString('latin1')
        .replaceAll('endobj', 'endobx')
        .replace('startxref', 'startxxxx')
        .replaceAll('/Pages', '/Pagez'),
      'latin1',
    )
    expect(await sourcesOf([{ page: 1, quote: 'Water is wet' }], broken)).toHaveLength(1)
  })
})
