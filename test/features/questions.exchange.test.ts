import { parse } from 'csv-parse/sync'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { readDrawn } from '../../packages/exchange/test/drawn.ts'
import { text } from '../../packages/exchange/test/random-text.ts'
import { form } from '../support/content/forms.ts'
import { makeImage } from '../support/content/images.ts'
import { sharedService } from '../support/service.ts'

/** How many random questions are exchanged in each format. */
const QUESTIONS = Number(process.env.QUESTIONS ?? 300)

const service = await sharedService()
const admin = await service.admin()

async function newExam(): Promise<number> {
  return (await admin.post('/api/v01/admin/exams', { name: 'Exchanged' }, 201)).body.exam.id
}

const pathOf = (examId: number) => `/api/v01/admin/exams/${examId}` as const

async function send(examId: number, bytes: string | Uint8Array, status = 201, query: '' | `?${string}` = '') {
  const body = form({}, { field: 'file', name: 'upload', bytes, type: 'application/octet-stream' })
  return (await admin.request('POST', `${pathOf(examId)}/import${query}`, body, status)).body
}

async function download(examId: number, format: string) {
  const response = await admin.fetch('GET', `${pathOf(examId)}/export?format=${format}`)
  expect(response.status).toBe(200)
  return { bytes: new Uint8Array(await response.arrayBuffer()), headers: response.headers }
}

const stored = (examId: number) => service.sql<Record<string, unknown>[]>`
  select question_text, option_a, option_b, option_c, option_d, correct_answer, question_type, image_path,
         positive_marks::float, negative_marks::float, tolerance::text
    from questions where exam_id = ${examId} order by id`

const marks = fc.constantFrom(0, 0.25, 1, 2, 4, 10000)
const question = fc
  .record({
    question_text: text,
    options: fc.array(text, { minLength: 4, maxLength: 4 }),
    question_type: fc.constantFrom('MCQ', 'MSQ', 'NUMERIC'),
    letters: fc.subarray(['A', 'B', 'C', 'D']),
    number: fc.constantFrom('', '0', '-1.50', '.5', '3.', '6.02e23', '+7', '12345678901234567890.123'),
    positive_marks: marks,
    negative_marks: marks,
    tolerance: fc.constantFrom(0, 0.1, 1e-7, 25),
  })
  .map(({ options, letters, number, ...rest }) => {
    const isNumeric = rest.question_type === 'NUMERIC'
    const [a, b, c, d] = isNumeric ? ['', '', '', ''] : options
    // An option without a text can't be a key, unless all are in the question's picture.
    const shown = letters.filter(
      (letter) => options.join('') === '' || options['ABCD'.indexOf(letter)] !== '',
    )
    const key = rest.question_type === 'MSQ' ? shown.join(',') : isNumeric ? number : (shown[0] ?? '')
    const tolerance = isNumeric && key !== '' ? rest.tolerance : 0
    return { ...rest, tolerance, option_a: a, option_b: b, option_c: c, option_d: d, correct_answer: key }
  })

const TEXTS = ['question_text', 'option_a', 'option_b', 'option_c', 'option_d']
type Row = Record<string, unknown>
const asDrawn = (value: string, name: string) =>
  readDrawn(value, name === 'question_text' ? 'text' : 'option')
const mapTexts = (row: Row, change: (text: string, name: string) => string): Row =>
  Object.fromEntries(
    Object.entries(row).map(([name, value]) => [
      name,
      TEXTS.includes(name) ? change(String(value), name) : value,
    ]),
  )

/** Replaces control characters and noncharacters, which XML can't hold. */
const replaceInvalid = (character: string) =>
  (character < ' ' && !'\t\n\r'.includes(character)) || character > '\ufffd' ? '\ufffd' : character

function carriedByQti({ negative_marks, ...row }: Row): Row {
  return mapTexts(row, (value, name) =>
    asDrawn(value, name).replace(/[\p{Cc}\ufffe\uffff]/gu, replaceInvalid),
  )
}

