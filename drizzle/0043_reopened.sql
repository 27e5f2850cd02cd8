ALTER TABLE "extensions" ADD COLUMN "reopened" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "attempts" ADD COLUMN "session_id" integer;--> statement-breakpoint
ALTER TABLE "attempts" ADD COLUMN "is_elsewhere" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "attempts" ADD COLUMN "closed_ms" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "exams" ADD COLUMN "results_seen_until" timestamp (3) with time zone;
--> statement-breakpoint
-- As before, and which results had been seen when they were hidden again: such an attempt isn't opened again.
CREATE OR REPLACE FUNCTION keep_results_visible_since() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  is_visible boolean := NEW.result_mode = 'instant' OR NEW.results_released;
  was_visible boolean := TG_OP = 'UPDATE' AND (OLD.result_mode = 'instant' OR OLD.results_released);
BEGIN
  NEW.results_visible_since := CASE
    WHEN NOT is_visible THEN NULL
    WHEN was_visible THEN OLD.results_visible_since
    ELSE now()
  END;
  IF was_visible AND NOT is_visible THEN
    NEW.results_seen_until := (SELECT max(submitted_at) FROM attempts WHERE exam_id = NEW.id);
  END IF;
  RETURN NEW;
END $$;
