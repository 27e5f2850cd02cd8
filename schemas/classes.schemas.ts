import { type Static, Type } from 'typebox'
import { AnalyticsQuery } from './analytics.schemas.ts'
import {
  GivenInstant,
  Id,
  ImportForm,
  MAX_INT,
  Name,
  Nullable,
  Page,
  paging,
  Text,
  Timestamp,
  UserId,
  Was,
} from './common.ts'

export const ClassRole = Type.Enum(['student', 'teacher'], { $id: 'ClassRole' })
export type ClassRole = Static<typeof ClassRole>

export const ClassParams = Type.Object({ id: Id })
export const ClassMemberParams = Type.Object({ id: Id, user_id: Id })
export const ClassInvitationParams = Type.Object({ id: Id, invitation_id: Id })

const IncludeArchived = Type.Optional(Type.Boolean({ description: 'archived ones as well' }))
const ClassName = Name(1, 200)

export const TutorMode = Type.Enum(['explain', 'guide'], {
  $id: 'TutorMode',
  description: '`guide`: the tutor asks back and gives one hint at a time',
})
export type TutorMode = Static<typeof TutorMode>

const Weights = Type.Record(
  Type.String({ pattern: '^[1-9]\\d{0,9}$' }),
  Type.Number({ minimum: 0, maximum: 100 }),
  {
    additionalProperties: false,
    maxProperties: 500,
    description: 'what each exam counts in the gradebook, in per cent with two decimals, by its id',
  },
)
const Counts = Type.Enum(['best', 'latest', 'first'], { description: 'which attempt counts there' })

/** A class as its members see it. */
export const OwnClass = Type.Object(
  {
    id: Id,
    name: Type.String(),
    role: ClassRole,
    students: Type.Integer({ description: 'how many it has' }),
    archived: Type.Boolean(),
  },
  { $id: 'OwnClass' },
)
export type OwnClass = Static<typeof OwnClass>

/** A class that asks somebody to join. */
export const ClassInvitation = Type.Object(
  { id: Id, name: Type.String(), role: ClassRole, invited_at: Timestamp },
  { $id: 'ClassInvitation', description: '`id` is of the class' },
)
export type ClassInvitation = Static<typeof ClassInvitation>

export const ClassesQuery = Type.Object({ archived: IncludeArchived })
export const ClassesAnswer = Type.Object(
  {
    success: Type.Literal(true),
    classes: Type.Array(OwnClass),
    invitations: Type.Array(ClassInvitation),
  },
  { $id: 'ClassesAnswer' },
)
export const OwnClassAnswer = Type.Object(
  { success: Type.Literal(true), class: OwnClass },
  { $id: 'OwnClassAnswer' },
)

const CODE_FORMS =
  "the class's code, in any case and however it is grouped (`bcdf-ghjk`), or the one of a mailed link"
export const JoinBody = Type.Object({ code: Text(1, 100, { description: CODE_FORMS }) }, { $id: 'JoinBody' })
export const CodeParams = Type.Object({ code: Text(1, 100, { description: CODE_FORMS }) })

/** A class as somebody sees it who has its code. */
export const FoundClass = Type.Object(
  {
    name: Type.String(),
    teachers: Type.Array(Type.String(), { description: 'their full names' }),
    students: Type.Integer({ description: 'how many it has' }),
  },
  { $id: 'FoundClass' },
)
export type FoundClass = Static<typeof FoundClass>
export const FoundClassAnswer = Type.Object(
  { success: Type.Literal(true), class: FoundClass },
  { $id: 'FoundClassAnswer' },
)

// --- as administrators keep them

const Person = Type.Object({ user_id: UserId, username: Type.String(), full_name: Type.String() })

export const AdminClass = Type.Object(
  {
    id: Id,
    name: Type.String(),
    archived: Type.Boolean(),
    students: Type.Integer(),
    teachers: Type.Array(Person),
    created_at: Timestamp,
  },
  { $id: 'AdminClass' },
)
export type AdminClass = Static<typeof AdminClass>

const TeacherIds = Type.Array(Id, { maxItems: 50, description: 'all of its teachers' })
export const NewClass = Type.Object(
  { name: ClassName, teacher_ids: Type.Optional(TeacherIds) },
  { $id: 'NewClass' },
)
export type NewClass = Static<typeof NewClass>
const classFields = { name: ClassName, archived: Type.Boolean(), teacher_ids: TeacherIds }
export const ClassChanges = Type.Object(
  {
    ...Type.Partial(Type.Object(classFields)).properties,
    replace: Type.Optional(
      Type.Boolean({
        description: 'true: students of the class who become its teachers are no longer its students',
      }),
    ),
    was: Was(classFields),
  },
  { $id: 'ClassChanges' },
)
export type ClassChanges = Static<typeof ClassChanges>

