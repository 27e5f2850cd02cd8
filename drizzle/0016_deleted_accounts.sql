CREATE TABLE "earlier_resets" (
	"token_hash" text PRIMARY KEY NOT NULL,
	"user_id" integer NOT NULL,
	"requested_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
ALTER TABLE "users" ADD COLUMN "deleted_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "earlier_resets" ADD CONSTRAINT "earlier_resets_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "earlier_resets_user_id_idx" ON "earlier_resets" USING btree ("user_id","requested_at");--> statement-breakpoint
CREATE INDEX "messages_reply_to_id_idx" ON "messages" USING btree ("reply_to_id") WHERE "messages"."reply_to_id" is not null;--> statement-breakpoint
CREATE INDEX "users_deleted_at_idx" ON "users" USING btree ("deleted_at") WHERE "users"."deleted_at" is not null;--> statement-breakpoint
CREATE INDEX "reports_message_id_idx" ON "reports" USING btree ("message_id");--> statement-breakpoint
CREATE INDEX "reports_comment_id_idx" ON "reports" USING btree ("comment_id");
--> statement-breakpoint
-- Somebody who deleted their account is no longer among those counted: from then on, not from when the row goes.
CREATE OR REPLACE FUNCTION count_people() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO counts (what, amount)
  SELECT 'role:' || role, CASE TG_OP WHEN 'INSERT' THEN count(*) ELSE -count(*) END
    FROM changed WHERE id <> -1 AND deleted_at IS NULL GROUP BY role;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE FUNCTION uncount_deleted() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO counts (what, amount) VALUES ('role:' || NEW.role, -1);
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER users_deleted_uncounted AFTER UPDATE ON users FOR EACH ROW
WHEN (OLD.deleted_at IS NULL AND NEW.deleted_at IS NOT NULL) EXECUTE FUNCTION uncount_deleted();
