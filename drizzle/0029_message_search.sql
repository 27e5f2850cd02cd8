CREATE TABLE "message_words" (
	"conversation_id" integer NOT NULL,
	"message_id" integer NOT NULL,
	"words" "tsvector" NOT NULL,
	CONSTRAINT "message_words_conversation_id_message_id_pk" PRIMARY KEY("conversation_id","message_id")
);
--> statement-breakpoint
CREATE TABLE "search_marks" (
	"conversation_id" integer PRIMARY KEY NOT NULL,
	"version" integer NOT NULL
);
--> statement-breakpoint
ALTER TABLE "message_words" ADD CONSTRAINT "message_words_conversation_id_conversations_id_fk" FOREIGN KEY ("conversation_id") REFERENCES "public"."conversations"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "search_marks" ADD CONSTRAINT "search_marks_conversation_id_conversations_id_fk" FOREIGN KEY ("conversation_id") REFERENCES "public"."conversations"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "message_words_words_idx" ON "message_words" USING gin ("words");