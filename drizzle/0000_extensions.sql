-- Let an index find text within text, and within one person's rows. Trusted: the database's owner may add them.
CREATE EXTENSION IF NOT EXISTS pg_trgm;
--> statement-breakpoint
CREATE EXTENSION IF NOT EXISTS btree_gin;
