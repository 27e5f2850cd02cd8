CREATE TABLE "group_additions" (
	"user_id" integer PRIMARY KEY NOT NULL,
	"day" date NOT NULL,
	"count" integer NOT NULL
);
--> statement-breakpoint
ALTER TABLE "conversations" ADD COLUMN "creator_id" integer;--> statement-breakpoint
ALTER TABLE "group_additions" ADD CONSTRAINT "group_additions_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "conversations" ADD CONSTRAINT "conversations_creator_id_users_id_fk" FOREIGN KEY ("creator_id") REFERENCES "public"."users"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "conversations_creator_id_idx" ON "conversations" USING btree ("creator_id");