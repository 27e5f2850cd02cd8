-- Nodes of 1.0.0 run beside this version while it is installed. They store papers and attempts in a second form where
-- the version before theirs couldn't serve an exam, and ask is_newer and is_published whether it could. Told that it
-- can serve every exam, they store all in the one form that there is now.
DROP TRIGGER exams_publication_kept ON exams;
--> statement-breakpoint
DROP FUNCTION keep_publication();
--> statement-breakpoint
ALTER TABLE exams ALTER COLUMN is_published SET DEFAULT true;
--> statement-breakpoint
UPDATE exams SET is_published = true, is_newer = false WHERE is_newer OR NOT is_published;
--> statement-breakpoint
UPDATE exam_papers SET questions = newer_questions, newer_questions = NULL WHERE newer_questions IS NOT NULL;
--> statement-breakpoint
UPDATE attempts SET status = 'active' WHERE status = 'running';
--> statement-breakpoint
ALTER TABLE attempts DROP CONSTRAINT attempts_status_check;
--> statement-breakpoint
ALTER TABLE attempts ADD CONSTRAINT attempts_status_check CHECK (status in ('active', 'submitted', 'expired', 'manual')) NOT VALID;
--> statement-breakpoint
-- 1.0.0 reads by another index.
DROP INDEX practice_cards_due_idx;
