ALTER TABLE "pages" ADD COLUMN "tombstones" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
UPDATE "pages" SET "tombstones" = "gone"."count"
  FROM (SELECT "page_id", count(*)::int AS "count" FROM "page_objects" WHERE "data" IS NULL GROUP BY "page_id") AS "gone"
 WHERE "pages"."id" = "gone"."page_id";
