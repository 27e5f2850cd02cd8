-- Trigrams for searching in text, also within one person's rows. Both are trusted: a database's owner may add them.
CREATE EXTENSION IF NOT EXISTS pg_trgm;
--> statement-breakpoint
CREATE EXTENSION IF NOT EXISTS btree_gin;
