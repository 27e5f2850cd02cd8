-- A page's stack is read by slices: kept out of the row, and not compressed.
ALTER TABLE pages ALTER COLUMN stack SET STORAGE EXTERNAL;
--> statement-breakpoint
-- The files of assets that go, or get another file: by cascade from a page, a notebook or an account as well.
CREATE FUNCTION discard_asset_file() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO discarded_files (key) VALUES (OLD.file_key);
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER assets_discard_file AFTER DELETE ON assets
FOR EACH ROW EXECUTE FUNCTION discard_asset_file();
--> statement-breakpoint
CREATE TRIGGER assets_replace_file AFTER UPDATE OF file_key ON assets
FOR EACH ROW WHEN (OLD.file_key <> NEW.file_key) EXECUTE FUNCTION discard_asset_file();
