ALTER TABLE "earlier_resets" ADD COLUMN "email" text;--> statement-breakpoint
ALTER TABLE "password_resets" ADD COLUMN "email" text;