import { Skip } from '../items.ts'
import { textOf, type XmlElement } from '../xml.ts'

/** Groups that don't change the formula. */
const GROUPS = new Set(['math', 'mrow', 'mstyle', 'mpadded'])

/** Names that LaTeX sets upright. */
const FUNCTIONS =
  /^(sin|cos|tan|cot|sec|csc|sinh|cosh|tanh|arcsin|arccos|arctan|log|ln|exp|lim|min|max|sup|inf|det|gcd|dim|ker)$/

/**
 * Turns presentation MathML into LaTeX; if the author's LaTeX is annotated, it is that. Throws `Skip` for unknown
 * elements.
 */
export function toLatex(element: XmlElement): string {
  const { name } = element
  const parts = element.children.filter((child) => typeof child !== 'string')
  const part = (index: number) => {
    const child = parts[index]
    return child ? toLatex(child) : ''
  }
  switch (name) {
    case 'semantics': {
      const annotation = parts.find(
        (each) => each.name === 'annotation' && /tex/i.test(each.attributes.encoding ?? ''),
      )
      return annotation ? textOf(annotation).trim() : part(0)
    }
    case 'mi': {
      const text = escaped(textOf(element))
      return FUNCTIONS.test(text) ? `\\${text} ` : text.length > 1 ? `\\mathrm{${text}}` : text
    }
    case 'mn':
    case 'mo':
      return escaped(textOf(element))
    case 'mtext':
    case 'ms':
      return `\\text{${escaped(textOf(element))}}`
    case 'mspace':
      return ' '
    case 'mphantom':
      return `\\phantom{${parts.map(toLatex).join('')}}`
    case 'mfrac':
      return `\\frac{${part(0)}}{${part(1)}}`
    case 'msqrt':
      return `\\sqrt{${parts.map(toLatex).join('')}}`
    case 'mroot':
      return `\\sqrt[${part(1)}]{${part(0)}}`
    case 'msup':
      return `{${part(0)}}^{${part(1)}}`
    case 'msub':
      return `{${part(0)}}_{${part(1)}}`
    case 'msubsup':
      return `{${part(0)}}_{${part(1)}}^{${part(2)}}`
    case 'mover': {
      const base = part(0)
      return hasLimits(base) ? `${base}^{${part(1)}}` : `\\overset{${part(1)}}{${base}}`
    }
    case 'munder': {
      const base = part(0)
      return hasLimits(base) ? `${base}_{${part(1)}}` : `\\underset{${part(1)}}{${base}}`
    }
    case 'munderover': {
      const base = part(0)
      return hasLimits(base)
        ? `${base}_{${part(1)}}^{${part(2)}}`
        : `\\underset{${part(1)}}{\\overset{${part(2)}}{${base}}}`
    }
    case 'mfenced': {
      const { open = '(', close = ')', separators = ',' } = element.attributes
      return `\\left${fence(open)}${parts.map(toLatex).join(separators.charAt(0))}\\right${fence(close)}`
    }
    case 'mtable':
      return `\\begin{matrix}${parts.map(toLatex).join('\\\\')}\\end{matrix}`
    case 'mtr':
      return parts.map(toLatex).join('&')
    case 'mtd':
      return parts.map(toLatex).join('')
  }
  if (GROUPS.has(name)) return parts.map(toLatex).join('')
  throw new Skip(`it has a formula that cannot be written as LaTeX here (${name})`)
}

/** Whether LaTeX takes the texts above and below it as limits: sums, integrals, limits. */
function hasLimits(base: string): boolean {
  return /^([∑∏∐∫∮⋃⋂]|\\(lim|max|min|sup|inf) )$/.test(base)
}

function fence(character: string): string {
  return character === '' ? '.' : /[{}]/.test(character) ? `\\${character}` : character
}

function escaped(text: string): string {
  return text
    .trim()
    .replace(/[\\{}$%&#_^~]/g, (character) => (character === '\\' ? '\\backslash ' : `\\${character}`))
}
