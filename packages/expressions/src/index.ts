export {
  areFulfilled,
  type Draws,
  DrawsError,
  drawOnce,
  drawValues,
  isExcluded,
  isName,
  MOST_CONDITIONS,
  MOST_VALUES,
  MOST_VARIABLES,
  type Random,
  readDraws,
  requireKnown,
  type Variable,
} from './draws.ts'
export { countFinite, drawPoints, isEqual, LEAST_FINITE, type Points, type Symbol } from './equality.ts'
export { evaluate, type Values } from './evaluating.ts'
export { readDecimal, readRatio, toNumber, writeRatio } from './exact.ts'
export { FUNCTION_NAMES, type FunctionName } from './functions.ts'
export { toLatex } from './latex.ts'
export { namesIn, parseCondition, parseExpression } from './parsing.ts'
export { fill, hasPlaces, onlyPlace, type Place, parseTemplate, type Template } from './templates.ts'
export { ExpressionError, type Tree } from './tree.ts'
export { readTyped, requireAllowed } from './typed.ts'
export { toDecimal, toPlainNumber, toText, write } from './writing.ts'
