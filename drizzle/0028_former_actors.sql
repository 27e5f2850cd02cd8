ALTER TABLE "audit_entries" ADD COLUMN "former_actor_id" integer;--> statement-breakpoint
-- Rows are only ever added. The one change there is: an account goes, and with it where it was used from; its number stays.
CREATE OR REPLACE FUNCTION keep_audit_entry() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
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
--> statement-breakpoint
-- Whoever came by the provider without a name was given the address as one, which everybody could read.
UPDATE users SET full_name = username WHERE google_subject IS NOT NULL AND lower(full_name) = lower(email);
