ALTER TABLE "users" ADD COLUMN "email_contested" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "users" ADD COLUMN "unclaimed" boolean DEFAULT false NOT NULL;--> statement-breakpoint
-- Nobody has ever been able to sign in to these, so administrators made them.
UPDATE "users" SET "unclaimed" = true
 WHERE "id" > 0 AND "password_hash" IS NULL AND "google_subject" IS NULL AND NOT "email_verified" AND "deleted_at" IS NULL
   AND NOT EXISTS (SELECT FROM "identities" WHERE "user_id" = "users"."id")
   AND NOT EXISTS (SELECT FROM "sessions" WHERE "user_id" = "users"."id");
