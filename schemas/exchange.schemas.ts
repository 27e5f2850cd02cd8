import { type Static, Type } from 'typebox'
import { DryRun, Id, ImportForm, Nullable } from './common.ts'
import { ImportKey, QuestionFields } from './questions.schemas.ts'

export const ImportFormat = Type.Enum(['csv', 'gift', 'aiken', 'moodle_xml', 'qti'], { $id: 'ImportFormat' })
export type ImportFormat = Static<typeof ImportFormat>
export const ExportFormat = Type.Enum(['csv', 'gift', 'moodle_xml', 'qti', 'qti3'], { $id: 'ExportFormat' })
export type ExportFormat = Static<typeof ExportFormat>

export const ExamParams = Type.Object({ exam_id: Id })

export const ExchangeForm = ImportForm('ExchangeForm')
export const ImportQuery = Type.Object({
  format: Type.Optional(
    Type.Enum(['auto', 'csv', 'gift', 'aiken', 'moodle_xml', 'qti'], {
      description: '`auto` (default) goes by what the file holds',
    }),
  ),
  ...DryRun.properties,
  key: ImportKey,
})
export const ExportQuery = Type.Object({ format: ExportFormat })

export const Exchanged = Type.Object(
  {
    success: Type.Literal(true),
    message: Type.String(),
    format: ImportFormat,
    inserted: Type.Integer({ description: 'in a dry run, how many would be' }),
    skipped: Type.Integer(),
    errors: Nullable(
      Type.Array(Type.String({ description: '`<item>: skipped`, for the first ten thousand of them' })),
    ),
    details: Nullable(
      Type.Array(
        Type.String({
          description:
            'why, for the first thousand of them; descriptions, which are no questions and not counted, are named too',
        }),
      ),
    ),
  },
  { $id: 'Exchanged' },
)
export type Exchanged = Static<typeof Exchanged>

export const Tried = Type.Object(
  {
    ...Exchanged.properties,
    questions: Type.Array(
      Type.Object({
        ...QuestionFields.properties,
        has_image: Type.Boolean({ description: 'the file brings an image along' }),
        lost: Type.Array(Type.String(), {
          description: 'what the file says of it that is not carried over; `details` has it too',
        }),
      }),
      { description: 'the first 50' },
    ),
  },
  { $id: 'Tried' },
)
export type Tried = Static<typeof Tried>
