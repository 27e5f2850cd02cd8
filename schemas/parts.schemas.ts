import { type Static, Type } from 'typebox'

/** What makes up a question beside its text and options, by its type, as teachers write it and as students see it. */

export const MatchingParts = Type.Object({
  pairs: Type.Array(Type.Object({ prompt: Type.String(), match: Type.String() }), {
    description: '2 to 20; equal matches are one choice',
  }),
  distractors: Type.Array(Type.String(), { description: 'up to 10 choices that match no prompt' }),
})
export type MatchingParts = Static<typeof MatchingParts>

export const OrderingParts = Type.Object({
  items: Type.Array(Type.String(), { description: '2 to 20, in the right order' }),
})
export type OrderingParts = Static<typeof OrderingParts>

const Decimal = Type.Union([Type.Number(), Type.String()], { description: 'a number or its decimal text' })

export const Gap = Type.Union([
  Type.Object({
    kind: Type.Literal('text'),
    accepted: Type.Array(Type.String(), { description: '1 to 50 texts; `%50%text` brings 50 percent' }),
  }),
  Type.Object({
    kind: Type.Literal('choice'),
    choices: Type.Array(Type.String(), { description: '2 to 20' }),
    correct: Type.Integer({ description: 'the index of the right one, from 0' }),
  }),
  Type.Object({ kind: Type.Literal('number'), key: Decimal, tolerance: Decimal }),
])
export type Gap = Static<typeof Gap>

export const GapsParts = Type.Object({
  gaps: Type.Array(Gap, { description: '1 to 20, for `[[1]]` … of the text' }),
})
export type GapsParts = Static<typeof GapsParts>

/** What a formula is written in, and where it is compared with the key. */
export const FormulaParts = Type.Object({
  symbols: Type.Array(
    Type.Object({
      name: Type.String({ description: 'a letter, then up to 15 letters, digits and underscores' }),
      from: Type.Optional(Decimal),
      to: Type.Optional(Decimal),
    }),
    { description: '1 to 10; without a range from −3, or from 0.1 where the key has no value below 0, to 3' },
  ),
  also: Type.Optional(
    Type.Array(Type.String(), { description: 'functions that an answer may use; all where it is left out' }),
  ),
})
export type FormulaParts = Static<typeof FormulaParts>

/** A number of one's own in each attempt. */
export const Variable = Type.Union([
  Type.Object({ name: Type.String(), from: Decimal, to: Decimal, step: Decimal }),
  Type.Object({ name: Type.String(), values: Type.Array(Decimal, { description: '1 to 200' }) }),
  Type.Object({ name: Type.String(), is: Type.String({ description: 'an expression of those before it' }) }),
])
export type Variable = Static<typeof Variable>

export const Parts = Type.Union([MatchingParts, OrderingParts, GapsParts, FormulaParts])
export type Parts = Static<typeof Parts>

const Choices = Type.Array(Type.Object({ id: Type.String(), text: Type.String() }), {
  description: "shuffled; an id is an attempt's own",
})

export const ShownParts = Type.Union([
  Type.Object({ prompts: Type.Array(Type.String()), choices: Choices }),
  Type.Object({ items: Choices }),
  Type.Object({
    gaps: Type.Array(
      Type.Object({ kind: Type.Enum(['text', 'choice', 'number']), choices: Type.Optional(Choices) }),
    ),
  }),
  Type.Object({ symbols: Type.Array(Type.String()) }),
])
export type ShownParts = Static<typeof ShownParts>
