ALTER TABLE "generation_files" ADD COLUMN "number" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "generation_files" DROP CONSTRAINT "generation_files_pkey";--> statement-breakpoint
ALTER TABLE "generation_files" ADD CONSTRAINT "generation_files_job_id_number_pk" PRIMARY KEY("job_id","number");