export const AdminClassesQuery = Type.Object({
  q: Type.Optional(Text(0, 200, { description: 'part of the name, in any case' })),
  archived: IncludeArchived,
  page: Page,
})
export type AdminClassesQuery = Static<typeof AdminClassesQuery>
export const AdminClassesAnswer = Type.Object(
  { success: Type.Literal(true), classes: Type.Array(AdminClass), ...paging },
  { $id: 'AdminClassesAnswer' },
)
export const AdminClassAnswer = Type.Object(
  { success: Type.Literal(true), class: AdminClass },
  { $id: 'AdminClassAnswer' },
)

// --- as their members see them

export const ClassMember = Type.Object(
  {
    ...Person.properties,
    role: ClassRole,
    joined_at: Type.Optional({ ...Timestamp, description: 'for teachers and administrators' }),
  },
  { $id: 'ClassMember' },
)
export type ClassMember = Static<typeof ClassMember>

export const InvitedAddress = Type.Object(
  { id: Id, email: Type.String(), full_name: Type.String(), role: ClassRole, invited_at: Timestamp },
  { $id: 'InvitedAddress' },
)
export type InvitedAddress = Static<typeof InvitedAddress>

/** A class as its members see it. */
export const ClassDetails = Type.Object(
  {
    id: Id,
    name: Type.String(),
    role: Nullable(ClassRole),
    students: Type.Integer({ description: 'how many it has' }),
    archived: Type.Boolean(),
    shows_members: Type.Boolean({ description: 'whether its students see each other' }),
    tutor_mode: TutorMode,
    conversation_id: Nullable(Id),
    teachers: Type.Array(Type.Object({ user_id: UserId, full_name: Type.String() })),
    // For teachers and administrators alone.
    weights: Type.Optional(Weights),
    counts: Type.Optional(Counts),
  },
  {
    $id: 'ClassDetails',
    description:
      '`role` is null for administrators who are no members; `weights` and `counts` are for teachers and administrators',
  },
)
export type ClassDetails = Static<typeof ClassDetails>

export const ClassQuery = Type.Object({ page: Page })
export const ClassAnswer = Type.Object(
  {
    success: Type.Literal(true),
    class: ClassDetails,
    members: Type.Array(ClassMember, {
      description: 'for students only if `shows_members`, else none of them',
    }),
    ...paging,
    // For teachers and administrators alone.
    join_code: Type.Optional(Nullable(Type.String())),
    code_ends_at: Type.Optional(Nullable(Timestamp)),
    exams: Type.Optional(
      Type.Array(Type.Object({ id: Id, name: Type.String() }), {
        description: 'the newest 500, newest first',
      }),
    ),
    invited: Type.Optional(Type.Array(InvitedAddress)),
    invited_total: Type.Optional(Type.Integer()),
  },
  {
    $id: 'ClassAnswer',
    description:
      '`join_code`, `code_ends_at`, `exams`, `invited` and `invited_total` are for teachers and administrators alone',
  },
)

export const ClassSettings = Type.Object(
  {
    shows_members: Type.Optional(Type.Boolean()),
    tutor_mode: Type.Optional(TutorMode),
    weights: Type.Optional(Weights),
    counts: Type.Optional(Counts),
  },
  { $id: 'ClassSettings' },
)
export type ClassSettings = Static<typeof ClassSettings>
export const ClassDetailsAnswer = Type.Object(
  { success: Type.Literal(true), class: ClassDetails },
  { $id: 'ClassDetailsAnswer' },
)

// --- news

const NewsText = Text(1, 4_000)

export const ClassNews = Type.Object(
  {
    id: Id,
    text: Type.String(),
    pinned: Type.Boolean(),
    author_name: Type.String(),
    created_at: Timestamp,
    edited_at: Nullable({ ...Timestamp, description: 'of its text; null: never' }),
  },
  { $id: 'ClassNews' },
)
export type ClassNews = Static<typeof ClassNews>

