DROP INDEX "questions_newer_idx";--> statement-breakpoint
ALTER TABLE "regrades" ADD COLUMN "tolerance_is" text;--> statement-breakpoint
ALTER TABLE "questions" ADD COLUMN "tolerance_is" text;--> statement-breakpoint
ALTER TABLE "questions" ADD COLUMN "variables" jsonb DEFAULT '[]'::jsonb NOT NULL;--> statement-breakpoint
ALTER TABLE "questions" ADD COLUMN "conditions" jsonb DEFAULT '[]'::jsonb NOT NULL;--> statement-breakpoint
ALTER TABLE "questions" ADD COLUMN "kept_draw" jsonb;--> statement-breakpoint
CREATE INDEX "questions_newer_idx" ON "questions" USING btree ("exam_id") WHERE "questions"."question_type" not in ('MCQ', 'MSQ', 'NUMERIC') or "questions"."more_options" <> '[]' or "questions"."variables" <> '[]';--> statement-breakpoint
DROP TRIGGER questions_content_changed ON questions;--> statement-breakpoint
CREATE TRIGGER questions_content_changed BEFORE UPDATE ON questions FOR EACH ROW
WHEN ((OLD.question_text, OLD.option_a, OLD.option_b, OLD.option_c, OLD.option_d, OLD.more_options, OLD.question_type,
       OLD.correct_answer, OLD.tolerance, OLD.tolerance_is, OLD.parts, OLD.variables, OLD.conditions)
  IS DISTINCT FROM (NEW.question_text, NEW.option_a, NEW.option_b, NEW.option_c, NEW.option_d, NEW.more_options,
       NEW.question_type, NEW.correct_answer, NEW.tolerance, NEW.tolerance_is, NEW.parts, NEW.variables, NEW.conditions))
EXECUTE FUNCTION keep_explanation();--> statement-breakpoint
DROP TRIGGER questions_key_changed ON questions;--> statement-breakpoint
-- A key that is written in variables means something else with other ones.
CREATE TRIGGER questions_key_changed BEFORE UPDATE ON questions FOR EACH ROW
WHEN ((OLD.question_type, OLD.correct_answer, OLD.tolerance, OLD.tolerance_is, OLD.parts, OLD.variables, OLD.conditions)
  IS DISTINCT FROM (NEW.question_type, NEW.correct_answer, NEW.tolerance, NEW.tolerance_is, NEW.parts, NEW.variables,
       NEW.conditions))
EXECUTE FUNCTION count_key_change();