/** Takes from a row what a format can't hold, as documented. Applied to both sides of a comparison. */
const CARRIED: Record<string, (row: Row) => Row> = {
  csv: (row) => row,
  gift: ({ positive_marks, negative_marks, image_path, ...row }) => mapTexts(row, asDrawn),
  moodle_xml: ({ negative_marks, ...row }) => mapTexts(row, asDrawn),
  qti: carriedByQti,
  qti3: carriedByQti,
}

describe.each(['csv', 'gift', 'moodle_xml', 'qti', 'qti3'])('%s', (format) => {
  test(`keeps ${QUESTIONS} random questions unchanged through export and import`, async () => {
    const examId = await newExam()
    const seed = Number(process.env.SEED ?? Date.now() % 1e9)
    const questions = fc
      .sample(question, { numRuns: QUESTIONS, seed })
      // The import of a CSV skips rows without a text.
      .filter(({ question_text }) => format !== 'csv' || question_text !== '')
      // Moodle would refuse the file.
      .filter(({ question_type, correct_answer }) => {
        const isForMoodle = format === 'gift' || format === 'moodle_xml'
        return !isForMoodle || question_type !== 'NUMERIC' || correct_answer !== ''
      })
    for (let start = 0; start < questions.length; start += 1_000)
      await service.sql`insert into questions ${service.sql(questions.slice(start, start + 1_000).map((each) => ({ exam_id: examId, ...each })))}`

    const { bytes } = await download(examId, format)
    const other = await newExam()
    const imported = await send(other, bytes)
    expect(imported, `SEED=${seed}`).toMatchObject({
      success: true,
      format: format === 'qti3' ? 'qti' : format,
      inserted: questions.length,
      skipped: 0,
      errors: null,
    })
    const carried = CARRIED[format] as (row: Row) => Row
    const [before, after] = await Promise.all([stored(examId), stored(other)])
    expect(after.map(carried), `SEED=${seed}`).toEqual(before.map(carried))
  }, 600_000)
})

test('XML with the character names of HTML is read, as many tools write it', async () => {
  const examId = await newExam()
  const answers = ['&larr;', '&rarr;'].map(
    (each, index) => `<answer fraction="${100 * index}"><text>${each}</text></answer>`,
  )
  const file = `<quiz><question type="multichoice"><questiontext format="html"><text>Left&nbsp;or &eacute;?</text></questiontext>${answers.join('')}</question></quiz>`
  expect(await send(examId, file)).toMatchObject({ inserted: 1 })
  expect(await stored(examId)).toMatchObject([
    { question_text: 'Left or é?', option_a: '←', option_b: '→', correct_answer: 'B' },
  ])
})

test('a CSV holds nothing that a spreadsheet would run, and is still imported unchanged', async () => {
  const examId = await newExam()
  const texts = ['=HYPERLINK("x")', '+x', '-x', '@SUM(1)', "'\u2060=1", '-5', "it's"]
  const rows = texts.map((each, index) => ({
    exam_id: examId,
    question_text: each.trim(),
    option_a: each,
    option_b: texts[texts.length - 1 - index],
    question_type: index % 2 ? 'NUMERIC' : 'MCQ',
    correct_answer: index % 2 ? '-1.5' : 'A',
  }))
  await service.sql`insert into questions ${service.sql(rows)}`
  const { bytes } = await download(examId, 'csv')
  const [, ...records] = parse(Buffer.from(bytes))
  expect(records).toHaveLength(texts.length)
  for (const cell of records.flat()) expect(cell).not.toMatch(/^\s*[=+\-@]/)
  const other = await newExam()
  expect(await send(other, bytes)).toMatchObject({ inserted: texts.length, skipped: 0 })
  expect(await stored(other)).toEqual(await stored(examId))
})

