-- Lets an index find text within text (users_search_idx).
CREATE EXTENSION IF NOT EXISTS pg_trgm;
