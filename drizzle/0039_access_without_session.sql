CREATE TABLE "access_failures" (
	"network" text PRIMARY KEY NOT NULL,
	"failures" integer NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
ALTER TABLE "access_requests" ADD COLUMN "signed_in" boolean DEFAULT true NOT NULL;--> statement-breakpoint
CREATE INDEX "access_failures_expires_at_idx" ON "access_failures" USING btree ("expires_at");