/**
 * A part of a text as the build compiles it (`desk/texts.ts`): words, the number of the plural around it, a value, a
 * value that goes around a part, or a choice by a value.
 */
export type Part = string | 0 | [value: string, inner?: Part[] | Record<string, Part[]>]
