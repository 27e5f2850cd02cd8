-- Lets an index find text within text.
CREATE EXTENSION IF NOT EXISTS pg_trgm;
