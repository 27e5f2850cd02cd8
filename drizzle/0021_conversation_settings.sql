ALTER TABLE "conversation_members" ADD COLUMN "muted_until" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "conversation_members" ADD COLUMN "archived_seq" integer;--> statement-breakpoint
ALTER TABLE "conversation_members" ADD COLUMN "pinned" boolean DEFAULT false NOT NULL;--> statement-breakpoint
CREATE INDEX "conversation_members_muted_until_idx" ON "conversation_members" USING btree ("muted_until") WHERE "conversation_members"."muted_until" is not null;