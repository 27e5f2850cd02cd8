import { type Static, Type } from 'typebox'
import { TutorMode } from './classes.schemas.ts'
import { Id, Name, Nullable, Text, Timestamp } from './common.ts'

export const AskBody = Type.Object(
  {
    message: Text(1, 8_000),
    conversation_id: Type.Optional(Nullable({ ...Id, description: 'null starts a new conversation' })),
    class_id: Type.Optional(
      Nullable({
        ...Id,
        description:
          'an own class, whose materials a new conversation leans on; left out: the class of the exam in `context`, if that is exactly one of one’s own; null: none',
      }),
    ),
    context: Type.Optional(
      Nullable(
        Type.Object(
          { attempt_id: Id, question_id: Id },
          {
            description:
              'a question of an own result: the model is told its key, its explanation and what was answered',
          },
        ),
      ),
    ),
  },
  { $id: 'TutorQuestion' },
)

/** What a mark in an answer names. */
export const TutorSource = Type.Object(
  {
    n: Type.Integer({ description: 'as in `【n】`' }),
    material_id: Nullable({ ...Id, description: 'null: it is gone' }),
    title: Type.String(),
    page: Type.Integer(),
    quote: Type.String({
      description: 'the sentence of the page that has most in common with what is marked',
    }),
  },
  { $id: 'TutorSource' },
)
export type TutorSource = Static<typeof TutorSource>
const Sources = Type.Array(TutorSource, {
  description: 'what the marks in the text name, by their first places',
})

export const Answer = Type.Object(
  {
    success: Type.Literal(true),
    response: Type.String({
      description: 'may contain LaTeX, a `[FINAL ANSWER]` marker, and marks `【n】` of `sources`',
    }),
    sources: Sources,
    conversation_id: Id,
    title: Type.String(),
    class_id: Nullable({ ...Id, description: 'whose materials it leans on' }),
    mode: TutorMode,
    questions_remaining: Type.Integer(),
  },
  { $id: 'TutorAnswer' },
)
export type Answer = Static<typeof Answer>

/** The events of an answer while it is written; the last one is `done`, or `error` with a code as in HTTP. */
export const TutorEvent = Type.Union(
  [
    Type.Object({
      event: Type.Literal('start'),
      data: Type.Object({ conversation_id: Id, title: Type.String() }),
    }),
    Type.Object({ event: Type.Literal('delta'), data: Type.Object({ text: Type.String() }) }),
    Type.Object({ event: Type.Literal('done'), data: Answer }),
    Type.Object({
      event: Type.Literal('error'),
      data: Type.Object({ code: Type.String(), message: Type.String() }, { additionalProperties: true }),
    }),
  ],
  { $id: 'TutorEvent' },
)

export const AssistantConversation = Type.Object(
  {
    id: Id,
    title: Type.String(),
    class_id: Nullable({ ...Id, description: 'whose materials it leans on; null: none, or one has left it' }),
    messageCount: Type.Integer(),
    createdAt: Timestamp,
    updatedAt: Timestamp,
  },
  { $id: 'TutorConversation' },
)
export type AssistantConversation = Static<typeof AssistantConversation>

const message = { id: Id, text: Type.String(), isUser: Type.Boolean(), timestamp: Timestamp }

/** As the older generation has it. */
export const StudyChatMessage = Type.Object(message, { $id: 'StudyChatMessage' })
export type StudyChatMessage = Static<typeof StudyChatMessage>

export const AssistantMessage = Type.Object({ ...message, sources: Sources }, { $id: 'TutorMessage' })
export type AssistantMessage = Static<typeof AssistantMessage>

const NextCursor = Nullable(Type.String({ description: '`cursor` of the next page' }))

export const ConversationListQuery = Type.Object({
  search: Type.Optional(Text(0, 200, { description: 'in title or message text, in any case' })),
  limit: Type.Optional(Type.Integer({ minimum: 1, description: 'default 20, cut to 50' })),
  cursor: Type.Optional(Type.String({ maxLength: 24, pattern: '^\\d{1,13}-\\d{1,10}$' })),
})
export type ConversationListQuery = Static<typeof ConversationListQuery>

export const ConversationList = Type.Object(
  {
    success: Type.Literal(true),
    dailyLimit: Type.Integer(),
    questionsUsed: Type.Integer(),
    conversations: Type.Array(AssistantConversation),
    hasMoreConversations: Type.Boolean(),
    nextCursor: NextCursor,
  },
  { $id: 'TutorConversations' },
)

export const FurtherConversations = Type.Object(
  {
    success: Type.Literal(true),
    conversations: Type.Array(AssistantConversation),
    hasMore: Type.Boolean(),
    nextCursor: NextCursor,
  },
  { $id: 'FurtherTutorConversations' },
)

export const MessagePageQuery = Type.Object({
  limit: Type.Optional(Type.Integer({ minimum: 1, description: 'default 50, cut to 100' })),
  cursor: Type.Optional(Type.String({ maxLength: 10, pattern: '^\\d{1,10}$' })),
})
export type MessagePageQuery = Static<typeof MessagePageQuery>

export const MessagePage = Type.Object(
  {
    success: Type.Literal(true),
    messages: Type.Array(AssistantMessage),
    hasMore: Type.Boolean(),
    conversation: AssistantConversation,
    nextCursor: NextCursor,
  },
  { $id: 'TutorMessages' },
)

export const RenameConversationBody = Type.Object({ title: Name(1, 200) }, { $id: 'NewTitle' })
export const RenameAnswer = Type.Object(
  { success: Type.Literal(true), conversation: AssistantConversation },
  { $id: 'TutorConversationAnswer' },
)
