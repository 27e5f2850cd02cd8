CREATE TABLE "class_comments" (
	"class_id" integer NOT NULL,
	"user_id" integer NOT NULL,
	"text" text NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "class_comments_class_id_user_id_pk" PRIMARY KEY("class_id","user_id")
);
--> statement-breakpoint
CREATE TABLE "class_excused" (
	"class_id" integer NOT NULL,
	"user_id" integer NOT NULL,
	"exam_id" integer NOT NULL,
	CONSTRAINT "class_excused_class_id_user_id_exam_id_pk" PRIMARY KEY("class_id","user_id","exam_id")
);
--> statement-breakpoint
ALTER TABLE "class_members" ADD COLUMN "email" text;--> statement-breakpoint
ALTER TABLE "classes" ADD COLUMN "weights" jsonb DEFAULT '{}'::jsonb NOT NULL;--> statement-breakpoint
ALTER TABLE "classes" ADD COLUMN "counts" text DEFAULT 'best' NOT NULL;--> statement-breakpoint
ALTER TABLE "class_comments" ADD CONSTRAINT "class_comments_class_id_classes_id_fk" FOREIGN KEY ("class_id") REFERENCES "public"."classes"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "class_comments" ADD CONSTRAINT "class_comments_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "class_excused" ADD CONSTRAINT "class_excused_class_id_classes_id_fk" FOREIGN KEY ("class_id") REFERENCES "public"."classes"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "class_excused" ADD CONSTRAINT "class_excused_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "class_excused" ADD CONSTRAINT "class_excused_exam_id_exams_id_fk" FOREIGN KEY ("exam_id") REFERENCES "public"."exams"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "class_comments_user_id_idx" ON "class_comments" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "class_excused_user_id_idx" ON "class_excused" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "class_excused_exam_id_idx" ON "class_excused" USING btree ("exam_id");