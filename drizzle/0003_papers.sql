-- A sync rewrites its attempt's row in place: half of each page is room for the next version (HOT updates).
ALTER TABLE attempts SET (fillfactor = 50);
--> statement-breakpoint
-- What a dashboard reads is in the index itself: over all exams, or one of them, newest first.
CREATE INDEX attempts_submitted_at_idx ON attempts (submitted_at DESC)
  INCLUDE (exam_id, user_id, score, max_score, percentage) WHERE submitted_at IS NOT NULL;
--> statement-breakpoint
CREATE INDEX attempts_exam_id_submitted_at_idx ON attempts (exam_id, submitted_at DESC)
  INCLUDE (user_id, score, max_score, percentage);
--> statement-breakpoint
-- Whoever writes questions, and however (a form, a bulk statement, COPY): their exams' next attempt gets a new
-- paper. Exams are locked in the order of their ids, so that two writers of several exams can't block each other.
CREATE FUNCTION count_paper_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM FROM exams WHERE id IN (SELECT exam_id FROM changed) ORDER BY id FOR NO KEY UPDATE;
  UPDATE exams SET paper_version = paper_version + 1 WHERE id IN (SELECT exam_id FROM changed);
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER questions_inserted AFTER INSERT ON questions
  REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_paper_change();
--> statement-breakpoint
CREATE TRIGGER questions_deleted AFTER DELETE ON questions
  REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_paper_change();
--> statement-breakpoint
-- Two for an update: a question may move from one exam to another.
CREATE TRIGGER questions_updated AFTER UPDATE ON questions
  REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_paper_change();
--> statement-breakpoint
CREATE TRIGGER questions_moved AFTER UPDATE ON questions
  REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_paper_change();
