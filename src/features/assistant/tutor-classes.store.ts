import { sql } from 'drizzle-orm'
import type { TutorMode } from '../../../schemas/classes.schemas.ts'
import type { Executor } from '../../db/database-client.ts'
import { only, query } from '../../db/query.ts'

export interface ClassQuestion {
  userId: number
  /** undefined: it begins one. */
  conversationId: number | undefined
  /** undefined: that of the exam; null: none. */
  classId: number | null | undefined
  /** The exam of the question that it is about. */
  examId: number | undefined
}

/** Which class a question to the tutor is asked in, and how it is answered. */
export interface ClassDecision {
  /** `another_class`: not that of the conversation. */
  refusal: 'not_found' | 'another_class' | null
  classId: number | null
  mode: TutorMode
}

/**
 * The class whose materials a conversation leans on, as long as its person is in it, and the mode in which they are
 * answered: the strictest of their classes of the exam, else that of the class, else the strictest of all of theirs.
 */
export async function decideClass(db: Executor, question: ClassQuestion): Promise<ClassDecision> {
  const { userId, conversationId, classId, examId } = question
  const asked = classId ?? null
  const begins = conversationId === undefined
  return only(
    await query<ClassDecision>(
      db,
      { refusal: 'text', classId: 'integer', mode: 'text' },
      sql`
      with own as materialized (
        select class.id, class.archived, class.tutor_mode = 'guide' as guides,
               exists (select from exam_classes taken
                        where taken.class_id = class.id and taken.exam_id = ${examId ?? null}::int) as examines
          from class_members member join classes class on class.id = member.class_id
         where member.user_id = ${userId}::int and member.left_at is null
      ), chosen as materialized (
        select case when not ${begins}::boolean then (
                 select class_id from assistant_conversations
                  where id = ${conversationId ?? null}::int and user_id = ${userId}::int)
               when ${classId !== undefined}::boolean then ${asked}::int
               else (select min(id) from own where examines having count(*) = 1) end as id
      )
      select case when ${asked}::int is null then null
                  when not ${begins}::boolean then
                    case when ${asked}::int is distinct from chosen.id then 'another_class' end
                  when held.id is null then 'not_found' end as refusal,
             held.id as "classId",
             case when coalesce(
               (select bool_or(guides) from own where examines), held.guides,
               (select bool_or(guides) from own where not archived)) then 'guide' else 'explain' end as mode
        from chosen left join own held on held.id = chosen.id`,
    ),
  )
}
