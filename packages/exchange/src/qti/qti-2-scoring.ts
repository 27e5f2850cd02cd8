import { Skip } from '../items.ts'
import { childOf, childrenOf, descendants, textOf, type XmlElement } from '../xml.ts'

/** Elements that are shown only after an answer, or not to students. */
export const ASIDE = new Set([
  'feedbackBlock',
  'feedbackInline',
  'modalFeedback',
  'rubricBlock',
  'templateBlock',
  'stylesheet',
  'catalogInfo',
])

export function withoutAsides(element: XmlElement): XmlElement {
  return {
    ...element,
    children: element.children.filter((child) => typeof child === 'string' || !ASIDE.has(child.name)),
  }
}

/** What says of an interaction which answers are right. */
export function declarationOf(item: XmlElement, interaction: XmlElement): XmlElement | undefined {
  return childrenOf(item, 'responseDeclaration').find(
    ({ attributes }) => attributes.identifier === interaction.attributes.responseIdentifier,
  )
}

export function correctValues(declaration: XmlElement | undefined): string[] {
  return childrenOf(childOf(declaration, 'correctResponse'), 'value').map((value) => textOf(value).trim())
}

/** What answers bring by a mapping. */
export function mappedValues(declaration: XmlElement | undefined) {
  return childrenOf(childOf(declaration, 'mapping'), 'mapEntry').map(
    ({ attributes: { mapKey = '', mappedValue = '', caseSensitive } }) => ({
      key: mapKey.trim(),
      value: Number(mappedValue),
      written: mappedValue.trim(),
      isExact: caseSensitive === 'true',
    }),
  )
}

/** Whether marks come from the mapping: an item can have one that its processing doesn't use. */
export function isMapped(item: XmlElement): boolean {
  const processing = childOf(item, 'responseProcessing')
  return (
    /map_response/.test(processing?.attributes.template ?? '') ||
    [...descendants(processing, 'mapResponse')].length > 0
  )
}

/** Whether the response processing gives different marks to different answers. */
export function givesParts(processing: XmlElement | undefined): boolean {
  const given = [...descendants(processing, 'setOutcomeValue')]
    .filter(({ attributes }) => attributes.identifier === 'SCORE')
    .flatMap((outcome) => childrenOf(outcome, 'baseValue').map((value) => Number(textOf(value))))
  return new Set(given.filter((value) => value > 0)).size > 1
}

/** Whether an answer brings marks only together with others. */
export function isScoredTogether(processing: XmlElement | undefined): boolean {
  return [...descendants(processing, 'and')].some((all) => {
    const variables = [...descendants(all, 'variable')].map(({ attributes }) => attributes.identifier)
    return new Set(variables.filter((name) => name !== 'SCORE')).size > 1
  })
}

/** How far from its key a number may be; of several numbers in the item the one of the interaction. */
export function readTolerance(item: XmlElement, interaction?: XmlElement): string {
  const processing = childOf(item, 'responseProcessing')
  const all = [...descendants(processing, 'equal')]
  const own =
    interaction === undefined
      ? all
      : all.filter((equal) =>
          [...descendants(equal, 'variable')].some(
            ({ attributes }) => attributes.identifier === interaction.attributes.responseIdentifier,
          ),
        )
  const [equal, ...more] = own
  const { toleranceMode = 'exact', tolerance = '0' } = equal?.attributes ?? {}
  const [below = '0', above = below] = tolerance.trim().split(/\s+/)
  if (more.length > 0 || toleranceMode === 'relative' || Number(below) !== Number(above))
    throw new Skip('its tolerance has no equivalent here')
  return toleranceMode === 'absolute' ? below : '0'
}
