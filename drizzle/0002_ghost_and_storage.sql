-- The account that stands for deleted people. '!' is in no username that can be registered.
INSERT INTO users (id, username, email, full_name, role)
VALUES (-1, 'Deleted Account', '!', 'Deleted Account', 'user');
--> statement-breakpoint
-- Rows that change with every message keep room on their page for the next version (HOT updates).
ALTER TABLE conversations SET (fillfactor = 50);
--> statement-breakpoint
ALTER TABLE conversation_members SET (fillfactor = 70);
