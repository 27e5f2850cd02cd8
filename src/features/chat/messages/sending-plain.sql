with input as (
  select * from unnest($1::int[], $2::int[], $3::text[], $4::uuid[], $5::int[])
    with ordinality as t(conversation_id, sender_id, message, client_id, reply_to_id, ord)
), permitted as materialized (
  select input.*
    from input
    join conversation_members member
      on member.conversation_id = input.conversation_id and member.user_id = input.sender_id and member.can_send
   where not :sender_is_locked
), locked as materialized (
  select id, last_seq, version, last_activity_at from conversations
   where id = any(array(select conversation_id from permitted)) order by id for no key update skip locked
), allowed as materialized (
  select permitted.*, sender.full_name as sender_name, locked.last_seq, locked.version, locked.last_activity_at
    from permitted
    join locked on locked.id = permitted.conversation_id
    join conversation_members member
      on member.conversation_id = permitted.conversation_id and member.user_id = permitted.sender_id and member.can_send
    join users sender on sender.id = permitted.sender_id
     for no key update of member skip locked
     for key share of sender skip locked
), answerable as (
  select allowed.*, origin.message as origin_text, origin.sender_id as origin_sender_id,
         row_number() over (partition by allowed.conversation_id order by allowed.ord)::int as n
    from allowed left join messages origin
      on origin.id = allowed.reply_to_id and origin.conversation_id = allowed.conversation_id
   where (allowed.reply_to_id is null or origin.id is not null)
), numbered as (
  select answerable.conversation_id, sender_id, message, client_id, reply_to_id, ord, sender_name,
         left(origin_text, 100) as reply_to_text,
         author.full_name as reply_to_name,
         last_seq + n as seq, version + n as version,
         greatest(date_trunc('milliseconds', statement_timestamp()), last_activity_at + interval '1 ms')
           + (n - 1) * interval '1 ms' as created_at
    from answerable left join users author on author.id = origin_sender_id
), counted as (
  update conversations c set last_seq = newest.seq, version = newest.version, last_activity_at = newest.created_at
    from (select conversation_id, max(seq) as seq, max(version) as version, max(created_at) as created_at
            from numbered group by conversation_id) newest
   where c.id = newest.conversation_id
), inserted as (
  insert into messages (conversation_id, seq, version, sender_id, client_id, message,
                        reply_to_id, reply_to_text, reply_to_name, created_at)
  select conversation_id, seq, version, sender_id, client_id, message,
         reply_to_id, reply_to_text, reply_to_name, created_at from numbered order by ord
  returning id, conversation_id, seq
), pointed as (
  update conversation_members member set last_read_seq = own.seq
    from (select conversation_id, sender_id, max(seq) as seq from numbered group by conversation_id, sender_id) own
   where member.conversation_id = own.conversation_id and member.user_id = own.sender_id
)
select ord::int, false as "isHeld", inserted.id, numbered.seq, version, sender_name as "senderName",
       reply_to_text as "replyToText", reply_to_name as "replyToName",
       (extract(epoch from created_at) * 1000)::float8 as "createdAt"
  from numbered join inserted using (conversation_id, seq)
union all
select ord::int, true, null, null, null, null, null, null, null
  from permitted where ord not in (select ord from allowed)
