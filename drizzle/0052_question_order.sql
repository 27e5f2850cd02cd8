ALTER TABLE "questions" ADD COLUMN "image_alt" text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE "questions" ADD COLUMN "place_in_exam" integer DEFAULT 2147483647 NOT NULL;--> statement-breakpoint
CREATE INDEX "questions_order_idx" ON "questions" USING btree ("exam_id","place_in_exam","id");