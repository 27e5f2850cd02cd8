import { type Static, Type } from 'typebox'
import { Id, MAX_INT, Name, Page as PageNumber, paging, Text, Timestamp } from './common.ts'

const Count = Type.Integer({ minimum: 0, maximum: MAX_INT })
const Index = Type.Integer({ minimum: 0, maximum: MAX_INT })
const Title = Name(1, 200)
const Description = Text(0, 4_000)
const success = Type.Literal(true)

// --- notebooks

export const Notebook = Type.Object(
  {
    id: Id,
    title: Type.String(),
    description: Type.String(),
    is_public: Type.Boolean(),
    page_count: Count,
    created_at: Timestamp,
    updated_at: Timestamp,
  },
  { $id: 'Notebook' },
)
export type Notebook = Static<typeof Notebook>

export const NewNotebookBody = Type.Object(
  {
    title: Title,
    description: Type.Optional(Description),
    is_public: Type.Optional(Type.Boolean()),
  },
  { $id: 'NewNotebookBody' },
)
export type NewNotebookBody = Static<typeof NewNotebookBody>
export const NotebookChange = Type.Partial(NewNotebookBody, { $id: 'NotebookChange' })
export type NotebookChange = Static<typeof NotebookChange>

export const NotebookAnswer = Type.Object({ success, notebook: Notebook }, { $id: 'NotebookAnswer' })
export const NotebooksAnswer = Type.Object(
  { success, notebooks: Type.Array(Notebook) },
  { $id: 'NotebooksAnswer' },
)

// --- pages and their objects

export const NotePage = Type.Object(
  {
    id: Id,
    notebook_id: Id,
    title: Type.String(),
    position: Type.Integer({ minimum: 0, description: '0 is the first page' }),
    object_count: Count,
    version: Type.Integer({ minimum: 0, description: 'rises with every sync that changes something' }),
  },
  { $id: 'NotePage' },
)
export type NotePage = Static<typeof NotePage>

export const NewPageBody = Type.Object(
  {
    title: Type.Optional(Title),
    position: Type.Optional({ ...Index, description: 'left out: the end of the notebook' }),
  },
  { $id: 'NewPageBody' },
)
export type NewPageBody = Static<typeof NewPageBody>

export const PageAnswer = Type.Object({ success, page: NotePage }, { $id: 'PageAnswer' })
export const PagesAnswer = Type.Object({ success, pages: Type.Array(NotePage) }, { $id: 'PagesAnswer' })

const ObjectId = Text(1, 100, { verbatim: true, description: 'made by the client' })
/** One thing on the canvas: whatever the client draws, under an id of its own. */
export const CanvasObject = Type.Object({ id: ObjectId }, { $id: 'CanvasObject', additionalProperties: true })
export type CanvasObject = Static<typeof CanvasObject>

export const ObjectsQuery = Type.Object({
  start_index: Type.Optional(Index),
  limit: Type.Optional(Type.Integer({ minimum: 1, description: 'default 200, cut to 500' })),
})
export type ObjectsQuery = Static<typeof ObjectsQuery>
export const ObjectsAnswer = Type.Object(
  {
    success,
    objects: Type.Array(CanvasObject, { description: 'from the bottom of the stack to its top' }),
    total: Count,
  },
  { $id: 'ObjectsAnswer' },
)

export const SyncBody = Type.Object(
  {
    objects: Type.Optional(
      Type.Array(CanvasObject, {
        maxItems: 1_000,
        description: 'take the places from `start_index` on, in this order',
      }),
    ),
    deleted_ids: Type.Optional(Type.Array(ObjectId, { maxItems: 1_000 })),
    start_index: Type.Optional(Index),
    version: Type.Optional(Index),
  },
  { $id: 'SyncBody' },
)
export type SyncBody = Static<typeof SyncBody>
export const SyncAnswer = Type.Object({ success, version: Count, total: Count }, { $id: 'SyncAnswer' })

// --- assets

export const Asset = Type.Object(
  {
    id: Id,
    url: Type.String({ description: 'signed and time-limited' }),
    content_type: Type.String(),
    size: Type.Integer({ description: 'bytes' }),
    width: Count,
    height: Count,
  },
  { $id: 'Asset' },
)
export type Asset = Static<typeof Asset>
export const AssetForm = Type.Object(
  {
    image: Type.String({ format: 'binary', description: 'png, jpg, jpeg, gif or webp' }),
  },
  { $id: 'AssetForm' },
)
export const AssetAnswer = Type.Object({ success, asset: Asset }, { $id: 'AssetAnswer' })
export const AssetsAnswer = Type.Object({ success, assets: Type.Array(Asset) }, { $id: 'AssetsAnswer' })

export const PrintAnswer = Type.Object(
  {
    success,
    pages: Type.Array(
      Type.Object({
        ...NotePage.properties,
        objects: Type.Array(CanvasObject),
        assets: Type.Array(Asset),
      }),
    ),
  },
  { $id: 'PrintAnswer' },
)

// --- the public library

const LibraryFields = {
  id: Id,
  title: Type.String(),
  description: Type.String(),
  author: Type.String({ description: 'username' }),
  page_count: Count,
  likes: Count,
  bookmarks: Count,
  liked: Type.Boolean(),
  bookmarked: Type.Boolean(),
  created_at: Timestamp,
  updated_at: Timestamp,
}
export const LibraryNotebook = Type.Object(LibraryFields, { $id: 'LibraryNotebook' })
export type LibraryNotebook = Static<typeof LibraryNotebook>

export const LibraryQuery = Type.Object({
  q: Type.Optional(
    Text(0, 200, {
      description: 'in title, description or author, in any case; one or two letters in the first 1,000',
    }),
  ),
  sort: Type.Optional(Type.Enum(['recent', 'popular'], { description: 'default `recent`' })),
  page: PageNumber,
})
export type LibraryQuery = Static<typeof LibraryQuery>
export const LibraryAnswer = Type.Object(
  { success, notebooks: Type.Array(LibraryNotebook), ...paging },
  { $id: 'LibraryAnswer' },
)
export const LibraryNotebookAnswer = Type.Object(
  {
    success,
    notebook: Type.Object({ ...LibraryFields, pages: Type.Array(NotePage) }),
  },
  { $id: 'LibraryNotebookAnswer' },
)

export const LibraryParams = Type.Object({ notebook_id: Id })
export const InteractionBody = Type.Object(
  {
    kind: Type.Enum(['like', 'bookmark']),
    active: Type.Optional(Type.Boolean({ description: 'sets; without it the interaction toggles' })),
  },
  { $id: 'InteractionBody' },
)
export type InteractionBody = Static<typeof InteractionBody>
export const InteractionAnswer = Type.Object(
  {
    success,
    kind: InteractionBody.properties.kind,
    active: Type.Boolean(),
    count: Count,
  },
  { $id: 'InteractionAnswer' },
)
