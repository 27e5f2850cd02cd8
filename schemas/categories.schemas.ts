import { type Static, Type } from 'typebox'
import { Id, Name, Nullable } from './common.ts'

export const Category = Type.Object(
  {
    id: Id,
    name: Type.String(),
    drive_file_id: Nullable(Type.String({ description: 'storage key `Category/<slug>_<suffix>.<ext>`' })),
    image_url: Nullable(Type.String({ description: 'signed, for a limited time' })),
  },
  { $id: 'Category' },
)
export type Category = Static<typeof Category>

const name = Name(1, 200)
export const NewCategoryFields = Type.Object({ name }, { $id: 'NewName' })
export const CategoryFields = Type.Object({ name: Type.Optional(name) })

/** The forms as the API's documents show them. */
const image = Type.Optional(Type.String({ format: 'binary', description: 'png, jpg, jpeg, gif or webp' }))
export const NewCategoryForm = Type.Object({ name, image }, { $id: 'NewCategoryForm' })
export const CategoryForm = Type.Object({ name: Type.Optional(name), image }, { $id: 'CategoryForm' })

export const CategoriesAnswer = Type.Object(
  {
    success: Type.Literal(true),
    categories: Type.Array(Category),
  },
  { $id: 'CategoriesAnswer' },
)
export const CategoryAnswer = Type.Object(
  { success: Type.Literal(true), category: Category },
  { $id: 'CategoryAnswer' },
)
