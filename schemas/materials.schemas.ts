import { type Static, Type } from 'typebox'
import { Id, Name, Nullable, Text, Timestamp } from './common.ts'

export const MaterialParams = Type.Object({ id: Id, material_id: Id })

const Title = Name(1, 200)

export const Material = Type.Object(
  {
    id: Id,
    title: Type.String(),
    type: Type.Enum(['pdf', 'markdown', 'text']),
    size: Type.Integer({ description: 'bytes' }),
    pages: Nullable(Type.Integer({ description: 'of a PDF, or parts of a text; null until it is read' })),
    unreadable_pages: Nullable(Type.Integer({ description: 'pages without text' })),
    status: Type.Enum(['reading', 'ready', 'failed']),
    error: Nullable(Type.String({ description: 'why it can’t be searched' })),
    url: Type.String({ description: 'for one to two hours' }),
    created_at: Timestamp,
  },
  { $id: 'Material' },
)
export type Material = Static<typeof Material>

export const MaterialForm = Type.Object(
  { file: Type.String({ format: 'binary' }), title: Type.Optional(Title) },
  { $id: 'MaterialForm' },
)
/** The fields of that form that are no file. */
export const MaterialFields = Type.Object({ title: Type.Optional(Title) })
export const MaterialChanges = Type.Object({ title: Title }, { $id: 'MaterialChanges' })
export const MaterialAnswer = Type.Object(
  { success: Type.Literal(true), material: Material },
  { $id: 'MaterialAnswer' },
)
export const MaterialsAnswer = Type.Object(
  { success: Type.Literal(true), materials: Type.Array(Material, { maxItems: 200 }) },
  { $id: 'MaterialsAnswer' },
)

export const PassagesQuery = Type.Object({
  q: Text(1, 200),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 20, default: 8 })),
})
export type PassagesQuery = Static<typeof PassagesQuery>

export const Passage = Type.Object(
  {
    material_id: Id,
    title: Type.String(),
    page: Type.Integer({ description: 'from 1; of a Markdown text its part' }),
    text: Type.String({ description: 'at most 1,200 code points' }),
    matches: Type.Array(Type.Array(Type.Integer(), { minItems: 2, maxItems: 2 }), {
      description: '`[start, length]` in code points',
    }),
  },
  { $id: 'Passage' },
)
export type Passage = Static<typeof Passage>
export const PassagesAnswer = Type.Object(
  { success: Type.Literal(true), passages: Type.Array(Passage, { maxItems: 20 }) },
  { $id: 'PassagesAnswer' },
)
export type PassagesAnswer = Static<typeof PassagesAnswer>