describe('import and export', () => {
  test('Aiken is imported; unusable questions are named with the reason', async () => {
    const examId = await newExam()
    const file = `What is $\\sqrt{4}$?\nand a second line\nA. 1\nB) 2\nC. 3\nANSWER: B\n\nNo answer\nA. x\nB. y\n\nFive?\nA. 1\nB. 2\nC. 3\nD. 4\nE. 5\nANSWER: E\n`
    expect(await send(examId, file)).toEqual({
      success: true,
      message: 'Imported 2 questions, skipped 1',
      format: 'aiken',
      inserted: 2,
      skipped: 1,
      errors: ['Question 2 (No answer): skipped'],
      details: ['Question 2 (No answer): it has no line ANSWER'],
    })
    expect(await stored(examId)).toMatchObject([
      {
        question_text: 'What is $\\sqrt{4}$?\nand a second line',
        option_a: '1',
        option_b: '2',
        option_c: '3',
        option_d: '',
        correct_answer: 'B',
        question_type: 'MCQ',
        image_path: null,
        positive_marks: 4,
        negative_marks: 1,
        tolerance: '0',
      },
      { question_text: 'Five?', option_d: '4', correct_answer: 'E' },
    ])
  })

  test('GIFT is imported; questions of unsupported kinds are named with the reason', async () => {
    const examId = await newExam()
    const file = String.raw`// a comment
$CATEGORY: $course$/top

::Braces::What is $\frac{1}{2} + A^{T}$? {
  =right # well done

  ~wrong
}

Two of them{~%50%one ~%50%two ~%-100%three}

::TF::The sky is <b>blue</b> &amp; x<sup>2</sup>.{T#yes}

Pi{#3.14..3.16}
::N::Five{#5:0.5}
::V::[html]<p>Text</p><p>with \{braces\}</p>{=a ~b#no####all}

Who {=Grant ~Lee} was buried there?

Short{=one =two}

Match{=a -> b =c -> d}

Essay{}

Partial{=a ~%50%b ~c}

::Broken::never closed {=a ~b

::After::it goes on{=a ~b}

A description
`
    // GIFT separates questions by blank lines: these two get one before them.
    const body = await send(examId, file.replaceAll('\n::N', '\n\n::N').replaceAll('\n::V', '\n\n::V'))
    expect(body.details).toEqual([
      'Question 10 (Essay{}): it asks for an essay',
      'Question 11 (Partial{=a ~%50%b ~c}): more than one option brings marks, but only one can be chosen',
      'Question 12 (Broken): its braces do not match',
      'Question 14 (A description): it asks nothing (description)',
    ])
    const rows = (await stored(examId)).map((row) => [
      row.question_text,
      row.question_type,
      row.correct_answer,
      row.tolerance,
      [row.option_a, row.option_b, row.option_c],
    ])
    expect(rows).toEqual([
      ['What is $\\frac{1}{2} + A^{T}$?', 'MCQ', 'A', '0', ['right', 'wrong', '']],
      ['Two of them', 'MSQ', 'A,B', '0', ['one', 'two', 'three']],
      ['The sky is **blue** & x\\(^{2}\\).', 'MCQ', 'A', '0', ['True', 'False', '']],
      ['Pi', 'NUMERIC', '3.15', '0.01', ['', '', '']],
      ['Five', 'NUMERIC', '5', '0.5', ['', '', '']],
      ['Text\nwith {braces}', 'MCQ', 'A', '0', ['a', 'b', '']],
      ['Who _____ was buried there?', 'MCQ', 'A', '0', ['Grant', 'Lee', '']],
      ['Short', 'SHORT', 'one\ntwo', '0', ['', '', '']],
      ['Match', 'MATCHING', '', '0', ['', '', '']],
      ['it goes on', 'MCQ', 'A', '0', ['a', 'b', '']],
    ])
  })

  test('words that cannot be tags are left out, the question is not', async () => {
    const examId = await newExam()
    const words = ['Fits', 'fits', 'x'.repeat(41), ...Array.from({ length: 20 }, (_, index) => `t${index}`)]
    const tags = words.map((word) => `[tag:${word}]`).join(' ')
    expect(await send(examId, `// ${tags}\nTwo?{=2 ~3}\n`)).toMatchObject({ inserted: 1, skipped: 0 })
    const [row] = await service.sql`select tags from questions where exam_id = ${examId}`
    expect(row?.tags).toEqual(['Fits', ...Array.from({ length: 19 }, (_, index) => `t${index}`)])
  })

  test('GIFT is told from HTML by its tags, so that formulas with angle brackets stay whole', async () => {
    const examId = await newExam()
    const body = await send(
      examId,
      ['Is f <i j=2; g> h?', '<p>Is it <b class="x">so</b>?</p>', 'Is it <img src="x.png" alt="a < b">?']
        .map((text) => `${text}{T}`)
        .join('\n\n'),
      201,
      '?format=gift',
    )
    expect(body.details).toEqual([expect.stringContaining('its image is not in the file')])
    expect((await stored(examId)).map((row) => row.question_text)).toEqual([
      'Is f <i j=2; g> h?',
      'Is it **so**?',
    ])
  })

  test('Moodle XML is imported with its images', async () => {
    const examId = await newExam()
    const picture = Buffer.from(await makeImage('png')).toString('base64')
    const body = await send(
      examId,
      `<?xml version="1.0" encoding="UTF-8"?><quiz>
      <question type="category"><category><text>$course$/top</text></category></question>
      <question type="multichoice"><name><text>Picture</text></name>
        <questiontext format="html"><text><![CDATA[<p>Look:&nbsp;<img src="@@PLUGINFILE@@/a%20b.png" alt="x"></p><ul><li>\\(x^2\\)</li><li><i>y</i></li></ul>]]></text>
          <file name="a b.png" path="/" encoding="base64">${picture}</file></questiontext>
        <defaultgrade>2.0000000</defaultgrade><single>true</single>
        <answer fraction="0" format="html"><text><![CDATA[<p>no</p>]]></text></answer>
        <answer fraction="100" format="html"><text>&lt;p&gt;yes &amp;lt;3&lt;/p&gt;</text></answer></question>
      <question type="multichoice"><name><text>Many</text></name><questiontext format="moodle_auto_format"><text>one
two</text></questiontext><single>false</single>
        <answer fraction="33.333"><text>a</text></answer><answer fraction="33.333"><text>b</text></answer>
        <answer fraction="-50"><text>c</text></answer><answer fraction="33.333"><text>d</text></answer></question>
      <question type="truefalse"><name><text>TF</text></name><questiontext format="plain_text"><text>1 &lt; 0</text></questiontext>
        <answer fraction="0"><text>true</text></answer><answer fraction="100"><text>false</text></answer></question>
      <question type="numerical"><name><text>Num</text></name><questiontext format="html"><text>g?</text></questiontext>
        <answer fraction="100"><text>9.81</text><tolerance>0.01</tolerance></answer><answer fraction="0"><text>*</text></answer></question>
      <question type="essay"><name><text>E</text></name></question>
      <question type="multichoice"><name><text>Lost</text></name><questiontext format="html"><text>&lt;img src="@@PLUGINFILE@@/lost.png"&gt;</text></questiontext>
        <answer fraction="100"><text>a</text></answer></question>
      <question type="multichoice"><name><text>Part</text></name><questiontext><text>?</text></questiontext>
        <answer fraction="80"><text>a</text></answer><answer fraction="0"><text>b</text></answer></question>
      <question type="multichoice"><name><text>Bad picture</text></name><questiontext format="html"><text>&lt;img src="data:image/png;base64,AAAA"&gt;</text></questiontext>
        <answer fraction="100"><text>a</text></answer></question>
      </quiz>`,
    )
    expect(body).toMatchObject({ format: 'moodle_xml', inserted: 4, skipped: 4 })
    expect(body.details).toEqual([
      'Question 5 (E): it asks for an essay',
      'Question 6 (Lost): its image is not in the file',
      'Question 7 (Part): its right option brings only part of the marks',
      'Question 8 (Bad picture): its image: The file is not an image of an allowed type',
    ])
    const rows = await stored(examId)
    expect(rows).toMatchObject([
      {
        question_text: 'Look:\n- \\(x^2\\)\n- *y*',
        option_b: 'yes <3',
        correct_answer: 'B',
        positive_marks: 2,
      },
      { question_text: 'one\ntwo', correct_answer: 'A,B,D', question_type: 'MSQ', positive_marks: 4 },
      { question_text: '1 < 0', option_a: 'True', option_b: 'False', correct_answer: 'B' },
      { question_text: 'g?', correct_answer: '9.81', tolerance: '0.01', question_type: 'NUMERIC' },
    ])
    expect(rows[0]?.image_path).toMatch(/^Imported\/[0-9a-f-]{36}\.png$/)
    const [first] = (await admin.get(`/api/v01/admin/questions?exam_id=${examId}`, 200)).body.questions
    const shown = await service.guest().fetch('GET', String(first?.image_url))
    expect(Buffer.from(await shown.arrayBuffer()).toString('base64')).toBe(picture)
    // The image is in use: the sweep of abandoned uploads will not delete it.
    expect(await service.sql`select key from discarded_files`).toEqual([])
  })

  test('a question of QTI 1.2 that shows only an image is imported', async () => {
    const examId = await newExam()
    const picture = Buffer.from(await makeImage('png')).toString('base64')
    const labels = ['a', 'b'].map(
      (each) =>
        `<response_label ident="${each}"><material><mattext>${each}</mattext></material></response_label>`,
    )
    const body = await send(
      examId,
      `<questestinterop><item title="Picture"><presentation><flow><response_lid ident="r">
        <material><matimage uri="data:image/png;base64,${picture}"/></material><render_choice>${labels.join('')}</render_choice>
      </response_lid></flow></presentation><resprocessing><respcondition>
        <conditionvar><varequal respident="r">b</varequal></conditionvar><setvar>1</setvar>
      </respcondition></resprocessing></item></questestinterop>`,
    )
    expect(body).toMatchObject({ format: 'qti', inserted: 1, details: null })
    expect(await stored(examId)).toMatchObject([
      { question_text: '', option_a: 'a', correct_answer: 'B', image_path: expect.any(String) },
    ])
  })

  test('images that exist already keep their path through Moodle XML and QTI', async () => {
    const examId = await newExam()
    const upload = form(
      { subject_folder_id: 'Physics' },
      { field: 'images', name: 'q 1.png', bytes: await makeImage('png'), type: 'image/png' },
    )
    await admin.request('POST', '/api/v01/admin/images', upload, 200)
    const asked = form({
      exam_id: String(examId),
      question_text: 'What?',
      correct_answer: 'A',
      image_path: 'Physics/q 1.png',
      image_alt: 'A "lens" & <light>',
    })
    await admin.request('POST', '/api/v01/admin/questions', asked, 201)
    for (const format of ['moodle_xml', 'qti', 'qti3', 'csv'] as const) {
      const other = await newExam()
      expect(await send(other, (await download(examId, format)).bytes)).toMatchObject({ inserted: 1 })
      expect(await stored(other)).toEqual(await stored(examId))
      const [shown] = (await admin.get(`/api/v01/admin/questions?exam_id=${other}`, 200)).body.questions
      expect(shown).toMatchObject({ image_alt: 'A "lens" & <light>' })
    }
  })

  test('an export is an attachment with a plain name', async () => {
    const examId = await newExam()
    for (const [format, name, type] of [
      ['csv', 'csv', 'text/csv; charset=utf-8'],
      ['gift', 'gift', 'text/plain; charset=utf-8'],
      ['moodle_xml', 'xml', 'application/xml; charset=utf-8'],
      ['qti', 'zip', 'application/zip'],
    ]) {
      const { headers } = await download(examId, format as string)
      expect(headers.get('content-disposition')).toBe(`attachment; filename="exam-${examId}.${name}"`)
      expect(headers.get('content-type')).toBe(type)
    }
    await admin.get(`${pathOf(examId)}/export?format=aiken`, 400)
    await admin.get(`${pathOf(examId)}/export`, 400)
    await admin.get(`${pathOf(999_999)}/export?format=csv`, 404)
    await (await service.person()).get(`${pathOf(examId)}/export?format=csv`, 403)
  })

  test('a dry run stores nothing and shows the first questions', async () => {
    const examId = await newExam()
    const file = Array.from({ length: 60 }, (_, index) => `::Q::Question ${index}{=a ~b}\n\n`).join('')
    const body = await send(examId, file, 200, '?dry_run=true')
    expect(body).toMatchObject({ success: true, format: 'gift', inserted: 60, skipped: 0 })
    expect(body.questions).toHaveLength(50)
    expect(body.questions?.[7]).toEqual({
      question_text: 'Question 7',
      option_a: 'a',
      option_b: 'b',
      option_c: '',
      option_d: '',
      more_options: [],
      correct_answer: 'A',
      parts: null,
      explanation: '',
      tags: [],
      variables: [],
      conditions: [],
      question_type: 'MCQ',
      image_path: null,
      image_alt: '',
      positive_marks: 4,
      negative_marks: 1,
      tolerance: 0,
      has_image: false,
      lost: [],
    })
    const sayingSo = form({ dry_run: 'true' }, { field: 'file', name: 'questions.txt', bytes: file })
    expect((await admin.request('POST', `${pathOf(examId)}/import`, sayingSo, 200)).body).toEqual(body)
    expect(await stored(examId)).toEqual([])
    await send(999_999, file, 404, '?dry_run=true')
    await send(999_999, file, 404)
  })

  test('a CSV is imported into the exam of the path, whatever its exam_id says', async () => {
    const examId = await newExam()
    const header =
      'exam_id,question_text,option_a,option_b,option_c,option_d,correct_answer,question_type,image_path,positive_marks,negative_marks,tolerance'
    const body = await send(
      examId,
      `${header}\n999999,one,a,b,,,A,MCQ,,1,0,0\nx,,,,,,A,MCQ,,1,0,0\nx,two,,,,,E,MCQ,,1,0,0\n`,
    )
    expect(body).toMatchObject({ format: 'csv', inserted: 1, skipped: 2 })
    expect(body.errors).toEqual(['Row 3: skipped', 'Row 4: skipped'])
    expect(body.details).toEqual([
      'Row 3: question_text is empty',
      'Row 4: correct_answer does not fit a question of type MCQ',
    ])
    expect((await send(examId, 'a,b\n1,2', 400, '?format=csv')).code).toBe('missing_columns')
    // Excel may say in a first line what separates the fields; a brace doesn't make it GIFT.
    const named = `sep=;\r\n${header.replaceAll(',', ';')}\r\nx;two {x};a;b;;;B;MCQ;;1;0;0\r\nx;;;;;;A;MCQ;;1;0;0\r\n`
    expect(await send(examId, named)).toMatchObject({
      format: 'csv',
      inserted: 1,
      details: ['Row 4: question_text is empty'],
    })
  })

  test('an import is in the audit log; a dry run is not', async () => {
    const examId = await newExam()
    await send(examId, 'q{=a ~b}', 200, '?dry_run=true')
    await send(examId, 'q{=a ~b}')
    const { body } = await admin.get(
      `/api/v01/admin/audit?subject=exam:${examId}&action=question.import`,
      200,
    )
    expect(body.entries).toMatchObject([{ actor_id: admin.id, summary: '1 questions were imported (gift)' }])
  })
})
