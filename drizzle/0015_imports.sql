CREATE TABLE "imports" (
	"key" uuid PRIMARY KEY NOT NULL,
	"answer" jsonb,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
