import { type SQL, sql } from 'drizzle-orm'
import type { TutorSource } from '../../../schemas/assistant.schemas.ts'
import { assistantMessages } from '../../db/tables/assistant.tables.ts'

/** The class of a conversation, unless its person has left it; `name` names its row. */
export function presentClassOf(name: SQL): SQL<number | null> {
  return sql`(
    select member.class_id from class_members member
     where member.class_id = ${name}.class_id and member.user_id = ${name}.user_id and member.left_at is null)`
}

/** The sources of the message in this row; materials that are gone are null in them. */
export const PRESENT_SOURCES: SQL<TutorSource[] | null> = sql`(
  select jsonb_agg(case when exists (
           select from materials where id = (source ->> 'material_id')::int and class_id is not null)
         then source else source || '{"material_id": null}' end order by place)
    from jsonb_array_elements(${assistantMessages.sources}) with ordinality listed(source, place))`
