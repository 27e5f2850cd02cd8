CREATE TABLE "past_explanations" (
	"question_id" integer NOT NULL,
	"version" integer NOT NULL,
	"exam_id" integer NOT NULL,
	"explanation" text NOT NULL,
	CONSTRAINT "past_explanations_question_id_version_pk" PRIMARY KEY("question_id","version")
);
--> statement-breakpoint
ALTER TABLE "attempts" DROP CONSTRAINT "attempts_status_check";--> statement-breakpoint
ALTER TABLE "questions" DROP CONSTRAINT "questions_question_type_check";--> statement-breakpoint
DROP INDEX "attempts_active_key";--> statement-breakpoint
DROP INDEX "attempts_overdue_idx";--> statement-breakpoint
DROP INDEX "attempts_under_way_idx";--> statement-breakpoint
ALTER TABLE "attempts" ADD COLUMN "seed" uuid;--> statement-breakpoint
ALTER TABLE "attempts" ADD COLUMN "shuffle" text;--> statement-breakpoint
ALTER TABLE "attempts" ADD COLUMN "drawn" integer[];--> statement-breakpoint
ALTER TABLE "exam_papers" ADD COLUMN "newer_questions" jsonb;--> statement-breakpoint
ALTER TABLE "regrades" ADD COLUMN "parts" jsonb;--> statement-breakpoint
ALTER TABLE "exams" ADD COLUMN "published" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "exams" ADD COLUMN "has_newer_kinds" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "exams" ADD COLUMN "is_newer" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "exams" ADD COLUMN "shuffle" text DEFAULT 'none' NOT NULL;--> statement-breakpoint
ALTER TABLE "exams" ADD COLUMN "draw" jsonb;--> statement-breakpoint
ALTER TABLE "questions" ADD COLUMN "more_options" jsonb DEFAULT '[]'::jsonb NOT NULL;--> statement-breakpoint
ALTER TABLE "questions" ADD COLUMN "parts" jsonb;--> statement-breakpoint
ALTER TABLE "questions" ADD COLUMN "explanation" text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE "questions" ADD COLUMN "content_version" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "questions" ADD COLUMN "tags" jsonb DEFAULT '[]'::jsonb NOT NULL;--> statement-breakpoint
ALTER TABLE "questions" ADD COLUMN "tag_keys" jsonb DEFAULT '[]'::jsonb NOT NULL;--> statement-breakpoint
ALTER TABLE "past_explanations" ADD CONSTRAINT "past_explanations_exam_id_exams_id_fk" FOREIGN KEY ("exam_id") REFERENCES "public"."exams"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "past_explanations_exam_id_idx" ON "past_explanations" USING btree ("exam_id");--> statement-breakpoint
CREATE INDEX "questions_tag_keys_idx" ON "questions" USING gin ("tag_keys");--> statement-breakpoint
CREATE INDEX "questions_newer_idx" ON "questions" USING btree ("exam_id") WHERE "questions"."question_type" not in ('MCQ', 'MSQ', 'NUMERIC') or "questions"."more_options" <> '[]';--> statement-breakpoint
CREATE UNIQUE INDEX "attempts_active_key" ON "attempts" USING btree ("user_id","exam_id") WHERE "attempts"."status" in ('active', 'running');--> statement-breakpoint
CREATE INDEX "attempts_overdue_idx" ON "attempts" USING btree ("ends_at") WHERE "attempts"."status" in ('active', 'running');--> statement-breakpoint
CREATE INDEX "attempts_under_way_idx" ON "attempts" USING btree ("exam_id") WHERE "attempts"."status" in ('active', 'running');--> statement-breakpoint
ALTER TABLE "attempts" ADD CONSTRAINT "attempts_status_check" CHECK ("attempts"."status" in ('active', 'running', 'submitted', 'expired', 'manual'));--> statement-breakpoint
ALTER TABLE "exams" ADD CONSTRAINT "exams_shuffle_check" CHECK ("exams"."shuffle" in ('none', 'questions', 'options', 'both'));--> statement-breakpoint
ALTER TABLE "questions" ADD CONSTRAINT "questions_question_type_check" CHECK ("questions"."question_type" in ('MCQ', 'MSQ', 'NUMERIC', 'SHORT', 'MATCHING', 'ORDERING', 'GAPS'));
--> statement-breakpoint
UPDATE exams SET published = is_published;
--> statement-breakpoint
-- The previous version reads and writes is_published, and must not see exams that it can't serve. What it writes counts.
CREATE FUNCTION keep_publication() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.is_newer := NEW.has_newer_kinds OR NEW.draw IS NOT NULL;
  IF TG_OP = 'INSERT' THEN
    NEW.published := NEW.published OR NEW.is_published;
  ELSE
    IF NEW.published = OLD.published AND NEW.is_published <> OLD.is_published THEN
      NEW.published := NEW.is_published;
    END IF;
    -- A paper is stored in another form where the previous version must not read it.
    IF (NEW.draw IS NULL) <> (OLD.draw IS NULL) AND NEW.paper_version = OLD.paper_version THEN
      NEW.paper_version := NEW.paper_version + 1;
    END IF;
  END IF;
  NEW.is_published := NEW.published AND NOT NEW.is_newer;
  RETURN NEW;
