import { describe, expect, test } from 'vitest'
import type { Question } from '../src/index.ts'
import { writeGift, writeMoodleXml } from '../src/index.ts'
import { toItems } from './random-questions.ts'
import { readAll } from './reading.ts'

const join = async (pieces: AsyncIterable<string>) => (await Array.fromAsync(pieces)).join('')
const read = async (content: string, format: 'gift' | 'moodle_xml') => {
  const items = await readAll(content, format)
  return items.map((item) =>
    'question' in item ? item.question : 'reason' in item ? item.reason : item.note,
  )
}
const xml = async (type: string, inner: string, format = ' format="html"') =>
  await read(
    `<quiz><question type="${type}"><name><text>n</text></name><questiontext${format}><text>q</text></questiontext>${inner}</question></quiz>`,
    'moodle_xml',
  )
const answer = (fraction: number, text: string, feedback = '') =>
  `<answer fraction="${fraction}"><text>${text}</text>${feedback && `<feedback><text>${feedback}</text></feedback>`}</answer>`

describe('Moodle XML', () => {
  test.each([
    ['true', 'false', true],
    ['False', 'True', false],
    ['Vrai', 'Faux', true],
    ['1', '0', true],
    ['&lt;p&gt;T&lt;/p&gt;', '&lt;p&gt;F&lt;/p&gt;', true],
  ])('of %s and %s the first is right: True is %s', async (one, other, isTrue) => {
    const [first] = await xml('truefalse', answer(100, one) + answer(0, other))
    expect(first).toMatchObject({ options: [{ text: 'True', isRight: isTrue }, { isRight: !isTrue }] })
    const [second] = await xml('truefalse', answer(0, one) + answer(100, other))
    expect(second).toMatchObject({ options: [{ text: 'True', isRight: !isTrue }, { isRight: isTrue }] })
    expect(await xml('truefalse', answer(0, one) + answer(0, other))).toEqual([
      'neither True nor False brings marks',
    ])
  })

  test('the best text’s own feedback is in the explanation', async () => {
    const [short] = await xml(
      'shortanswer',
      answer(50, 'b', 'half') + answer(100, 'a', 'all of it') + answer(0, '*', 'no'),
    )
    expect(short).toMatchObject({ explanation: 'all of it', accepted: [{ text: 'b' }, { text: 'a' }] })
  })

  test('of equal texts the first counts, as it does in Moodle', async () => {
    const [short] = await xml('shortanswer', answer(50, 'Red') + answer(100, 'red') + answer(100, 'blue'))
    expect(short).toMatchObject({
      accepted: [
        { text: 'Red', percent: '50' },
        { text: 'blue', percent: '100' },
      ],
    })
    expect(await xml('shortanswer', answer(0, 're*') + answer(100, 'red'))).toEqual([
      'an earlier answer with a wildcard hides another',
    ])
  })

  test('a text without a format has that of the question’s text', async () => {
    const [choice] = await xml(
      'multichoice',
      answer(100, 'a &lt; 2*3*4') + answer(0, '&lt;b&gt;'),
      ' format="plain_text"',
    )
    expect(choice).toMatchObject({ options: [{ text: 'a < 2\\*3\\*4' }, { text: '<b>' }] })
    const cloze = `<quiz><question type="cloze"><questiontext format="moodle_auto_format"><text>one\n{2:SA:=a} *two* {2:SA:=b}</text></questiontext></question></quiz>`
    expect(await read(cloze, 'moodle_xml')).toMatchObject([
      { text: 'one\n[[1]] \\*two\\* [[2]]', marks: '4' },
    ])
  })

  test('a picture of an old file is the question’s', async () => {
    const items = await readAll(
      `<quiz><question type="truefalse"><questiontext><text>q</text></questiontext><image>a.png</image><image_base64>AAAA</image_base64>${answer(100, 'true')}${answer(0, 'false')}</question></quiz>`,
      'moodle_xml',
    )
    expect(items).toMatchObject([{ image: { name: 'a.png', bytes: Buffer.from('AAAA', 'base64') } }])
  })

  test('an order that draws a part of its items is named', async () => {
    const items = [1, 2, 3].map((place) => answer(place, `i${place}`)).join('')
    expect(
      await xml('ordering', `<selecttype>RANDOM</selecttype><selectcount>2</selectcount>${items}`),
    ).toEqual(['it shows a part of its items, drawn anew for each student'])
    expect(
      await xml('ordering', `<selecttype>ALL</selecttype><selectcount>2</selectcount>${items}`),
    ).toMatchObject([{ items: ['i1', 'i2', 'i3'] }])
  })

  test.each([
    [['9.1', '0.5'], ['9.2', '0.5'], true],
    [['8.2', '0.5'], ['9.2', '0.5'], true],
    [['8.19', '0.5'], ['9.2', '0.5'], false],
    [['*', '0'], ['9.2', '0'], true],
    [['a', 'b'], ['9.2', '0'], false],
  ])('%s without marks before %s hides it: %s', async (wrong, right, hides) => {
    const element = ([text, tolerance]: string[], fraction: number) =>
      `<answer fraction="${fraction}"><text>${text}</text><tolerance>${tolerance}</tolerance></answer>`
    const cloze = (numbers: string[]) =>
      read(
        `<quiz><question type="cloze"><questiontext><text>{1:NM:${numbers.join('~')}}</text></questiontext></question></quiz>`,
        'moodle_xml',
      )
    const expected = hides
      ? ['an earlier answer without marks hides the right number']
      : [expect.objectContaining({ text: expect.any(String) })]
    const [one, other] = [wrong.join(':'), right.join(':')]
    expect(await xml('numerical', element(wrong, 0) + element(right, 100))).toEqual(expected)
    expect(await cloze([one, `=${other}`])).toEqual(expected)
    expect(await read(`q{#=%0%${one}=${other}}`, 'gift')).toEqual(expected)
    // What follows takes nothing.
    expect(await xml('numerical', element(right, 100) + element(wrong, 0))).toMatchObject([{ key: right[0] }])
    expect(await cloze([`=${other}`, one])).toMatchObject([{ gaps: [{ key: right[0] }] }])
    expect(await read(`q{#=${other}=%0%${one}}`, 'gift')).toMatchObject([{ key: right[0] }])
  })

  test('what a question cannot hold is said', async () => {
    const [item] = await readAll(
      `<quiz><question type="numerical"><questiontext><text>q</text></questiontext><hidden>1</hidden>
        <generalfeedback format="html"><text>&lt;img src="x.png"&gt;</text></generalfeedback>${answer(100, '3')}
        <units><unit><multiplier>100</multiplier><unit_name>cm</unit_name></unit></units></question></quiz>`,
      'moodle_xml',
    )
    expect(item).toMatchObject({
      lost: [
        'answers with a unit are not carried over: an answer is a number alone',
        'the picture of its feedback is not carried over',
        'that it is hidden is not carried over',
      ],
    })
  })

  test('marks of a cloze are the weights of its gaps', async () => {
    const gap = { kind: 'text' as const, accepted: [{ text: 'a', percent: '100' }] }
    const cloze: Question = {
      kind: 'gaps',
      text: '[[1]] [[2]]',
      explanation: '',
      tags: [],
      marks: '10',
      gaps: [gap, gap],
    }
    const written = await join(writeMoodleXml(toItems([cloze, { ...cloze, marks: '2.5' }])))
    expect(written).toContain('{5:SHORTANSWER')
    expect(await read(written, 'moodle_xml')).toMatchObject([{ marks: '10' }, { marks: '2.5' }])
  })
})

