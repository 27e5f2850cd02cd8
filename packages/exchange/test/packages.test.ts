import { expect, test } from 'vitest'
import { makeZip, readAll } from './reading.ts'

/** What lies beside the items in a package. */

function item(title: string, body = '', more = '') {
  return `<assessmentItem identifier="i" title="${title}"><responseDeclaration identifier="R" cardinality="single" baseType="identifier">
    <correctResponse><value>A</value></correctResponse></responseDeclaration>${more}<itemBody>${body}<choiceInteraction responseIdentifier="R" shuffle="true" maxChoices="1">
    <prompt>Which?</prompt><simpleChoice identifier="A">one</simpleChoice><simpleChoice identifier="B" fixed="true">none of them</simpleChoice></choiceInteraction></itemBody></assessmentItem>`
}

const oldItem = (title: string) =>
  `<questestinterop><assessment><section><item title="${title}"><presentation><material><mattext>Which?</mattext></material><response_lid ident="r"><render_choice>
    <response_label ident="x"><material><mattext>x</mattext></material></response_label><response_label ident="y"><material><mattext>y</mattext></material></response_label></render_choice></response_lid></presentation>
    <resprocessing><respcondition><conditionvar><varequal respident="r">y</varequal></conditionvar><setvar>1</setvar></respcondition></resprocessing></item></section></assessment></questestinterop>`

test("Blackboard's and Canvas's documents are read by whatever names, and what macOS leaves beside them is not", async () => {
  const zip = await makeZip({
    'res00001.dat': `<?xml version="1.0" encoding="UTF-8"?>${oldItem('Blackboard')}`,
    'non_cc/quiz.xml.qti': oldItem('Canvas'),
    '._res00001.xml': Buffer.from([0, 5, 22, 7, 0xff, 0xfe]),
    'items/._a.xml': Buffer.from([0, 5, 22, 7]),
    'thumbnail.dat': Buffer.from([0xff, 0xd8, 0xff, 0xe0]),
  })
  const items = await readAll(zip)
  expect(items.map(({ label }) => label)).toEqual(['Question 1 (Blackboard)', 'Question 2 (Canvas)'])
  expect(items).toMatchObject([{ question: { kind: 'choice' } }, { question: { kind: 'choice' } }])
})

test('passages stand before their questions', async () => {
  const reference = '<assessmentStimulusRef identifier="P" href="../passages/p%201.xml"/>'
  const passage = `<assessmentStimulus identifier="P" title="P"><stimulusBody><p>Long ago.</p></stimulusBody></assessmentStimulus>`
  const files = { 'items/a.xml': item('a', '', reference) }
  expect(await readAll(await makeZip({ ...files, 'passages/p 1.xml': passage }))).toMatchObject([
    { question: { text: 'Long ago.\n\nWhich?' } },
  ])
  expect(await readAll(await makeZip(files))).toMatchObject([{ reason: 'its passage is not in the file' }])
  const newer = `<qti-assessment-item identifier="i" title="n"><qti-response-declaration identifier="R" cardinality="single" base-type="float"><qti-correct-response><qti-value>4</qti-value></qti-correct-response></qti-response-declaration>
    <qti-assessment-stimulus-ref identifier="P" href="p.xml"/><qti-item-body><p>How many? <qti-text-entry-interaction response-identifier="R"/></p></qti-item-body></qti-assessment-item>`
  const newerPassage =
    '<qti-assessment-stimulus identifier="P"><qti-stimulus-body><p>Four legs.</p></qti-stimulus-body></qti-assessment-stimulus>'
  expect(await readAll(await makeZip({ 'a.xml': newer, 'p.xml': newerPassage }))).toMatchObject([
    { question: { kind: 'number', key: '4', text: 'Four legs.\n\nHow many? _____' } },
  ])
})

test('of rubrics those for whoever answers are shown', async () => {
  const rubrics =
    '<rubricBlock view="candidate"><p>Read it.</p></rubricBlock><rubricBlock view="scorer"><p>Be kind.</p></rubricBlock>'
  expect(await readAll(item('a', rubrics))).toMatchObject([{ question: { text: 'Read it.\nWhich?' } }])
})

test('items stand in the order of their test, and fixed options are known', async () => {
  const resource = (name: string, type: string) =>
    `<resource identifier="${name}" type="${type}" href="${name}"/>`
  const zip = await makeZip({
    'imsmanifest.xml': `<manifest><resources>${resource('a.xml', 'imsqti_item_xmlv2p1')}${resource('b.xml', 'imsqti_item_xmlv2p1')}${resource('test.xml', 'imsqti_test_xmlv2p1')}</resources></manifest>`,
    'a.xml': item('a'),
    'b.xml': item('b'),
    'test.xml':
      '<assessmentTest><testPart><assessmentSection><assessmentItemRef href="b.xml"/><assessmentItemRef href="a.xml"/></assessmentSection></testPart></assessmentTest>',
  })
  const items = await readAll(zip)
  expect(items.map(({ label }) => label)).toEqual(['Question 1 (b)', 'Question 2 (a)'])
  expect(items).toMatchObject([{ question: { options: [{ text: 'one' }, { isFixed: true }] } }, {}])
})
