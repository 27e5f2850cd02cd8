-- How often results changed: it only ever grows, so equal sums mean equal results, and what was worked out from them still holds.
CREATE FUNCTION count_result_changes() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO counts (what, amount) VALUES ('result_changes', 1);
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER results_changed AFTER UPDATE OF user_id, exam_id, submitted_at, percentage ON attempts
  FOR EACH STATEMENT EXECUTE FUNCTION count_result_changes();
--> statement-breakpoint
CREATE TRIGGER pass_mark_changed AFTER UPDATE OF pass_percentage ON exams
  FOR EACH STATEMENT EXECUTE FUNCTION count_result_changes();
--> statement-breakpoint
-- As before, and a change where results came or went.
CREATE OR REPLACE FUNCTION count_attempts() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  direction integer := CASE TG_OP WHEN 'INSERT' THEN 1 ELSE -1 END;
BEGIN
  INSERT INTO counts (what, exam_id, used, amount)
  SELECT 'attempted', exam_id, step.used, sum(step.amount)
    FROM (SELECT user_id, exam_id, count(*)::integer * direction AS added FROM changed GROUP BY user_id, exam_id) pair
    CROSS JOIN LATERAL (SELECT count(*)::integer AS now FROM attempts
                         WHERE user_id = pair.user_id AND exam_id = pair.exam_id) used
    CROSS JOIN LATERAL (VALUES (now, 1), (now - added, -1)) step (used, amount)
   WHERE step.used > 0 GROUP BY exam_id, step.used HAVING sum(step.amount) <> 0;
  INSERT INTO counts (what, amount)
  SELECT total.what, total.amount
    FROM (SELECT count(*) AS results, sum(correct + incorrect) AS responses
            FROM changed WHERE submitted_at IS NOT NULL) result
    CROSS JOIN LATERAL (VALUES ('results', results * direction), ('responses', responses * direction),
                               ('result_changes', results)) total (what, amount)
   WHERE total.amount <> 0;
  RETURN NULL;
END $$;
