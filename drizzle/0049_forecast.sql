ALTER TABLE "practice_cards" ADD COLUMN "timezone" text;--> statement-breakpoint
ALTER TABLE "practice_cards" ADD COLUMN "first_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "practice_cards" ADD COLUMN "is_first_right" boolean;--> statement-breakpoint
ALTER TABLE "practice_cards" ADD COLUMN "last_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "practice_cards" ADD COLUMN "last_outcome" text;--> statement-breakpoint
ALTER TABLE "practice_cards" ADD COLUMN "last_share" double precision;--> statement-breakpoint
ALTER TABLE "practice_cards" ADD COLUMN "is_last_shown" boolean;--> statement-breakpoint
ALTER TABLE "practice_reviews" ADD COLUMN "share" double precision;--> statement-breakpoint
-- What a person knows is told from the last answer too, so it is in the index that ranks their due cards.
DROP INDEX practice_cards_ranked_idx;
--> statement-breakpoint
CREATE INDEX practice_cards_ranked_idx ON practice_cards (user_id, due)
  INCLUDE (question_id, exam_id, last_outcome, is_last_shown, last_review, stability, marks, guess)
  WHERE paper_id IS NOT NULL AND due IS NOT NULL;
