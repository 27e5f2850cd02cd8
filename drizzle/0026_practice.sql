CREATE TABLE "practice_attempts" (
	"attempt_id" integer PRIMARY KEY NOT NULL
);
--> statement-breakpoint
CREATE TABLE "practice_cards" (
	"user_id" integer NOT NULL,
	"question_id" integer NOT NULL,
	"exam_id" integer NOT NULL,
	"paper_id" integer,
	"marks" double precision DEFAULT 0 NOT NULL,
	"guess" double precision DEFAULT 0 NOT NULL,
	"state" text NOT NULL,
	"due" timestamp (3) with time zone,
	"last_review" timestamp (3) with time zone,
	"stability" double precision NOT NULL,
	"difficulty" double precision NOT NULL,
	"learning_steps" integer NOT NULL,
	"reps" integer NOT NULL,
	"lapses" integer NOT NULL,
	"introduced_at" timestamp (3) with time zone,
	CONSTRAINT "practice_cards_user_id_question_id_pk" PRIMARY KEY("user_id","question_id"),
	CONSTRAINT "practice_cards_state_check" CHECK ("practice_cards"."state" in ('new', 'learning', 'review', 'relearning'))
);
--> statement-breakpoint
CREATE TABLE "practice_decks" (
	"user_id" integer NOT NULL,
	"exam_id" integer NOT NULL,
	"basis" text NOT NULL,
	CONSTRAINT "practice_decks_user_id_exam_id_pk" PRIMARY KEY("user_id","exam_id")
);
--> statement-breakpoint
CREATE TABLE "practice_learners" (
	"user_id" integer PRIMARY KEY NOT NULL,
	"seed" uuid DEFAULT gen_random_uuid() NOT NULL,
	"arrived_on" text DEFAULT '' NOT NULL,
	"arrived" integer DEFAULT 0 NOT NULL
);
--> statement-breakpoint
CREATE TABLE "practice_papers" (
	"paper_id" integer PRIMARY KEY NOT NULL
);
--> statement-breakpoint
CREATE TABLE "practice_reviews" (
	"user_id" integer NOT NULL,
	"client_id" uuid NOT NULL,
	"question_id" integer NOT NULL,
	"exam_id" integer NOT NULL,
	"paper_id" integer NOT NULL,
	"attempt_id" integer,
	"answered_at" timestamp (3) with time zone NOT NULL,
	"arrived_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"answer" jsonb,
	"outcome" text NOT NULL,
	"sure" boolean,
	"rating" integer NOT NULL,
	"took_ms" integer,
	"expected" double precision,
	"scheduler" text NOT NULL,
	"stored" jsonb,
	"undone_at" timestamp (3) with time zone,
	CONSTRAINT "practice_reviews_user_id_client_id_pk" PRIMARY KEY("user_id","client_id"),
	CONSTRAINT "practice_reviews_outcome_check" CHECK ("practice_reviews"."outcome" in ('right', 'partly', 'wrong')),
	CONSTRAINT "practice_reviews_rating_check" CHECK ("practice_reviews"."rating" between 1 and 3)
);
--> statement-breakpoint
CREATE TABLE "practice_settings" (
	"user_id" integer NOT NULL,
	"since" timestamp (3) with time zone NOT NULL,
	"new_per_day" integer NOT NULL,
	"retention" double precision NOT NULL,
	CONSTRAINT "practice_settings_user_id_since_pk" PRIMARY KEY("user_id","since")
);
--> statement-breakpoint
ALTER TABLE "exams" ADD COLUMN "results_visible_since" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "exams" ADD COLUMN "open_for_practice" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "practice_attempts" ADD CONSTRAINT "practice_attempts_attempt_id_attempts_id_fk" FOREIGN KEY ("attempt_id") REFERENCES "public"."attempts"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "practice_cards" ADD CONSTRAINT "practice_cards_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "practice_decks" ADD CONSTRAINT "practice_decks_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "practice_learners" ADD CONSTRAINT "practice_learners_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "practice_papers" ADD CONSTRAINT "practice_papers_paper_id_exam_papers_id_fk" FOREIGN KEY ("paper_id") REFERENCES "public"."exam_papers"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "practice_reviews" ADD CONSTRAINT "practice_reviews_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "practice_settings" ADD CONSTRAINT "practice_settings_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "practice_cards_exam_idx" ON "practice_cards" USING btree ("user_id","exam_id");--> statement-breakpoint
CREATE INDEX "practice_cards_due_idx" ON "practice_cards" USING btree ("user_id","due") WHERE "practice_cards"."paper_id" is not null;--> statement-breakpoint
CREATE INDEX "practice_reviews_card_idx" ON "practice_reviews" USING btree ("user_id","question_id","answered_at","client_id");--> statement-breakpoint
CREATE INDEX "practice_reviews_day_idx" ON "practice_reviews" USING btree ("user_id","answered_at") WHERE "practice_reviews"."attempt_id" is null and "practice_reviews"."undone_at" is null;
--> statement-breakpoint
-- Since when the results may be seen decides which corrections an answer in an exam counts with in practice.
CREATE FUNCTION keep_results_visible_since() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.results_visible_since := CASE
    WHEN NEW.result_mode <> 'instant' AND NOT NEW.results_released THEN NULL
    WHEN TG_OP = 'UPDATE' AND (OLD.result_mode = 'instant' OR OLD.results_released) THEN OLD.results_visible_since
    ELSE now()
  END;
  RETURN NEW;
END $$;
--> statement-breakpoint
CREATE TRIGGER exams_results_visible_since_kept BEFORE INSERT OR UPDATE OF result_mode, results_released ON exams
  FOR EACH ROW EXECUTE FUNCTION keep_results_visible_since();
