ALTER TABLE "attempts" ADD COLUMN "is_away" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "attempts" ADD COLUMN "last_saved_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "exams" ADD COLUMN "watch_page" boolean DEFAULT false NOT NULL;