import { encodePath } from '../../../../formats/percent.ts'
import type { ZipFile } from '../../../../formats/zip.ts'
import { escapeXml } from '../files/xml.ts'
import { MANIFEST } from '../files/zip.ts'
import { type ExportedQuestion, listOptions, type ReadImage } from '../item.ts'

/**
 * A QTI 2.1 content package: an item for each question, its image beside it, and the manifest at the end. The format
 * has no place for negative marks, nor for characters that XML can't contain.
 */
export async function* writeQti(
  questions: AsyncIterable<ExportedQuestion>,
  readImage: ReadImage,
): AsyncGenerator<ZipFile> {
  const resources: string[] = []
  const images = new Set<string>()
  for await (const question of questions) {
    const path = `items/question-${question.id}.xml`
    const found = await readImage(question)
    const image = found && { path: `images/${found.name}`, content: found.bytes }
    yield { path, content: writeItem(question, image && `../${encodePath(image.path)}`) }
    if (image && !images.has(image.path)) {
      images.add(image.path)
      yield image
    }
    resources.push(writeResource(question.id, path, image?.path))
  }
  yield { path: MANIFEST, content: writeManifest(resources) }
}

function writeItem(question: ExportedQuestion, image: string | undefined): string {
  const { question_type: type, positive_marks: marks } = question
  const picture = image === undefined ? '' : `    <p><img src="${escapeXml(image)}" alt=""/></p>\n`
  return `<?xml version="1.0" encoding="UTF-8"?>
<assessmentItem xmlns="http://www.imsglobal.org/xsd/imsqti_v2p1" identifier="question-${question.id}" title="${type} ${question.id}" adaptive="false" timeDependent="false">
${writeDeclaration(question)}
  <outcomeDeclaration identifier="SCORE" cardinality="single" baseType="float" normalMaximum="${marks}">
    <defaultValue><value>0</value></defaultValue>
  </outcomeDeclaration>
  <itemBody>
    ${writeBlock(question.question_text)}
${picture}${type === 'NUMERIC' ? '    <p><textEntryInteraction responseIdentifier="RESPONSE"/></p>' : writeChoices(question)}
  </itemBody>
${question.correct_answer === '' ? '' : writeProcessing(question)}</assessmentItem>
`
}

function writeDeclaration({ question_type: type, correct_answer: key }: ExportedQuestion): string {
  const values = key === '' ? [] : type === 'NUMERIC' ? [key] : key.split(',')
  const correct = values.map((value) => `<value>${escapeXml(value)}</value>`).join('')
  return `  <responseDeclaration identifier="RESPONSE" cardinality="${type === 'MSQ' ? 'multiple' : 'single'}" baseType="${type === 'NUMERIC' ? 'float' : 'identifier'}">${
    correct === '' ? '' : `<correctResponse>${correct}</correctResponse>`
  }</responseDeclaration>`
}

function writeChoices(question: ExportedQuestion): string {
  const choices = listOptions(question).map(
    ({ letter, text }) => `      <simpleChoice identifier="${letter}">${writeBlock(text)}</simpleChoice>\n`,
  )
  return `    <choiceInteraction responseIdentifier="RESPONSE" shuffle="false" maxChoices="${question.question_type === 'MCQ' ? 1 : 0}">
${choices.join('')}    </choiceInteraction>`
}

function writeProcessing({
  question_type: type,
  positive_marks: marks,
  tolerance,
}: ExportedQuestion): string {
  const both = '<variable identifier="RESPONSE"/><correct identifier="RESPONSE"/>'
  const right =
    type === 'NUMERIC'
      ? `<equal toleranceMode="absolute" tolerance="${tolerance} ${tolerance}">${both}</equal>`
      : `<match>${both}</match>`
  return `  <responseProcessing>
    <responseCondition><responseIf>${right}<setOutcomeValue identifier="SCORE"><baseValue baseType="float">${marks}</baseValue></setOutcomeValue></responseIf></responseCondition>
  </responseProcessing>
`
}

/** A paragraph with line breaks, or preformatted text if blanks count. */
function writeBlock(text: string): string {
  if (/[^\S\n]{2}|[^\S\n ]|^[^\S\n]|[^\S\n]$/m.test(text)) return `<pre>${escapeXml(text)}</pre>`
  return `<p>${text.split('\n').map(escapeXml).join('<br/>')}</p>`
}

function writeResource(id: number, path: string, image: string | undefined): string {
  const files = [path, ...(image === undefined ? [] : [image])].map(
    (each) => `<file href="${escapeXml(encodePath(each))}"/>`,
  )
  return `    <resource identifier="question-${id}" type="imsqti_item_xmlv2p1" href="${path}">${files.join('')}</resource>\n`
}

function writeManifest(resources: string[]): string {
  return `<?xml version="1.0" encoding="UTF-8"?>
<manifest xmlns="http://www.imsglobal.org/xsd/imscp_v1p1" identifier="questions">
  <metadata><schema>QTIv2.1 Package</schema><schemaversion>1.0.0</schemaversion></metadata>
  <organizations/>
  <resources>
${resources.join('')}  </resources>
</manifest>
`
}