END $$;
--> statement-breakpoint
CREATE TRIGGER exams_publication_kept BEFORE INSERT OR UPDATE ON exams
  FOR EACH ROW EXECUTE FUNCTION keep_publication();
--> statement-breakpoint
CREATE OR REPLACE FUNCTION count_paper_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM FROM exams WHERE id IN (SELECT exam_id FROM changed) ORDER BY id FOR NO KEY UPDATE;
  UPDATE exams e
     SET paper_version = paper_version + 1,
         has_newer_kinds = EXISTS (
           SELECT FROM questions q
            WHERE q.exam_id = e.id
              AND (q.question_type NOT IN ('MCQ', 'MSQ', 'NUMERIC') OR q.more_options <> '[]'))
   WHERE e.id IN (SELECT exam_id FROM changed);
  RETURN NULL;
END $$;
--> statement-breakpoint
-- Papers show the last explanation that fitted them, also after an edit of the question and its end.
CREATE FUNCTION keep_explanation() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF OLD.explanation <> '' THEN
    INSERT INTO past_explanations (question_id, version, exam_id, explanation)
    SELECT OLD.id, OLD.content_version, OLD.exam_id, OLD.explanation
     WHERE EXISTS (SELECT FROM exams WHERE id = OLD.exam_id);
  END IF;
  IF TG_OP = 'DELETE' THEN
    RETURN NULL;
  END IF;
  NEW.content_version := OLD.content_version + 1;
  RETURN NEW;
END $$;
--> statement-breakpoint
CREATE TRIGGER questions_content_changed BEFORE UPDATE ON questions FOR EACH ROW
WHEN ((OLD.question_text, OLD.option_a, OLD.option_b, OLD.option_c, OLD.option_d, OLD.more_options, OLD.question_type,
       OLD.correct_answer, OLD.tolerance, OLD.parts)
  IS DISTINCT FROM (NEW.question_text, NEW.option_a, NEW.option_b, NEW.option_c, NEW.option_d, NEW.more_options,
       NEW.question_type, NEW.correct_answer, NEW.tolerance, NEW.parts))
EXECUTE FUNCTION keep_explanation();
--> statement-breakpoint
CREATE TRIGGER questions_explanation_kept AFTER DELETE ON questions FOR EACH ROW
WHEN (OLD.explanation <> '') EXECUTE FUNCTION keep_explanation();
--> statement-breakpoint
DROP TRIGGER questions_key_changed ON questions;
--> statement-breakpoint
CREATE TRIGGER questions_key_changed BEFORE UPDATE ON questions FOR EACH ROW
WHEN ((OLD.question_type, OLD.correct_answer, OLD.tolerance, OLD.parts)
  IS DISTINCT FROM (NEW.question_type, NEW.correct_answer, NEW.tolerance, NEW.parts))
EXECUTE FUNCTION count_key_change();
