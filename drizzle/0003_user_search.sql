-- Finds people by any part of their names (contract §6, user search).
CREATE EXTENSION IF NOT EXISTS pg_trgm;
--> statement-breakpoint
CREATE INDEX users_names_trgm_idx ON users USING gin (username gin_trgm_ops, full_name gin_trgm_ops);