export const ClassNewsParams = Type.Object({ id: Id, news_id: Id })
export const ClassNewsQuery = Type.Object({
  before: Type.Optional({ ...Id, description: 'older ones than this; left out: the pinned ones first' }),
})
export const NewClassNews = Type.Object(
  { text: NewsText, pinned: Type.Optional(Type.Boolean()) },
  { $id: 'NewClassNews' },
)
export type NewClassNews = Static<typeof NewClassNews>
export const ClassNewsChanges = Type.Partial(Type.Object({ text: NewsText, pinned: Type.Boolean() }), {
  $id: 'ClassNewsChanges',
})
export type ClassNewsChanges = Static<typeof ClassNewsChanges>
export const ClassNewsAnswer = Type.Object(
  { success: Type.Literal(true), news: ClassNews },
  { $id: 'ClassNewsAnswer' },
)
export const ClassNewsListAnswer = Type.Object(
  { success: Type.Literal(true), news: Type.Array(ClassNews, { maxItems: 20 }) },
  { $id: 'ClassNewsListAnswer' },
)

/** Told to some students alone. */
export const ClassMessage = Type.Object(
  { text: Text(1, 1_000), user_ids: Type.Array(Id, { minItems: 1, maxItems: 1_000 }) },
  { $id: 'ClassMessage' },
)
export type ClassMessage = Static<typeof ClassMessage>

// --- what there is to do

export const AgendaState = Type.Enum(['soon', 'open', 'under_way', 'done', 'missed'], { $id: 'AgendaState' })
export type AgendaState = Static<typeof AgendaState>

/** An exam of a class as it holds for the asker. */
export const AgendaExam = Type.Object(
  {
    exam_id: Id,
    name: Type.String(),
    opens_at: Nullable(Timestamp),
    closes_at: Nullable(Timestamp),
    duration_minutes: Nullable(Type.Number({ description: 'with the extra time; null: untimed' })),
    state: Nullable(AgendaState),
    attempts_left: Nullable(Type.Integer({ description: 'null: uncapped, or one can’t take it' })),
    best_percentage: Nullable(
      Type.Number({ description: 'of the results that may be seen; null: there is none' }),
    ),
  },
  { $id: 'AgendaExam', description: '`state` is null for those who can’t take it' },
)
export type AgendaExam = Static<typeof AgendaExam>
export const AgendaAnswer = Type.Object(
  { success: Type.Literal(true), exams: Type.Array(AgendaExam) },
  { $id: 'AgendaAnswer' },
)

export const CodeBody = Type.Object(
  {
    ends_at: Type.Optional(Nullable({ ...GivenInstant, description: 'null: it has no end' })),
    was: Was({ code: Nullable(Text(0, 100)), ends_at: Nullable(GivenInstant) }),
  },
  { $id: 'CodeBody' },
)
export type CodeBody = Static<typeof CodeBody>
export const CodeAnswer = Type.Object(
  {
    success: Type.Literal(true),
    code: Nullable(Type.String({ description: '8 letters; null: nobody can join by one' })),
    ends_at: Nullable(Timestamp),
  },
  { $id: 'CodeAnswer' },
)

export const NewMembers = Type.Object(
  {
    user_ids: Type.Optional(
      Type.Array(Type.Integer({ minimum: -MAX_INT, maximum: MAX_INT }), {
        maxItems: 10_000,
        description: 'administrators only',
      }),
    ),
    emails: Type.Optional(Type.Array(Text(0, 320), { maxItems: 1_000 })),
  },
  { $id: 'NewMembers' },
)
export type NewMembers = Static<typeof NewMembers>

export const RosterForm = ImportForm('RosterForm')

export const MembersAdded = Type.Object(
  {
    success: Type.Literal(true),
    added: Type.Integer({ description: 'people who are members now; administrators only' }),
    invited: Type.Integer({ description: 'addresses that are invited' }),
    errors: Nullable(Type.Array(Type.String())),
  },
  { $id: 'MembersAdded' },
)
export type MembersAdded = Static<typeof MembersAdded>

export const ClassConversationAnswer = Type.Object(
  { success: Type.Literal(true), conv_id: Id },
  { $id: 'ClassConversationAnswer' },
)

/** Like that of administrators, for one class. */
export const ClassAnalyticsQuery = Type.Omit(AnalyticsQuery, ['class_id'])

export const ClassExamParams = Type.Object({ id: Id, exam_id: Id })
export type ClassExamParams = Static<typeof ClassExamParams>
export const ClassStudentParams = Type.Object({ id: Id, exam_id: Id, user_id: Id })
export type ClassStudentParams = Static<typeof ClassStudentParams>
export const ClassAttemptParams = Type.Object({ id: Id, attempt_id: Id })

// --- the gradebook

export const ExcusedParams = Type.Object({ id: Id, user_id: Id, exam_id: Id })
export const CommentParams = Type.Object({ id: Id, user_id: Id })
export const GradebookComment = Type.Object({ text: Text(0, 1_000) }, { $id: 'GradebookComment' })
