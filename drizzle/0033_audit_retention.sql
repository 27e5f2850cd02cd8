-- Rows are only ever added. Two changes there are: an account goes, and with it where it was used from; and entries of
-- more than 30 days ago are deleted by a transaction that says so.
CREATE OR REPLACE FUNCTION keep_audit_entry() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'DELETE' AND current_setting('exam_practice.audit_retention', true) = 'on' THEN
    IF OLD.at < now() - interval '30 days' THEN
      RETURN OLD;
    END IF;
  END IF;
  IF TG_OP = 'UPDATE' AND NEW.actor_id = -1 THEN
    NEW.ip := NULL;
    NEW.former_actor_id := CASE WHEN OLD.actor_id <> -1 THEN OLD.actor_id ELSE OLD.former_actor_id END;
    IF NEW IS NOT DISTINCT FROM jsonb_populate_record(
      OLD, jsonb_build_object('actor_id', -1, 'ip', NULL, 'former_actor_id', NEW.former_actor_id)) THEN
      RETURN NEW;
    END IF;
  END IF;
  RAISE EXCEPTION 'the audit log is append-only' USING ERRCODE = 'integrity_constraint_violation';
END $$;
