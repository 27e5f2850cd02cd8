ALTER TABLE "reports" ADD COLUMN "context" jsonb;--> statement-breakpoint
CREATE INDEX "reports_kept_idx" ON "reports" USING btree ("resolved_at") WHERE "reports"."context" is not null;--> statement-breakpoint
-- A block works both ways: who has blocked somebody can't write to them either.
UPDATE conversation_members SET can_send = false
  FROM connections, blocks
 WHERE can_send AND connections.conversation_id = conversation_members.conversation_id
   AND conversation_members.user_id = blocks.blocker_id
   AND least(connections.requester_id, connections.recipient_id) = least(blocks.blocker_id, blocks.blocked_id)
   AND greatest(connections.requester_id, connections.recipient_id) = greatest(blocks.blocker_id, blocks.blocked_id);
