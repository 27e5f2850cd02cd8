import { type Static, Type } from 'typebox'
import { Text } from './common.ts'

export const ImagesFields = Type.Object({
  subject_folder_id: Text(1, 200, { description: 'a plain folder name' }),
})
/** As the API's documents show it; `images` may come many times. */
export const ImagesForm = Type.Object(
  {
    ...ImagesFields.properties,
    images: Type.Array(Type.String({ format: 'binary' })),
  },
  { $id: 'ImagesForm' },
)

export const ImagesAnswer = Type.Object(
  {
    success: Type.Literal(true),
    uploaded: Type.Integer(),
    failed: Type.Array(Type.Object({ filename: Type.String(), error: Type.String() })),
  },
  { $id: 'ImagesAnswer' },
)
export type ImagesAnswer = Static<typeof ImagesAnswer>
