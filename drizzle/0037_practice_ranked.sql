-- Decks before cards, as reviews lock them: the other way round, the two would wait for each other.
ALTER TABLE "practice_decks" ADD COLUMN "asked_basis" text;--> statement-breakpoint
CREATE INDEX "practice_cards_new_idx" ON "practice_cards" USING btree ("user_id","question_id") WHERE "practice_cards"."paper_id" is not null and "practice_cards"."due" is null;--> statement-breakpoint
-- All that ranks somebody's due cards is in the index itself: they lie scattered over the table.
CREATE INDEX practice_cards_ranked_idx ON practice_cards (user_id, due)
  INCLUDE (question_id, exam_id, last_review, stability, marks, guess) WHERE paper_id IS NOT NULL AND due IS NOT NULL;