describe('GIFT', () => {
  test('a number may have a comment for all others, as Moodle writes it', async () => {
    expect(await read('n{#\n\t=%100%5:0.5#yes\n\t~#no\n}', 'gift')).toMatchObject([
      { key: '5', tolerance: '0.5', explanation: 'yes' },
    ])
  })

  test('what students type is plain text, whatever the format is', async () => {
    expect(await read('[html]q<br>r{=a &lt; b =<i>x</i>}', 'gift')).toMatchObject([
      { text: 'q\nr', accepted: [{ text: 'a &lt; b' }, { text: '<i>x</i>' }] },
    ])
  })

  test('true and false are written in capitals', async () => {
    expect(await read('a{T}\n\nb{FALSE}\n\nc{t}\n\nd{true}', 'gift')).toMatchObject([
      { options: [{ isRight: true }, {}] },
      { options: [{ isRight: false }, {}] },
      { kind: 'text', accepted: [{ text: 't' }] },
      { kind: 'text', accepted: [{ text: 'true' }] },
    ])
  })

  test('an order is read', async () => {
    expect(
      await read('q{>3 ALL VERTICAL ABSOLUTE_POSITION SHOW\none\ntwo *x* y*\nthree\n}', 'gift'),
    ).toMatchObject([{ kind: 'ordering', items: ['one', 'two \\*x\\* y\\*', 'three'] }])
    expect(await read('q{>2 RANDOM\none\ntwo\nthree\n}', 'gift')).toEqual([
      'it shows a part of its items, drawn anew for each student',
    ])
  })

  test('tags and best answers come out as Moodle reads them', async () => {
    const short: Question = {
      ...{ kind: 'text', text: 'q', explanation: 'why', tags: ['a [b] c', 'x\\y'] },
      accepted: [
        { text: 'half  of', percent: '50' },
        { text: 'all', percent: '100' },
      ],
    }
    const written = await join(writeGift(toItems([short])))
    expect(written).toBe(
      '// [tag:a [b\\] c]\n// [tag:x\\y]\n::No. 0::[plain]q{\n\t=%100%[plain]all\n\t=%50%[plain]half of\n\t####[plain]why\n}\n\n',
    )
    expect(await read(written, 'gift')).toMatchObject([{ tags: ['a [b] c', 'x\\y'] }])
  })
})
