// Printed from the documents of a running service: npm run generate -w client

/** What a refusal says; some codes add fields of their own. */
export interface Failure<Code extends string = string> {
  code: Code
  message: string
  status?: 'error'
  success?: false
  errors?: { path: string; message: string }[]
  /** Seconds. */
  retry_after?: number
  [field: string]: unknown
}

export type AccessRequestAnswer = { success: true; message: string; request_id: number }

export type AccessRequestBody = { username: string; email: string; current_access: Role; requested_access: Role; user_reason: string }

export type AccessRequestCounts = { success: true; pending: number; completed: number; denied: number; total: number }

export type AccessRequestsAnswer = { success: true; requests: ({ request_id: number; username: string; email: string; current_access: Role; requested_access: Role; request_date: string; status: 'pending' | 'completed' | 'denied'; /** `[USER REQUEST] …`, after a denial a second line `[ADMIN] …` */ reason: string; /** made in a session of the account; else by somebody who knew its name and address */ signed_in: boolean; /** a username; empty while pending */ processed_by: string; processed_date: string | null })[]; total: number; page: number; per_page: number; total_pages: number }

export type Accommodation = { user_id: number; username: string; full_name: string; extra_time_percent: number; opens_at: string | null; closes_at: string | null }

export type AccommodationAnswer = { success: true; accommodation: Accommodation }

export type AccommodationBody = { extra_time_percent?: number | null; opens_at?: string | null; closes_at?: string | null; /** true: make the change even if it ends attempts under way */ confirm?: boolean; /** as they were seen: 409 `changed` with the `stored` values where they differ */ was?: { extra_time_percent?: number | null; opens_at?: string | null; closes_at?: string | null } }

export type AccommodationsAnswer = { success: true; accommodations: Accommodation[] }

export type Account = { id: number; username: string; full_name: string; email: string; role: Role; available_portals: Portal[]; /** false: signs in by a provider alone */ has_password: boolean; /** ISO 8601 without zone, in APP_TIMEZONE */ created_at: string }

export type AccountAnswer = { success: true; user: Account }

export type AccountsImported = { success: true; created: number; /** `Row n: why` */ errors: string[]; dry_run: boolean }

export type ActiveAttemptsAnswer = { success: true; attempts: ({ attempt_id: number; attempt_number: number; exam_id: number; exam_name: string; started_at: string; ends_at: string | null })[] }

export type AdminChallenge = { id: number; attempt_id: number; exam_id: number; question_id: number; message: string; status: ChallengeStatus; reply: string | null; created_at: string; resolved_at: string | null; username: string; question_text: string }

export type AdminChallengesAnswer = { success: true; challenges: AdminChallenge[]; total: number; page: number; per_page: number; total_pages: number }

export type AdminClass = { id: number; name: string; archived: boolean; students: number; teachers: { user_id: number; username: string; full_name: string }[]; created_at: string }

export type AdminClassAnswer = { success: true; class: AdminClass }

export type AdminClassesAnswer = { success: true; classes: AdminClass[]; total: number; page: number; per_page: number; total_pages: number }

export type AdminExam = { id: number; name: string; description: string; category_id: number | null; duration_minutes: number | null; max_attempts: number | null; result_mode: 'instant' | 'on_release'; is_published: boolean; /** while it is published, everybody who may see it can practise its questions, keys included */ open_for_practice: boolean; pass_percentage: number; msq_scoring: 'all_or_nothing' | 'partial'; opens_at: string | null; closes_at: string | null; /** during an attempt, its student cannot use tutor, practice, chat, discussions or classes */ lock_help: boolean; /** whether those who watch it see who doesn’t have the paper in view; the paper says so */ watch_page: boolean; /** what is put into a different order in each attempt; those that have begun keep theirs */ shuffle: 'none' | 'questions' | 'options' | 'both'; /** the classes that it is for; none: it is for everybody */ class_ids: number[]; draw: { tag: string; count: number }[] | null; results_released: boolean; /** what an attempt gets */ question_count: number; /** all of its questions */ pool_count: number; created_at: string; updated_at: string }

export type AdminExamAnswer = { success: true; exam: AdminExam }

export type AdminExamsAnswer = { success: true; exams: AdminExam[]; total: number; page: number; per_page: number; total_pages: number }

export type AdminReviewAnswer = { success: true; attempt_id: number; exam_id: number; exam_name: string; attempt_number: number; /** `YYYY-MM-DD HH:MM:SS` in APP_TIMEZONE */ start_time: string; /** `start_time` in UTC */ started_at: string; submitted_at: string | null; score: number | null; max_score: number | null; percentage: number | null; passed: boolean | null; status: 'active' | 'submitted' | 'expired'; submitted_by: 'student' | 'teacher' | 'time' | null; user_id: number; username: string; full_name: string; ends_at: string | null; result_mode: 'instant' | 'on_release'; /** questions with a saved answer */ answered: number; question_count: number; /** whether keys, and marks that reveal them, are shown */ shows_keys: boolean; keys_open_at: string | null; result: Score | null; review: StaffReviewedQuestion[] | null; /** what its student was told during it, oldest first */ messages: { text: string; at: string; author_name: string }[] }

export type AdminUsersAnswer = { success: true; users: User[]; total: number; page: number; per_page: number; total_pages: number }

export type AgendaAnswer = { success: true; exams: AgendaExam[] }

export type AgendaExam = { exam_id: number; name: string; opens_at: string | null; closes_at: string | null; duration_minutes: number | null; state: AgendaState | null; attempts_left: number | null; best_percentage: number | null }

export type AgendaState = 'soon' | 'open' | 'under_way' | 'done' | 'missed'

export type AiUsage = { success: true; budget: number | null; /** tokens of all AI parts since midnight */ spent_today: number; /** newest first, without days on which nothing was used */ days: AiUsageDay[] }

export type AiUsageDay = { /** in the service’s time zone */ date: string; tutor: { questions: number; /** without those that were cached */ input: number; cached: number; output: number }; /** of the jobs that were started on that day */ generation: { jobs: number; questions: number; /** without those that were cached */ input: number; cached: number; output: number }; /** of the same jobs */ checks: { agreed: number; disputed: number; unchecked: number; /** without those that were cached */ input: number; cached: number; output: number } }

export type Allowance = { student_id: number; username: string; exam_id: number; exam_name: string; max_attempts: string; attempts_used: number; remaining: number | '∞'; status: 'unlimited' | 'available' | 'exhausted' }

export type AllowancesAnswer = { success: true; rows: Allowance[]; total: number; page: number; per_page: number; total_pages: number }

export type ApproveBody = { approved_access: Role }

export type Asset = { id: number; /** signed and time-limited */ url: string; content_type: string; /** bytes */ size: number; width: number; height: number }

export type AssetAnswer = { success: true; asset: Asset }

export type AssetForm = { /** png, jpg, jpeg, gif or webp */ image: Blob }

export type AssetsAnswer = { success: true; assets: Asset[] }

export type Attachment = { id: number; name: string; /** what the bytes say, whatever the name */ type: string; /** bytes */ size: number; width: number | null; height: number | null; /** signed and time-limited */ url: string; thumbnail_url: string | null }

export type AttachmentAnswer = { success: true; attachment: Attachment }

export type AttachmentForm = { /** 1 byte to 25 MiB */ file: Blob }

export type Attempt = { attempt_id: number; exam_id: number; exam_name: string; attempt_number: number; /** `YYYY-MM-DD HH:MM:SS` in APP_TIMEZONE */ start_time: string; /** `start_time` in UTC */ started_at: string; submitted_at: string; score: number | null; max_score: number | null; percentage: number | null; passed: boolean | null; status: 'submitted' | 'expired'; /** who ended it: its student, a teacher who handed it in for them, or the end of its time */ submitted_by: 'student' | 'teacher' | 'time' }

export type AttemptsAnswer = { success: true; attempts: Attempt[]; total: number; page: number; per_page: number; total_pages: number }

export type AuditAnswer = { success: true; entries: AuditEntry[]; total: number; page: number; per_page: number; total_pages: number }

export type AuditEntry = { id: number; at: string; actor_id: number | null; actor: string | null; action: string; subject_type: string; subject_id: number | string | null; subject_name: string | null; class_id: number | null; summary: string; ip: string | null }

export type BestAnswerAnswer = { success: true; is_best_answer: boolean }

export type BestAnswerBody = { is_best_answer?: boolean }

export type BlocksAnswer = { success: true; users: { id: number; username: string; full_name: string }[] }

export type BulkAddBody = { exam_id: number; questions: OfferedQuestion[] }

export type BulkAdded = { success: true; added: number; errors: string[] | null }

export type BulkDeleteBody = { ids: number[] }

export type BulkDeleted = { success: true; deleted: number }

export type BulkMarked = { success: true; updated: number }

export type BulkMarksBody = { exam_id: number; /** in any case */ question_type: string; positive_marks?: number; negative_marks?: number; tolerance?: number }

export type BulkModified = { success: true; processed: number; errors: string[] | null }

export type BulkModifyBody = { items: { student_id: number; exam_id: number }[]; action: 'reset' | 'increase' | 'decrease'; /** default 1 */ amount?: number }

export type BulkRoleAnswer = { success: true; message: string; errors: string[] | null }

export type BulkRoleBody = { updates: unknown[] }

export type CanvasObject = { /** made by the client */ id: string; [field: string]: unknown }

export type CategoriesAnswer = { success: true; categories: Category[] }

export type Category = { id: number; name: string; drive_file_id: string | null; image_url: string | null }

export type CategoryAnswer = { success: true; category: Category }

export type CategoryForm = { name?: string; /** png, jpg, jpeg, gif or webp */ image?: Blob }

export type Challenge = { id: number; attempt_id: number; exam_id: number; question_id: number; message: string; status: ChallengeStatus; reply: string | null; created_at: string; resolved_at: string | null }

export type ChallengeAnswer = { success: true; challenge: Challenge }

export type ChallengeStatus = 'open' | 'accepted' | 'rejected'

export type ChallengesAnswer = { success: true; challenges: Challenge[] }

export type ChangeAccountBody = { full_name?: string; email?: string; /** needed to change the e-mail address or the password, where there is one */ current_password?: string; /** 8 to 128 characters, taken as typed */ new_password?: string }

export type ChangesAnswer = { success: true; messages: Message[]; version: number; has_more: boolean }

export type ChangesMean = { success: true; published: boolean; /** finished ones */ attempts: number; under_way: number }

export type ChatUser = { id: number; username: string; full_name: string; /** false unless they share a connection or conversation */ online: boolean; connection_status: 'pending' | 'accepted' | 'rejected' | null; conn_id: number | null }

export type ClassAccommodation = { class_id: number; extra_time_percent: number; opens_at: string | null; closes_at: string | null }

export type ClassAccommodationAnswer = { success: true; accommodation: ClassAccommodation }

export type ClassAccommodationsAnswer = { success: true; accommodations: Accommodation[]; class_accommodation: ClassAccommodation | null }

export type ClassAnswer = { success: true; /** `role` is null for administrators who are no members; `weights` and `counts` are for teachers and administrators */ class: ClassDetails; /** for students only if `shows_members`, else none of them */ members: ClassMember[]; total: number; page: number; per_page: number; total_pages: number; join_code?: string | null; code_ends_at?: string | null; /** the newest 500, newest first */ exams?: { id: number; name: string }[]; invited?: InvitedAddress[]; invited_total?: number }

export type ClassChanges = { name?: string; archived?: boolean; /** all of its teachers */ teacher_ids?: number[]; /** true: students of the class who become its teachers are no longer its students */ replace?: boolean; /** as they were seen: 409 `changed` with the `stored` values where they differ */ was?: { name?: string; archived?: boolean; /** all of its teachers */ teacher_ids?: number[] } }

export type ClassConversationAnswer = { success: true; conv_id: number }

export type ClassDashboardAnswer = { success: true; summary: { avgScore: number | null; totalAttempts: number; passRate: number | null; activeUsers: number; /** in percentage points */ scoreChange: number; /** in percent */ attemptsChange: number; /** in percentage points */ passRateChange: number; /** in percent */ usersChange: number }; charts: { /** 90 and above, 75 to 89, 60 to 74, below 60 */ scoreDistribution: number[]; examPerformance: { labels: string[]; data: (number | null)[] }; performanceTrends: { labels: string[]; data: (number | null)[] }; userActivity: { labels: string[]; data: number[] } }; tables: { topPerformers: { student_id: string; username: string; full_name: string; avgScore: number; attempts: number }[]; recentActivity: ({ created_at: string; username: string; full_name: string; exam_name: string; score: number | null; max_score: number | null; percentage: number | null })[]; examStats: ({ name: string; attempts: number; avgScore: number | null; passRate: number | null })[] }; /** exams whose keys are not shown: their attempts are counted, their marks are in no figure */ unmarked: ({ id: number; name: string; /** whether keys, and marks that reveal them, are shown */ shows_keys: boolean; keys_open_at: string | null })[] }

export type ClassDetails = { id: number; name: string; role: ClassRole | null; /** how many it has */ students: number; archived: boolean; /** whether its students see each other */ shows_members: boolean; /** `guide`: the tutor asks back and gives one hint at a time */ tutor_mode: TutorMode; conversation_id: number | null; teachers: { user_id: number; full_name: string }[]; /** what each exam counts in the gradebook, in per cent with two decimals, by its id */ weights?: { [key: string]: number }; /** which attempt counts there */ counts?: 'best' | 'latest' | 'first' }

export type ClassDetailsAnswer = { success: true; /** `role` is null for administrators who are no members; `weights` and `counts` are for teachers and administrators */ class: ClassDetails }

export type ClassInvitation = { id: number; name: string; role: ClassRole; invited_at: string }

export type ClassMember = { user_id: number; username: string; full_name: string; role: ClassRole; /** for teachers and administrators */ joined_at?: string }

export type ClassMessage = { text: string; user_ids: number[] }

export type ClassNews = { id: number; text: string; pinned: boolean; author_name: string; created_at: string; edited_at: string | null }

export type ClassNewsAnswer = { success: true; news: ClassNews }

export type ClassNewsChanges = { text?: string; pinned?: boolean }

export type ClassNewsListAnswer = { success: true; news: ClassNews[] }

export type ClassRole = 'student' | 'teacher'

export type ClassSettings = { shows_members?: boolean; /** `guide`: the tutor asks back and gives one hint at a time */ tutor_mode?: TutorMode; /** what each exam counts in the gradebook, in per cent with two decimals, by its id */ weights?: { [key: string]: number }; /** which attempt counts there */ counts?: 'best' | 'latest' | 'first' }

export type ClassesAnswer = { success: true; classes: OwnClass[]; invitations: ClassInvitation[] }

export type CodeAnswer = { success: true; code: string | null; ends_at: string | null }

export type CodeBody = { ends_at?: string | null; /** as they were seen: 409 `changed` with the `stored` values where they differ */ was?: { code?: string | null; ends_at?: string | null } }

export type Comment = { id: number; question_id: number; parent_id: number | null; user_id: number; /** `Deleted Account` where the author has gone */ username: string; /** empty for a deleted comment */ message: string; is_own: boolean; is_edited: boolean; /** kept for the replies below it */ is_deleted: boolean; is_pinned: boolean; is_best_answer: boolean; created_at: string; replies: Comment[] }

export type CommentAnswer = { success: true; comment: Comment }

export type ConfirmResetBody = { /** from the mail */ token: string; /** 8 to 128 characters, taken as typed */ new_password: string }

export type ConnectAccepted = { success: true; conn_id: number; status: 'accepted'; conv_id: number }

export type ConnectBody = { recipient_id: number }

export type ConnectPending = { success: true; conn_id: number; status: 'pending' }

export type ConnectionRequest = { conn_id: number; from_id: number; from_name: string; created_at: string }

export type Conversation = { id: number; name: string; is_group: boolean; unread: number; online: boolean; last_message: LastMessage | null; user_id: number | null; conn_id: number | null; member_count: number; last_seq: number; last_read_seq: number; version: number; /** false when the connection has ended, and for both while one has blocked the other */ can_send: boolean; /** the reader's own */ settings: ConversationSettings; /** messages that mention the reader, above the read pointer */ unread_mentions: number }

export type ConversationAnswer = { success: true; conversation: ConversationDetail }

export type ConversationDetail = { id: number; name: string; is_group: boolean; unread: number; online: boolean; last_message: LastMessage | null; user_id: number | null; conn_id: number | null; member_count: number; last_seq: number; last_read_seq: number; version: number; /** false when the connection has ended, and for both while one has blocked the other */ can_send: boolean; /** the reader's own */ settings: ConversationSettings; /** messages that mention the reader, above the read pointer */ unread_mentions: number; /** longest-standing first */ members: Member[] }

export type ConversationSettings = { muted_until: string | null; archived: boolean; pinned: boolean }

export type ConversationsAnswer = { success: true; conversations: Conversation[] }

export type CopyQuestionsBody = { /** in the order in which the copies are made */ ids: number[]; /** where the copies go */ exam_id: number }

export type CountsAnswer = { success: true; /** by question id; every asked one is present */ counts: { [key: string]: number } }

export type CountsBody = { question_ids: number[] }

export type DashboardAnswer = { success: true; summary: { avgScore: number | null; totalAttempts: number; passRate: number | null; activeUsers: number; /** in percentage points */ scoreChange: number; /** in percent */ attemptsChange: number; /** in percentage points */ passRateChange: number; /** in percent */ usersChange: number }; charts: { /** 90 and above, 75 to 89, 60 to 74, below 60 */ scoreDistribution: number[]; examPerformance: { labels: string[]; data: (number | null)[] }; performanceTrends: { labels: string[]; data: (number | null)[] }; userActivity: { labels: string[]; data: number[] } }; tables: { topPerformers: { student_id: string; username: string; full_name: string; avgScore: number; attempts: number }[]; recentActivity: ({ created_at: string; username: string; full_name: string; exam_name: string; score: number | null; max_score: number | null; percentage: number | null })[]; examStats: ({ name: string; attempts: number; avgScore: number | null; passRate: number | null })[] } }

export type DecisionBody = { action: 'dismiss' | 'delete'; note?: string }

export type DeleteAccountBody = { /** exactly `DELETE` */ confirm?: unknown; /** of an administrator who has one */ current_password?: string }

export type DeleteManagedBody = { /** exactly `DELETE` */ confirm?: unknown; /** the administrator's own, where there is one */ current_password?: string }

export type DenyBody = { reason: string }

export type DiscussionAnswer = { success: true; /** comments and replies; deleted ones do not count */ count: number; /** pinned first, then the best answer, then oldest first */ comments: Comment[] }

export type EligibilityAnswer = { success: true; user: { username: string; current_access: Role }; available_requests: Requestable[]; has_pending_request: boolean; can_request: boolean }

export type EligibilityBody = { username: string; email: string }

export type EndAnswer = { success: true; /** it is over */ closed: boolean; ends_at: string | null; server_time: string }

export type EndBody = { attempt_id: number }

export type Exam = { id: number; name: string; description: string; category_id: number | null; duration_minutes: number | null; max_attempts: number | null; result_mode: 'instant' | 'on_release'; results_released: boolean; is_published: boolean; /** its questions can be practised */ open_for_practice: boolean; pass_percentage: number; msq_scoring: 'all_or_nothing' | 'partial'; opens_at: string | null; closes_at: string | null; /** during an attempt, you cannot use tutor, practice, chat, discussions or classes */ lock_help: boolean; /** added to the duration; absent where 0 */ extra_time_percent?: number; question_count: number }

export type ExamAnswer = { success: true; exam: ExamStanding }

export type ExamChanges = { name?: string; description?: string; category_id?: number | null; duration_minutes?: number | null; max_attempts?: number | null; result_mode?: 'instant' | 'on_release'; is_published?: boolean; /** while it is published, everybody who may see it can practise its questions, keys included */ open_for_practice?: boolean; pass_percentage?: number; msq_scoring?: 'all_or_nothing' | 'partial'; opens_at?: string | null; closes_at?: string | null; /** during an attempt, its student cannot use tutor, practice, chat, discussions or classes */ lock_help?: boolean; /** whether those who watch it see who doesn’t have the paper in view; the paper says so */ watch_page?: boolean; /** what is put into a different order in each attempt; those that have begun keep theirs */ shuffle?: 'none' | 'questions' | 'options' | 'both'; /** the classes that it is for; none: it is for everybody */ class_ids?: number[]; draw?: { tag: string; count: number }[] | null; /** true: make the change even if it ends attempts under way */ confirm?: boolean; /** as they were seen: 409 `changed` with the `stored` values where they differ */ was?: { name?: string; description?: string; category_id?: number | null; duration_minutes?: number | null; max_attempts?: number | null; result_mode?: 'instant' | 'on_release'; is_published?: boolean; /** while it is published, everybody who may see it can practise its questions, keys included */ open_for_practice?: boolean; pass_percentage?: number; msq_scoring?: 'all_or_nothing' | 'partial'; opens_at?: string | null; closes_at?: string | null; /** during an attempt, its student cannot use tutor, practice, chat, discussions or classes */ lock_help?: boolean; /** whether those who watch it see who doesn’t have the paper in view; the paper says so */ watch_page?: boolean; /** what is put into a different order in each attempt; those that have begun keep theirs */ shuffle?: 'none' | 'questions' | 'options' | 'both'; /** the classes that it is for; none: it is for everybody */ class_ids?: number[]; draw?: { tag: string; count: number }[] | null } }

export type ExamMessage = { text: string; at: string }

export type ExamMessageBody = { text: string; /** left out: everybody whose attempt is under way */ user_ids?: number[] }

export type ExamResultsAnswer = { success: true; exam: { id: number; name: string; /** whether keys, and marks that reveal them, are shown */ shows_keys: boolean; keys_open_at: string | null }; results: StudentResult[]; total: number; page: number; per_page: number; total_pages: number }

export type ExamStanding = { id: number; name: string; description: string; category_id: number | null; duration_minutes: number | null; max_attempts: number | null; result_mode: 'instant' | 'on_release'; results_released: boolean; is_published: boolean; /** its questions can be practised */ open_for_practice: boolean; pass_percentage: number; msq_scoring: 'all_or_nothing' | 'partial'; opens_at: string | null; closes_at: string | null; /** during an attempt, you cannot use tutor, practice, chat, discussions or classes */ lock_help: boolean; /** added to the duration; absent where 0 */ extra_time_percent?: number; question_count: number; attempts_used: number; attempts_remaining: number | null }

export type ExamsAnswer = { success: true; exams: Exam[]; total: number; page: number; per_page: number; total_pages: number }

export type ExchangeForm = { file: Blob; /** true: answer as usual, but change nothing */ dry_run?: boolean }

export type Exchanged = { success: true; message: string; format: ImportFormat; /** in a dry run, how many would be */ inserted: number; skipped: number; errors: string[] | null; details: string[] | null }

export type ExportFormat = 'csv' | 'gift' | 'moodle_xml' | 'qti' | 'qti3'

export type ExtendAnswer = { success: true; /** how many attempts under way got the minutes */ extended: number; /** how many attempts that were over were opened again */ reopened: number }

export type ExtendBody = { minutes: number; user_ids?: number[] | null; key?: string | null }

export type ForecastAnswer = { success: true; exam_id: number; at: string; expected: number; /** of simulated students’ scores 64 % were between it and `high` */ low: number; /** as `low` */ high: number; max_score: number; expected_percentage: number | null; pass_percentage: number; pass_chance: number | null; /** how much there is to go by: none without any answer to a question of the exam */ confidence: 'none' | 'low' | 'fair' | 'good'; /** questions that can be asked, by their last answer in practice, else the first in an exam; unseen: never answered */ answered: { right: number; wrong: number; unseen: number }; /** questions with a card */ covered: number; questions: number; /** what right answers to as many questions as you practise in ten minutes would add */ ten_minutes: { questions: number; marks: number }; by_tag: ({ tag: string; questions: number; covered: number; expected_percentage: number | null })[] }

export type FoundClass = { name: string; /** their full names */ teachers: string[]; /** how many it has */ students: number }

export type FoundClassAnswer = { success: true; class: FoundClass }

export type FoundMessage = { id: number; seq: number; version: number; sender_id: number; sender_name: string; /** empty for a deleted message */ message: string; created_at: string; is_own: boolean; client_id: string | null; is_edited: boolean; is_deleted: boolean; reply_to_id: number | null; reply_to_text: string | null; reply_to_name: string | null; /** in the order of their first use */ reactions: Reaction[]; attachments: Attachment[]; mentions: number[]; conversation_id: number; conversation_name: string; /** where the words are in the text: start and length in code points, the first 100 */ matches: number[][] }

export type FurtherTutorConversations = { success: true; conversations: TutorConversation[]; hasMore: boolean; nextCursor: string | null }

export type GenerateAnswer = { success: true; job_id: string }

export type GenerateForm = { mode: 'extract' | 'mine' | 'pure'; exam_id: number; difficulty?: 'Easy' | 'Medium' | 'Hard'; mcq_count?: number; msq_count?: number; numeric_count?: number; mcq_plus?: number; mcq_minus?: number; msq_plus?: number; msq_minus?: number; numeric_plus?: number; numeric_tolerance?: number; custom_instructions?: string; /** a JSON array of question texts */ excluded_texts?: string; /** required for `pure` */ topic?: string; /** whether the model answers each question itself */ check?: boolean; /** at most 30 MiB and 100 pages; required for `extract` and `mine` */ pdf_file?: Blob }

export type GeneratedType = 'MCQ' | 'MSQ' | 'NUMERIC'

export type GoogleAnswer = { status: 'success'; data: { access_token: string; token_type: 'Bearer'; /** seconds */ expires_in: number; refresh_token: string; available_portals: Portal[]; user: { id: number; username: string; full_name: string; role: Role }; is_new_user: boolean } }

export type GoogleBody = { /** from the identity provider's SDK */ id_token: string; /** the one that the app gave to the SDK; the token has to contain it */ nonce?: string; /** after `account_exists`: of the account that has the address, which is linked then */ password?: string; /** after `account_exists`: that account is somebody else’s, and a new one is made */ anew?: boolean }

export type GradebookAnswer = { success: true; exams: ({ id: number; name: string; /** whether keys, and marks that reveal them, are shown */ shows_keys: boolean; keys_open_at: string | null; average: number | null; marked: number | null; passed: number | null })[]; students: ({ user_id: number; username: string; full_name: string; /** not in the class any more */ left?: true; total: number | null; /** exams that don’t count for them */ excused: number[]; /** of the class’s teachers */ comment: string; /** of exams that they have attempts at */ results: ({ exam_id: number; percentage: number | null; passed: boolean | null; /** that counts; where marks are not shown, the latest */ attempt_id: number; attempts: number; /** of these, the ones that are over */ finished: number })[] })[]; total: number; page: number; per_page: number; total_pages: number }

export type GradebookComment = { text: string }

export type GroupAnswer = { success: true; conversation: ConversationDetail; conv_id: number }

export type HandInBody = { user_ids: number[]; /** also for people who aren’t connected: answers on their devices are lost */ confirm?: boolean }

export type ImagesAnswer = { success: true; uploaded: number; failed: { filename: string; error: string }[] }

export type ImagesForm = { /** a plain folder name */ subject_folder_id: string; images: Blob[] }

export type ImportAccountsForm = { file: Blob; /** true: answer as usual, but change nothing */ dry_run?: boolean }

export type ImportForm = { csv_file: Blob }

export type ImportFormat = 'csv' | 'gift' | 'aiken' | 'moodle_xml' | 'qti'

export type Imported = { success: true; message: string; inserted: number; skipped: number; errors: string[] | null; details: string[] | null }

export type InteractionAnswer = { success: true; kind: 'like' | 'bookmark'; active: boolean; count: number }

export type InteractionBody = { kind: 'like' | 'bookmark'; /** sets; without it the interaction toggles */ active?: boolean }

export type InvitedAddress = { id: number; email: string; full_name: string; role: ClassRole; invited_at: string }

export type Item = { question_id: number; question_type: QuestionType; question_text: string; /** attempts that have this question */ administered: number; /** of those, the ones without an answer to it */ omitted: number; facility: number | null; discrimination: number | null; /** A to D, and others that are shown, for choices; for NUMERIC the five commonest wrong values; none for other types */ options: ({ option: string; chosen: number; /** chosen ÷ administered */ share: number; mean_rest_score: number | null })[]; /** the ten commonest, of SHORT, GAPS and FORMULA */ wrong_texts: { gap?: number; /** normalised */ text: string; count: number }[]; /** of each prompt of MATCHING, and each item of ORDERING */ shares: { text: string; /** how many had it right ÷ administered */ share: number }[]; /** fewer than 20 attempts have it, so nothing is flagged */ too_few: boolean; flags: ('negative_discrimination' | 'too_easy' | 'too_hard' | 'distractor_beats_key')[] }

export type ItemsAnswer = { success: true; /** whether keys, and marks that reveal them, are shown */ shows_keys: boolean; keys_open_at: string | null; exam: { attempts: number; mean: number | null; median: number | null; standard_deviation: number | null; alpha: number | null; standard_error: number | null }; items: Item[] }

export type JobList = { success: true; jobs: ({ job_id: string; status: 'running' | 'done' | 'failed'; message: string; last_event: string; total_batches: number; completed_batches: number; questions_so_far: number; percent: number; error: string | null; exam_id: number; mode: 'extract' | 'mine' | 'pure'; created_at: string; finished_at: string | null })[]; total: number; page: number; per_page: number; total_pages: number }

export type JobQuestion = { id: null; exam_id: number; /** may contain LaTeX */ question_text: string; option_a: string; option_b: string; option_c: string; option_d: string; /** options E, F, … */ more_options: string[]; /** MCQ `B`, MSQ `A,C`, NUMERIC a decimal string, SHORT the accepted texts, one a line, FORMULA an expression; empty where `parts` hold the key, or for none: everybody gets 0 until there is one */ correct_answer: string; parts: { /** 2 to 20; equal matches are one choice */ pairs: { prompt: string; match: string }[]; /** up to 10 choices that match no prompt */ distractors: string[] } | { /** 2 to 20, in the right order */ items: string[] } | { /** 1 to 20, for `[[1]]` … of the text */ gaps: ({ kind: 'text'; /** 1 to 50 texts; `%50%text` brings 50 percent */ accepted: string[] } | { kind: 'choice'; /** 2 to 20 */ choices: string[]; /** the index of the right one, from 0 */ correct: number } | { kind: 'number'; /** a number or its decimal text */ key: number | string; /** a number or its decimal text */ tolerance: number | string })[] } | { /** 1 to 10; without a range from −3, or from 0.1 where the key has no value below 0, to 3 */ symbols: ({ /** a letter, then up to 15 letters, digits and underscores */ name: string; /** a number or its decimal text */ from?: number | string; /** a number or its decimal text */ to?: number | string })[]; /** functions that an answer may use; all where it is left out */ also?: string[] } | null; question_type: GeneratedType; image_path: string | null; /** what the image shows, up to 500 characters */ image_alt: string; positive_marks: number; negative_marks: number; tolerance: number; /** why the right answer is right, for those who may see it; may contain LaTeX */ explanation: string; tags: string[]; check: QuestionCheck; source: QuestionSource | null }

export type JobStatus = { success: true; job_id: string; status: 'running' | 'done' | 'failed'; message: string; last_event: string; total_batches: number; completed_batches: number; questions_so_far: number; percent: number; error: string | null; questions: JobQuestion[]; /** tokens so far; those of checks are apart */ usage: JobUsage }

export type JobUsage = { /** without those that were cached */ input: number; cached: number; output: number; checks: { /** without those that were cached */ input: number; cached: number; output: number } }

export type JoinBody = { /** the class's code, in any case and however it is grouped (`bcdf-ghjk`), or the one of a mailed link */ code: string }

export type JudgedReview = { client_id: string; outcome: 'right' | 'partly' | 'wrong'; /** the right answer in the form of an answer */ correct: string | string[]; /** empty for a question with `parts` */ correct_answer: string; explanation: string; /** 1 Again, 2 Hard, 3 Good */ rating: number; card: PracticeCard }

export type LastMessage = { message: string; created_at: string; /** how many files it has */ attachments: number }

export type LibraryAnswer = { success: true; notebooks: LibraryNotebook[]; total: number; page: number; per_page: number; total_pages: number }

export type LibraryNotebook = { id: number; title: string; description: string; /** username */ author: string; page_count: number; likes: number; bookmarks: number; liked: boolean; bookmarked: boolean; created_at: string; updated_at: string }

export type LibraryNotebookAnswer = { success: true; notebook: { id: number; title: string; description: string; /** username */ author: string; page_count: number; likes: number; bookmarks: number; liked: boolean; bookmarked: boolean; created_at: string; updated_at: string; pages: NotePage[] } }

export type LiveDoneAnswer = { success: true; /** for how many attempts it was done */ done: number; /** of the people in `user_ids` for whom it wasn’t */ errors: ({ user_id: number; /** why it wasn’t done for this person */ code: 'already_submitted' | 'no_active_attempt' | 'no_end' | 'not_found' | 'too_many' })[] }

export type LiveExtendAnswer = { success: true; /** for how many attempts it was done */ done: number; /** of the people in `user_ids` for whom it wasn’t */ errors: ({ user_id: number; /** why it wasn’t done for this person */ code: 'already_submitted' | 'no_active_attempt' | 'no_end' | 'not_found' | 'too_many' })[]; /** those of them that were over, and are under way again */ reopened: number }

export type LiveExtendBody = { minutes: number; /** left out: everybody whose attempt is under way */ user_ids?: number[] }

export type LiveRoomAnswer = { success: true; at: string; exam: { id: number; name: string; opens_at: string | null; closes_at: string | null; /** what an attempt gets */ questions: number }; /** who began comes first, each by username */ students: LiveStudent[]; /** there are more students than 2,000 */ truncated: boolean }

export type LiveStudent = { user_id: number; username: string; full_name: string; state: 'absent' | 'under_way' | 'handed_in' | 'expired'; attempt_id: number | null; /** questions with a saved answer */ answered: number; /** what the attempt has, or one would get */ questions: number; /** marked for review */ marked: number; started_at: string | null; ends_at: string | null; last_saved_at: string | null; /** has a socket, and did something within the last minute */ connected: boolean; away: boolean | null }

export type LoginAnswer = { status: 'success'; data: { access_token: string; token_type: 'Bearer'; /** seconds */ expires_in: number; refresh_token: string; available_portals: Portal[]; user: { id: number; username: string; full_name: string; role: Role } } }

export type LoginBody = { /** username or e-mail address */ username: string; password: string }

export type LogoutBody = { refresh_token: string }

export type ManagedAccount = { id: number; username: string; email: string; full_name: string; role: Role; suspended_at: string | null }

export type ManagedAccountAnswer = { success: true; user: ManagedAccount }

export type ManagedAccountChanges = { suspended?: boolean; full_name?: string }

export type Material = { id: number; title: string; type: 'pdf' | 'markdown' | 'text'; /** bytes */ size: number; pages: number | null; unreadable_pages: number | null; status: 'reading' | 'ready' | 'failed'; error: string | null; /** for one to two hours */ url: string; created_at: string }

export type MaterialAnswer = { success: true; material: Material }

export type MaterialChanges = { title: string }

export type MaterialForm = { file: Blob; title?: string }

export type MaterialsAnswer = { success: true; materials: Material[] }

export type MeAnswer = { status: 'success'; data: Account }

export type Member = { id: number; username: string; full_name: string; online: boolean; /** a group's owner: its longest-standing member */ is_owner: boolean; last_read_seq: number }

export type MembersAdded = { success: true; /** people who are members now; administrators only */ added: number; /** addresses that are invited */ invited: number; errors: string[] | null }

export type MembersBody = { /** accepted connections */ member_ids: number[] }

export type Message = { id: number; seq: number; version: number; sender_id: number; sender_name: string; /** empty for a deleted message */ message: string; created_at: string; is_own: boolean; client_id: string | null; is_edited: boolean; is_deleted: boolean; reply_to_id: number | null; reply_to_text: string | null; reply_to_name: string | null; /** in the order of their first use */ reactions: Reaction[]; attachments: Attachment[]; mentions: number[] }

export type MessageAnswer = { success: true; message: Message }

export type MessageEdit = { /** empty only with attachments */ message: string; /** left out: as they are */ mentions?: number[] }

export type MessagesAnswer = { success: true; messages: Message[]; has_more: boolean; /** with `around`: whether newer ones follow */ has_newer?: boolean }

export type ModifyBody = { student_id: number; exam_id: number; action: 'reset' | 'increase' | 'decrease'; /** default 1 */ amount?: number }

export type NewAccountBody = { username: string; email: string; full_name?: string; role?: Role; /** without one, its owner is mailed a link to choose it */ password?: string }

export type NewCategoryForm = { name: string; /** png, jpg, jpeg, gif or webp */ image?: Blob }

export type NewChallenge = { question_id: number; message: string }

export type NewClass = { name: string; /** all of its teachers */ teacher_ids?: number[] }

export type NewClassNews = { text: string; pinned?: boolean }

export type NewComment = { message: string; exam_id?: number | null; parent_id?: number | null }

export type NewExam = { name: string; description?: string; category_id?: number | null; duration_minutes?: number | null; max_attempts?: number | null; result_mode?: 'instant' | 'on_release'; is_published?: boolean; /** while it is published, everybody who may see it can practise its questions, keys included */ open_for_practice?: boolean; pass_percentage?: number; msq_scoring?: 'all_or_nothing' | 'partial'; opens_at?: string | null; closes_at?: string | null; /** during an attempt, its student cannot use tutor, practice, chat, discussions or classes */ lock_help?: boolean; /** whether those who watch it see who doesn’t have the paper in view; the paper says so */ watch_page?: boolean; /** what is put into a different order in each attempt; those that have begun keep theirs */ shuffle?: 'none' | 'questions' | 'options' | 'both'; /** the classes that it is for; none: it is for everybody */ class_ids?: number[]; draw?: { tag: string; count: number }[] | null }

export type NewGroup = { name: string; /** accepted connections */ member_ids: number[] }

export type NewMembers = { /** administrators only */ user_ids?: number[]; emails?: string[] }

export type NewMessage = { /** empty, or left out, only with attachments */ message?: string; /** a UUID that the client makes; a repetition stores nothing, and the answer is the first message */ client_id?: string; reply_to_id?: number | null; reply_to_text?: string | null; reply_to_name?: string | null; /** one's own files that are not sent yet */ attachment_ids?: number[]; /** ids of members; others are dropped */ mentions?: number[] }

export type NewName = { name: string }

export type NewNotebookBody = { title: string; description?: string; is_public?: boolean }

export type NewPageBody = { title?: string; /** left out: the end of the notebook */ position?: number }

export type NewQuestionForm = { exam_id: number; question_text?: string; option_a?: string; option_b?: string; option_c?: string; option_d?: string; /** MSQ also as `AC` or `["A","C"]`, in any case */ correct_answer?: string; /** MCQ (default) or another type */ question_type?: string; /** `<SubjectFolder>/<filename>`; empty: no image */ image_path?: string; /** what the image shows, up to 500 characters */ image_alt?: string; /** up to 10,000 characters */ explanation?: string; /** a JSON array of up to 22 texts; empty: none */ more_options?: string; /** JSON of the form that the type needs; empty: null */ parts?: string; /** a JSON array of up to 20 texts of 1 to 40 characters; empty: none */ tags?: string; /** a JSON array of up to 20 variables; empty: none */ variables?: string; /** a JSON array of up to 5 comparisons; empty: none */ conditions?: string; /** default 4 */ positive_marks?: string; /** default 1 */ negative_marks?: string; /** default 0 */ tolerance?: string }

export type NewRegrade = { question_id: number; /** `new_key`: grade with `correct_answer` and `tolerance`; `credit_all`: its marks for everybody whose paper has it; `drop`: it counts neither in score nor in max_score */ action: 'new_key' | 'credit_all' | 'drop'; /** the answer of a new key, in any form in which a question can be written */ correct_answer?: string | number | string[] | null; /** of a new NUMERIC key; left out: the question's own */ tolerance?: number | string | null; /** of a new key, for the types that have them: the question as it is, but for what is right */ parts?: unknown; preview?: boolean | null }

export type NewReport = { reason: string }

export type NewText = { message: string }

export type NewTitle = { title: string }

export type NextAnswer = { success: true; cards: { card: PracticeCard; question: PracticeQuestion }[]; /** of this exam or tag, where one is asked for */ due: number; new: number }

export type NotePage = { id: number; notebook_id: number; title: string; /** 0 is the first page */ position: number; object_count: number; /** rises with every sync that changes something */ version: number }

export type Notebook = { id: number; title: string; description: string; is_public: boolean; page_count: number; created_at: string; updated_at: string }

export type NotebookAnswer = { success: true; notebook: Notebook }

export type NotebookChange = { title?: string; description?: string; is_public?: boolean }

export type NotebooksAnswer = { success: true; notebooks: Notebook[] }

export type Notice = { id: number; /** there may be more later */ kind: 'exam_published' | 'exam_closing' | 'result_released' | 'result_changed' | 'challenge_answered' | 'more_time' | 'class_news' | 'access_decided'; at: string; read: boolean; exam_id?: number; class_id?: number; /** the exam’s or the class’s name */ title: string; /** in the person’s language */ body: string }

export type NoticeSettings = { /** a new exam for oneself */ exam_published: { push: boolean; /** only to a confirmed address, at most 10 a day */ mail: boolean }; /** an exam that one hasn’t taken closes in a day */ exam_closing: { push: boolean; /** only to a confirmed address, at most 10 a day */ mail: boolean }; /** news of one’s classes */ class_news: { push: boolean; /** only to a confirmed address, at most 10 a day */ mail: boolean } }

export type NoticesAnswer = { success: true; notices: Notice[]; /** notices that one hasn’t read */ unread: number }

export type NoticesReadAnswer = { success: true; /** notices that one hasn’t read */ unread: number }

export type NoticesReadBody = { /** the id of the newest one that was seen */ up_to: number }

export type ObjectsAnswer = { success: true; /** from the bottom of the stack to its top */ objects: CanvasObject[]; total: number }

export type OfferedQuestion = { question_text?: string | number | boolean | null; option_a?: string | number | boolean | null; option_b?: string | number | boolean | null; option_c?: string | number | boolean | null; option_d?: string | number | boolean | null; /** an array of texts, or its JSON text */ more_options?: unknown; correct_answer?: string | number | boolean | null | (string | number | boolean | null)[]; /** of the form that the type needs, or its JSON text */ parts?: unknown; question_type?: string | number | boolean | null; image_path?: string | number | boolean | null; image_alt?: string | number | boolean | null; explanation?: string | number | boolean | null; /** an array of texts, or its JSON text */ tags?: unknown; /** an array of variables, or its JSON text */ variables?: unknown; /** an array of comparisons, or its JSON text */ conditions?: unknown; positive_marks?: string | number | boolean | null; negative_marks?: string | number | boolean | null; tolerance?: string | number | boolean | null }

export type OidcBody = { /** the authorization code from the provider */ code: string; /** the PKCE verifier of the request, for S256 */ code_verifier: string; /** where the provider sent the app back to; one that the operator has listed */ redirect_uri: string; /** the one that the app sent to the provider */ nonce: string; /** after `account_exists`: of the account that has the address, which is linked then */ password?: string; /** after `account_exists`: that account is somebody else’s, and a new one is made */ anew?: boolean }

export type OrderBody = { /** all questions of the exam, each once */ ids: number[] }

export type OverviewAnswer = { success: true; total_users: number; total_exams: number; /** finished attempts */ total_results: number; /** questions answered in them */ total_responses: number }

export type OwnClass = { id: number; name: string; role: ClassRole; /** how many it has */ students: number; archived: boolean }

export type OwnClassAnswer = { success: true; class: OwnClass }

export type PageAnswer = { success: true; page: NotePage }

export type PagesAnswer = { success: true; pages: NotePage[] }

export type PaperAnswer = { success: true; attempt_id: number; attempt_number: number; questions: PaperQuestion[]; /** by question id: MCQ a letter, MSQ an array of letters, NUMERIC a number as text, SHORT a text, MATCHING an array of choice ids in the order of prompts, ORDERING of all item ids in order, GAPS of an entry for each gap, FORMULA a formula as typed */ answers: { [key: string]: string | string[] }; markedForReview: number[]; revision: number; /** `YYYY-MM-DD HH:MM:SS` in APP_TIMEZONE */ start_time: string; ends_at: string | null; server_time: string; /** oldest first */ messages: ExamMessage[]; /** whether teachers see if the paper is in view: say so by the frame `page` */ watch_page: boolean }

export type PaperQuestion = { id: number; exam_id: number; /** may contain LaTeX */ question_text: string; option_a: string; option_b: string; option_c: string; option_d: string; /** options E, F, … */ more_options: string[]; question_type: QuestionType; image_path: string | null; /** what the image shows, up to 500 characters */ image_alt: string; image_url: string | null; positive_marks: number; negative_marks: number; option_order: string[] | null; parts: { prompts: string[]; /** shuffled; an id is an attempt's own */ choices: { id: string; text: string }[] } | { /** shuffled; an id is an attempt's own */ items: { id: string; text: string }[] } | { gaps: ({ kind: 'text' | 'choice' | 'number'; /** shuffled; an id is an attempt's own */ choices?: { id: string; text: string }[] })[] } | { symbols: string[] } | null }

export type Passage = { material_id: number; title: string; /** from 1; of a Markdown text its part */ page: number; /** at most 1,200 code points */ text: string; /** `[start, length]` in code points */ matches: number[][] }

export type PassagesAnswer = { success: true; passages: Passage[] }

export type PasswordLink = { success: true; /** to be handed over; it is shown this once */ url: string; ends_at: string }

export type PinAnswer = { success: true; is_pinned: boolean }

export type PinBody = { is_pinned?: boolean }

export type Portal = 'user' | 'admin'

export type PracticeAnswer = { success: true; /** cards that are to be asked now */ due: number; /** new questions that are still to come today */ new: number; learning: number; /** cards that are no longer being learned: they come again after days */ known: number; next_due_at: string | null; today: { reviews: number; right: number; minutes: number }; /** days in a row with a review, up to today or yesterday */ streak_days: number; settings: PracticeSettings }

export type PracticeCard = { question_id: number; exam_id: number; exam_name: string; tags: string[]; state: 'new' | 'learning' | 'review' | 'relearning'; due: string; /** days until it is known with a probability of 0.9 */ stability: number; /** 1 to 10; 0 for a new card */ difficulty: number; reps: number; lapses: number; retrievability: number | null }

export type PracticeHistoryAnswer = { success: true; /** every day up to today, those without reviews too */ days: { /** `2026-11-20` in APP_TIMEZONE */ date: string; reviews: number; right: number; minutes: number }[]; sure: { n: number; right: number }; unsure: { n: number; right: number }; /** of questions that had been answered before: the share that was expected to be known, and that was */ retention: { expected: number | null; measured: number | null; n: number } }

export type PracticeQuestion = { id: number; exam_id: number; /** may contain LaTeX */ question_text: string; option_a: string; option_b: string; option_c: string; option_d: string; /** options E, F, … */ more_options: string[]; question_type: QuestionType; image_path: string | null; /** what the image shows, up to 500 characters */ image_alt: string; image_url: string | null; positive_marks: number; negative_marks: number; option_order: string[] | null; parts: { prompts: string[]; /** shuffled; an id is an attempt's own */ choices: { id: string; text: string }[] } | { /** shuffled; an id is an attempt's own */ items: { id: string; text: string }[] } | { gaps: ({ kind: 'text' | 'choice' | 'number'; /** shuffled; an id is an attempt's own */ choices?: { id: string; text: string }[] })[] } | { symbols: string[] } | null; /** for the review, which is judged by this version */ question_version: number; /** for the review: which values of its variables these are */ draw?: number }

export type PracticeSettings = { /** new questions a day */ new_per_day: number; /** how likely you should still know the answer when a question comes again */ retention: number }

export type PracticeSettingsAnswer = { success: true; settings: PracticeSettings }

export type PracticeSettingsChanges = { /** new questions a day */ new_per_day?: number; /** how likely you should still know the answer when a question comes again */ retention?: number }

export type PrepareAnswer = { success: true; /** whether its questions were in memory already */ cached: boolean; question_count: number }

export type PresenceAnswer = { success: true; /** user id → online */ status: { [key: string]: boolean } }

export type PreviewQuestionAnswer = { success: true; /** of its variables, by their names */ values: { [key: string]: string }; question: { question_text: string; option_a: string; option_b: string; option_c: string; option_d: string; more_options: string[]; question_type: QuestionType; parts: { prompts: string[]; /** shuffled; an id is an attempt's own */ choices: { id: string; text: string }[] } | { /** shuffled; an id is an attempt's own */ items: { id: string; text: string }[] } | { gaps: ({ kind: 'text' | 'choice' | 'number'; /** shuffled; an id is an attempt's own */ choices?: { id: string; text: string }[] })[] } | { symbols: string[] } | null; /** empty for a question with `parts` that hold the key */ correct_answer: string; correct: string | string[] | null; tolerance: number; explanation: string } }

export type PreviewQuestionBody = { question_text?: string | number | boolean | null; option_a?: string | number | boolean | null; option_b?: string | number | boolean | null; option_c?: string | number | boolean | null; option_d?: string | number | boolean | null; /** an array of texts, or its JSON text */ more_options?: unknown; correct_answer?: string | number | boolean | null | (string | number | boolean | null)[]; /** of the form that the type needs, or its JSON text */ parts?: unknown; question_type?: string | number | boolean | null; image_path?: string | number | boolean | null; image_alt?: string | number | boolean | null; explanation?: string | number | boolean | null; /** an array of texts, or its JSON text */ tags?: unknown; /** an array of variables, or its JSON text */ variables?: unknown; /** an array of comparisons, or its JSON text */ conditions?: unknown; positive_marks?: string | number | boolean | null; negative_marks?: string | number | boolean | null; tolerance?: string | number | boolean | null; /** always the same draw; left out: another one each time */ seed?: number }

export type PrintAnswer = { success: true; pages: { id: number; notebook_id: number; title: string; /** 0 is the first page */ position: number; object_count: number; /** rises with every sync that changes something */ version: number; objects: CanvasObject[]; assets: Asset[] }[] }

export type PushAnswer = { success: true; public_key: string | null; subscriptions: PushSubscription[]; settings: PushSettings }

export type PushSettings = { /** which messages of groups; those of single people always come */ messages: 'all' | 'mentions' | 'none'; /** an exam opens soon, a result is out or has changed */ exams: boolean; /** practice is due, once a day */ practice: boolean; /** in the person's time zone */ practice_hour: number; /** whether a push says what was written, beside who wrote */ preview: boolean; language: 'en' | 'de' | 'es' | 'hi' | 'ar' | null; time_zone: string | null; notices: NoticeSettings }

export type PushSettingsAnswer = { success: true; settings: PushSettings }

export type PushSettingsBody = { /** which messages of groups; those of single people always come */ messages?: 'all' | 'mentions' | 'none'; /** an exam opens soon, a result is out or has changed */ exams?: boolean; /** practice is due, once a day */ practice?: boolean; /** in the person's time zone */ practice_hour?: number; /** whether a push says what was written, beside who wrote */ preview?: boolean; language?: 'en' | 'de' | 'es' | 'hi' | 'ar' | null; time_zone?: string | null; /** kinds that are left out stay as they are */ notices?: { /** a new exam for oneself */ exam_published?: { push: boolean; /** only to a confirmed address, at most 10 a day */ mail: boolean }; /** an exam that one hasn’t taken closes in a day */ exam_closing?: { push: boolean; /** only to a confirmed address, at most 10 a day */ mail: boolean }; /** news of one’s classes */ class_news?: { push: boolean; /** only to a confirmed address, at most 10 a day */ mail: boolean } } }

export type PushSubscription = { id: number; /** the push service's host */ endpoint_host: string; created_at: string; last_used_at: string | null }

export type PushSubscriptionAnswer = { success: true; subscription: PushSubscription }

export type PushSubscriptionBody = { /** an https address */ endpoint: string; keys: { /** an uncompressed point of P-256, base64url */ p256dh: string; /** 16 bytes, base64url */ auth: string } }

export type Question = { id: number; exam_id: number; /** may contain LaTeX */ question_text: string; option_a: string; option_b: string; option_c: string; option_d: string; /** options E, F, … */ more_options: string[]; /** MCQ `B`, MSQ `A,C`, NUMERIC a decimal string, SHORT the accepted texts, one a line, FORMULA an expression; empty where `parts` hold the key, or for none: everybody gets 0 until there is one */ correct_answer: string; parts: { /** 2 to 20; equal matches are one choice */ pairs: { prompt: string; match: string }[]; /** up to 10 choices that match no prompt */ distractors: string[] } | { /** 2 to 20, in the right order */ items: string[] } | { /** 1 to 20, for `[[1]]` … of the text */ gaps: ({ kind: 'text'; /** 1 to 50 texts; `%50%text` brings 50 percent */ accepted: string[] } | { kind: 'choice'; /** 2 to 20 */ choices: string[]; /** the index of the right one, from 0 */ correct: number } | { kind: 'number'; /** a number or its decimal text */ key: number | string; /** a number or its decimal text */ tolerance: number | string })[] } | { /** 1 to 10; without a range from −3, or from 0.1 where the key has no value below 0, to 3 */ symbols: ({ /** a letter, then up to 15 letters, digits and underscores */ name: string; /** a number or its decimal text */ from?: number | string; /** a number or its decimal text */ to?: number | string })[]; /** functions that an answer may use; all where it is left out */ also?: string[] } | null; question_type: QuestionType; image_path: string | null; /** what the image shows, up to 500 characters */ image_alt: string; positive_marks: number; negative_marks: number; /** for NUMERIC answers; a text `{@expression@}` where it depends on variables */ tolerance: number | string; /** why the right answer is right, for those who may see it; may contain LaTeX */ explanation: string; tags: string[]; /** values that each attempt draws for itself; up to 20 */ variables: ({ name: string; /** a number or its decimal text */ from: number | string; /** a number or its decimal text */ to: number | string; /** a number or its decimal text */ step: number | string } | { name: string; /** 1 to 200 */ values: (number | string)[] } | { name: string; /** an expression of those before it */ is: string })[]; /** comparisons that the values fulfil; up to 5 */ conditions: string[]; image_url: string | null }

export type QuestionAdded = { success: true; message: string; question_id: number }

export type QuestionAnswer = { success: true; question: Question }

export type QuestionChangesForm = { exam_id?: number; question_text?: string; option_a?: string; option_b?: string; option_c?: string; option_d?: string; /** MSQ also as `AC` or `["A","C"]`, in any case */ correct_answer?: string; /** MCQ (default) or another type */ question_type?: string; /** `<SubjectFolder>/<filename>`; empty: no image */ image_path?: string; /** what the image shows, up to 500 characters */ image_alt?: string; /** up to 10,000 characters */ explanation?: string; /** a JSON array of up to 22 texts; empty: none */ more_options?: string; /** JSON of the form that the type needs; empty: null */ parts?: string; /** a JSON array of up to 20 texts of 1 to 40 characters; empty: none */ tags?: string; /** a JSON array of up to 20 variables; empty: none */ variables?: string; /** a JSON array of up to 5 comparisons; empty: none */ conditions?: string; /** default 4 */ positive_marks?: string; /** default 1 */ negative_marks?: string; /** default 0 */ tolerance?: string; /** JSON: fields as they were seen; 409 `changed` with the `stored` values where they differ */ was?: string }

export type QuestionCheck = { verdict: 'agreed' | 'disputed' | 'unchecked'; answer: string | string[] | null; reason: string | null }

export type QuestionSource = { /** the first is 1 */ page: number; /** up to 300 characters */ quote: string; found: boolean | null }

export type QuestionType = 'MCQ' | 'MSQ' | 'NUMERIC' | 'SHORT' | 'MATCHING' | 'ORDERING' | 'GAPS' | 'FORMULA'

export type QuestionVariant = { /** of its variables, by their names */ values: { [key: string]: string }; question: { question_text: string; option_a: string; option_b: string; option_c: string; option_d: string; more_options: string[]; question_type: QuestionType; parts: { prompts: string[]; /** shuffled; an id is an attempt's own */ choices: { id: string; text: string }[] } | { /** shuffled; an id is an attempt's own */ items: { id: string; text: string }[] } | { gaps: ({ kind: 'text' | 'choice' | 'number'; /** shuffled; an id is an attempt's own */ choices?: { id: string; text: string }[] })[] } | { symbols: string[] } | null; /** empty for a question with `parts` that hold the key */ correct_answer: string; correct: string | string[] | null; tolerance: number; explanation: string } }

export type QuestionVariantsAnswer = { success: true; /** the draws of the seeds from 1 to `count` */ variants: QuestionVariant[] }

export type QuestionsAnswer = { success: true; questions: Question[]; total: number; page: number; per_page: number; total_pages: number }

export type QuestionsCopied = { success: true; copied: number; errors: string[] | null }

export type Reaction = { emoji: string; count: number; /** the first of them, in the order of reacting */ user_ids: number[]; mine: boolean }

export type ReactionsAnswer = { success: true; reactions: Reaction[]; /** the message's */ version: number }

export type ReadAnswer = { success: true; unread: number }

export type ReadBody = { up_to_seq?: number }

export type RefreshAnswer = { status: 'success'; data: { access_token: string; token_type: 'Bearer'; /** seconds */ expires_in: number; refresh_token?: string } }

export type RefreshBody = { refresh_token: string; /** also exchange the refresh token itself */ rotate?: boolean }

export type RefusedReview = { client_id: string; error: { code: string; message: string } }

export type RegisterBody = { username: string; email: string; /** 8 to 128 characters, taken as typed */ password: string; full_name?: string }

export type Regrade = { id: number | null; exam_id: number; question_id: number; /** `new_key`: grade with `correct_answer` and `tolerance`; `credit_all`: its marks for everybody whose paper has it; `drop`: it counts neither in score nor in max_score */ action: 'new_key' | 'credit_all' | 'drop'; correct_answer: string | null; parts: { /** 2 to 20; equal matches are one choice */ pairs: { prompt: string; match: string }[]; /** up to 10 choices that match no prompt */ distractors: string[] } | { /** 2 to 20, in the right order */ items: string[] } | { /** 1 to 20, for `[[1]]` … of the text */ gaps: ({ kind: 'text'; /** 1 to 50 texts; `%50%text` brings 50 percent */ accepted: string[] } | { kind: 'choice'; /** 2 to 20 */ choices: string[]; /** the index of the right one, from 0 */ correct: number } | { kind: 'number'; /** a number or its decimal text */ key: number | string; /** a number or its decimal text */ tolerance: number | string })[] } | { /** 1 to 10; without a range from −3, or from 0.1 where the key has no value below 0, to 3 */ symbols: ({ /** a letter, then up to 15 letters, digits and underscores */ name: string; /** a number or its decimal text */ from?: number | string; /** a number or its decimal text */ to?: number | string })[]; /** functions that an answer may use; all where it is left out */ also?: string[] } | null; tolerance: number | string | null; /** finished ones whose paper has the question */ attempts: number; /** by the score or, where that is the same, by the verdict */ raised: number; lowered: number; unchanged: number; /** the first 100 attempts whose score, max_score or verdict changed */ changes: { attempt_id: number; user_id: number; username: string; old_score: number; new_score: number; old_max_score: number; new_max_score: number }[]; created_at: string; /** a username */ created_by: string; undone_at: string | null; /** in a preview of a question with variables: up to five attempts’ values and keys */ examples?: { values: { [key: string]: string }; correct_answer: string }[] }

export type RegradeAnswer = { success: true; regrade: Regrade }

export type RegradesAnswer = { success: true; regrades: Regrade[] }

export type ReleaseAnswer = { success: true; message: string; released: boolean }

export type ReleaseBody = { /** left out: the opposite of the current state */ released?: boolean }

export type Report = { id: number; kind: 'message' | 'comment'; message_id: number | null; comment_id: number | null; /** as it was when it was reported; empty 90 days after the decision */ text: string; author: { id: number; username: string; full_name: string }; reporter: { id: number; username: string; full_name: string }; reason: string; status: ReportStatus; note: string | null; resolved_by: string | null; resolved_at: string | null; created_at: string; /** up to five before and five after it; of a decided one as they were then, for 90 days, without files */ context: { id: number; author: { id: number; username: string; full_name: string }; text: string; /** files of a message */ attachments: Attachment[]; is_reported: boolean; created_at: string }[] }

export type ReportAnswer = { success: true; report: Report }

export type ReportStatus = 'open' | 'dismissed' | 'deleted'

export type Reported = { success: true; report_id: number }

export type ReportsAnswer = { success: true; reports: Report[]; total: number; page: number; per_page: number; total_pages: number }

export type RequestResetBody = { email: string }

export type Requestable = 'admin' | 'user,admin'

export type RequestsAnswer = { success: true; requests: ConnectionRequest[] }

export type ResolveBody = { status: 'accepted' | 'rejected'; reply?: string | null }

export type RespondAnswer = { success: true; conv_id: number | null }

export type RespondBody = { action: 'accept' | 'reject' }

export type ResultAnswer = { success: true; attempt_id: number; exam_id: number; exam_name: string; attempt_number: number; /** `YYYY-MM-DD HH:MM:SS` in APP_TIMEZONE */ start_time: string; /** `start_time` in UTC */ started_at: string; submitted_at: string; score: number | null; max_score: number | null; percentage: number | null; passed: boolean | null; status: 'submitted' | 'expired'; /** who ended it: its student, a teacher who handed it in for them, or the end of its time */ submitted_by: 'student' | 'teacher' | 'time'; result_mode: 'instant' | 'on_release'; result: Score; review: ReviewedQuestion[] }

export type ResumedAnswer = { success: true; resumed: true; attempt_id: number; redirect_url: string }

export type ReviewedQuestion = { id: number; exam_id: number; /** may contain LaTeX */ question_text: string; option_a: string; option_b: string; option_c: string; option_d: string; /** options E, F, … */ more_options: string[]; question_type: QuestionType; image_path: string | null; /** what the image shows, up to 500 characters */ image_alt: string; image_url: string | null; positive_marks: number; negative_marks: number; option_order: string[] | null; parts: { prompts: string[]; /** shuffled; an id is an attempt's own */ choices: { id: string; text: string }[] } | { /** shuffled; an id is an attempt's own */ items: { id: string; text: string }[] } | { gaps: ({ kind: 'text' | 'choice' | 'number'; /** shuffled; an id is an attempt's own */ choices?: { id: string; text: string }[] })[] } | { symbols: string[] } | null; /** its text with the values that are nobody’s, the same for all who discuss it: only of a question with variables */ discussed_text?: string; /** empty for a question without a key, or with `parts` */ correct_answer: string; correct: string | string[] | null; explanation: string; tolerance: number; /** corrected since: the key is the one in force */ regraded: boolean; given_answer: string | string[] | null; is_correct: boolean; marks_awarded: number }

export type ReviewsAnswer = { success: true; /** in the order of the reviews */ results: (JudgedReview | RefusedReview)[] }

export type ReviewsBody = { reviews: { /** the client's own; it makes the review count once */ client_id: string; question_id: number; /** as in an attempt; empty is wrong */ answer: unknown; sure: boolean; /** as the question came with; left out: the current one */ question_version?: number; /** as the question came with; left out: the current one */ draw?: number; /** up to 30 days ago, in any order; left out: now, and after all that its card has had */ answered_at?: string; /** cut to 10 minutes */ took_ms?: number }[] }

export type Role = 'user' | 'admin' | 'user,admin'

export type RoleChange = { user_id: number; /** `user`, `admin` or `user,admin` */ new_role?: unknown }

export type RoleCounts = { success: true; total_users: number; user_role: number; admin_role: number; both_roles: number }

export type RosterForm = { file: Blob; /** true: answer as usual, but change nothing */ dry_run?: boolean }

export type SaveAnswer = { success: true; attempt_id: number; /** how many answers of this sync were not rejected */ saved: number; rejected: ({ question_id: number | null; message: string })[] | null; revision: number; saved_at: string; ends_at: string | null }

export type SaveBody = { /** the attempt that is meant: if another one is active, nothing changes; left out: whichever is active */ attempt_id?: number; /** by question id, merged into what is stored: null clears, absent questions stay, and what does not fit is named in `rejected` */ answers: { [key: string]: unknown }; /** question ids; replaces the stored set */ markedForReview?: unknown[]; /** a number of the client that rises with its changes */ revision?: number }

export type Score = { score: number; max_score: number; percentage: number | null; correct: number; incorrect: number; unattempted: number }

export type SearchAnswer = { success: true; messages: FoundMessage[]; has_more: boolean }

export type Session = { id: number; kind: 'web' | 'client'; ip: string | null; user_agent: string | null; created_at: string; last_used_at: string; /** the one that asks */ current: boolean }

export type SessionsAnswer = { success: true; sessions: Session[] }

export type SettingsAnswer = { success: true; /** the reader's own */ settings: ConversationSettings }

export type SettingsBody = { muted_until?: string | null; archived?: boolean; pinned?: boolean }

export type SittingsAnswer = { success: true; /** those that most students take come first; 100 at most */ exams: ({ exam_id: number; exam_name: string; /** how many of them take it */ students: number; /** of the first 10 of these students, by username */ attempts: ({ user_id: number; username: string; full_name: string; attempt_id: number; started_at: string; ends_at: string | null; /** questions with a saved answer */ answered: number })[] })[] }

export type StaffReviewAnswer = { success: true; attempt_id: number; exam_id: number; exam_name: string; attempt_number: number; /** `YYYY-MM-DD HH:MM:SS` in APP_TIMEZONE */ start_time: string; /** `start_time` in UTC */ started_at: string; submitted_at: string | null; score: number | null; max_score: number | null; percentage: number | null; passed: boolean | null; status: 'active' | 'submitted' | 'expired'; submitted_by: 'student' | 'teacher' | 'time' | null; user_id: number; username: string; full_name: string; ends_at: string | null; result_mode: 'instant' | 'on_release'; /** questions with a saved answer */ answered: number; question_count: number; /** whether keys, and marks that reveal them, are shown */ shows_keys: boolean; keys_open_at: string | null; result: Score | null; review: StaffReviewedQuestion[] | null }

export type StaffReviewedQuestion = { id: number; exam_id: number; /** may contain LaTeX */ question_text: string; option_a: string; option_b: string; option_c: string; option_d: string; /** options E, F, … */ more_options: string[]; question_type: QuestionType; image_path: string | null; /** what the image shows, up to 500 characters */ image_alt: string; image_url: string | null; positive_marks: number; negative_marks: number; option_order: string[] | null; parts: { prompts: string[]; /** shuffled; an id is an attempt's own */ choices: { id: string; text: string }[] } | { /** shuffled; an id is an attempt's own */ items: { id: string; text: string }[] } | { gaps: ({ kind: 'text' | 'choice' | 'number'; /** shuffled; an id is an attempt's own */ choices?: { id: string; text: string }[] })[] } | { symbols: string[] } | null; /** its text with the values that are nobody’s, the same for all who discuss it: only of a question with variables */ discussed_text?: string; correct_answer: string | null; correct: string | string[] | null; explanation: string | null; tolerance: number | null; /** corrected since: the key is the one in force */ regraded: boolean; given_answer: string | string[] | null; is_correct: boolean | null; marks_awarded: number | null }

export type StartedAnswer = { success: true; redirect_url: string; resumed: false; attempt_id: number; attempt_number: number; fresh_start: true }

export type StatusAnswer = { success: true; has_active_attempt: boolean; attempt_id: number | null; attempt_number: number | null; start_time: string | null; ends_at: string | null; completed_count: number; /** the active one and those that an administrator added, too */ attempts_used: number; max_attempts: number | null; attempts_remaining: number | null }

export type StatusMessage = { status: 'success'; message: string }

export type StudentModifyBody = { student_id: number; action: 'reset' | 'increase' | 'decrease'; /** default 1 */ amount?: number }

export type StudentResult = { user_id: number; username: string; full_name: string; /** those that they took, the active one included */ attempts: number; best: { score: number; max_score: number; percentage: number | null; passed: boolean | null } | null; newest: { attempt_id: number; attempt_number: number; status: 'submitted' | 'expired'; /** who ended it: its student, a teacher who handed it in for them, or the end of its time */ submitted_by: 'student' | 'teacher' | 'time'; submitted_at: string; score: number | null; max_score: number | null; percentage: number | null; passed: boolean | null } | null; active: { attempt_id: number; started_at: string; ends_at: string | null; /** questions with a saved answer */ answered: number } | null }

export type SubmitAnswer = { success: true; attempt_id: number; result_mode: 'instant' | 'on_release'; already_submitted: boolean; rejected: ({ question_id: number | null; message: string })[] | null; /** only if the results may be seen already */ result?: Score; /** only if there is no `result` yet */ message?: string }

export type SubmitBody = { /** the attempt that is meant: if another one is active, nothing changes; left out: whichever is active */ attempt_id?: number; /** by question id, merged into what is stored: null clears, absent questions stay, and what does not fit is named in `rejected` */ answers?: { [key: string]: unknown }; /** question ids; replaces the stored set */ markedForReview?: unknown[]; /** a number of the client that rises with its changes */ revision?: number }

export type Success = { success: true }

export type SuccessMessage = { success: true; message: string }

export type SyncAnswer = { success: true; version: number; total: number }

export type SyncBody = { /** take the places from `start_index` on, in this order */ objects?: CanvasObject[]; deleted_ids?: string[]; start_index?: number; version?: number }

export type TagsAnswer = { success: true; tags: { tag: string; questions: number }[] }

export type Trial = { paper_id: number; seed: string; shuffle: 'questions' | 'options' | 'both' | null; drawn: number[] | null }

export type TrialAnswer = { success: true; is_trial: true; /** which questions this trial has, and in which order: send it back unchanged */ trial: Trial; exam: { id: number; name: string; duration_minutes: number | null }; questions: PaperQuestion[] }

export type TrialBody = { /** which questions this trial has, and in which order: send it back unchanged */ trial: Trial; /** by question id, merged into what is stored: null clears, absent questions stay, and what does not fit is named in `rejected` */ answers?: { [key: string]: unknown } }

export type TrialResult = { success: true; is_trial: true; rejected: ({ question_id: number | null; message: string })[] | null; result: Score; review: ReviewedQuestion[] }

export type Tried = { success: true; message: string; format: ImportFormat; /** in a dry run, how many would be */ inserted: number; skipped: number; errors: string[] | null; details: string[] | null; /** the first 50 */ questions: ({ /** may contain LaTeX */ question_text: string; option_a: string; option_b: string; option_c: string; option_d: string; /** options E, F, … */ more_options: string[]; /** MCQ `B`, MSQ `A,C`, NUMERIC a decimal string, SHORT the accepted texts, one a line, FORMULA an expression; empty where `parts` hold the key, or for none: everybody gets 0 until there is one */ correct_answer: string; parts: { /** 2 to 20; equal matches are one choice */ pairs: { prompt: string; match: string }[]; /** up to 10 choices that match no prompt */ distractors: string[] } | { /** 2 to 20, in the right order */ items: string[] } | { /** 1 to 20, for `[[1]]` … of the text */ gaps: ({ kind: 'text'; /** 1 to 50 texts; `%50%text` brings 50 percent */ accepted: string[] } | { kind: 'choice'; /** 2 to 20 */ choices: string[]; /** the index of the right one, from 0 */ correct: number } | { kind: 'number'; /** a number or its decimal text */ key: number | string; /** a number or its decimal text */ tolerance: number | string })[] } | { /** 1 to 10; without a range from −3, or from 0.1 where the key has no value below 0, to 3 */ symbols: ({ /** a letter, then up to 15 letters, digits and underscores */ name: string; /** a number or its decimal text */ from?: number | string; /** a number or its decimal text */ to?: number | string })[]; /** functions that an answer may use; all where it is left out */ also?: string[] } | null; question_type: QuestionType; image_path: string | null; /** what the image shows, up to 500 characters */ image_alt: string; positive_marks: number; negative_marks: number; /** for NUMERIC answers; a text `{@expression@}` where it depends on variables */ tolerance: number | string; /** why the right answer is right, for those who may see it; may contain LaTeX */ explanation: string; tags: string[]; /** values that each attempt draws for itself; up to 20 */ variables: ({ name: string; /** a number or its decimal text */ from: number | string; /** a number or its decimal text */ to: number | string; /** a number or its decimal text */ step: number | string } | { name: string; /** 1 to 200 */ values: (number | string)[] } | { name: string; /** an expression of those before it */ is: string })[]; /** comparisons that the values fulfil; up to 5 */ conditions: string[]; /** the file brings an image along */ has_image: boolean; /** what the file says of it that is not carried over; `details` has it too */ lost: string[] })[] }

export type TriedDraw = { /** of its variables, by their names */ values: { [key: string]: string }; /** as its teacher reads it; empty where the draw fails */ correct_answer: string; failure: { /** `/conditions` where these leave it out; else what is to be changed */ path: string; message: string } | null }

export type TryDrawsAnswer = { success: true; draws: TriedDraw[] }

export type TryDrawsBody = { question_text?: string | number | boolean | null; option_a?: string | number | boolean | null; option_b?: string | number | boolean | null; option_c?: string | number | boolean | null; option_d?: string | number | boolean | null; /** an array of texts, or its JSON text */ more_options?: unknown; correct_answer?: string | number | boolean | null | (string | number | boolean | null)[]; /** of the form that the type needs, or its JSON text */ parts?: unknown; question_type?: string | number | boolean | null; image_path?: string | number | boolean | null; image_alt?: string | number | boolean | null; explanation?: string | number | boolean | null; /** an array of texts, or its JSON text */ tags?: unknown; /** an array of variables, or its JSON text */ variables?: unknown; /** an array of comparisons, or its JSON text */ conditions?: unknown; positive_marks?: string | number | boolean | null; negative_marks?: string | number | boolean | null; tolerance?: string | number | boolean | null; /** always the same draws; left out: others each time */ seed?: number; count?: number }

export type TutorAnswer = { success: true; /** may contain LaTeX, a `[FINAL ANSWER]` marker, and marks `【n】` of `sources` */ response: string; /** what the marks in the text name, by their first places */ sources: TutorSource[]; conversation_id: number; title: string; class_id: number | null; /** `guide`: the tutor asks back and gives one hint at a time */ mode: TutorMode; questions_remaining: number }

export type TutorConversation = { id: number; title: string; class_id: number | null; messageCount: number; createdAt: string; updatedAt: string }

export type TutorConversationAnswer = { success: true; conversation: TutorConversation }

export type TutorConversations = { success: true; dailyLimit: number; questionsUsed: number; conversations: TutorConversation[]; hasMoreConversations: boolean; nextCursor: string | null }

export type TutorEvent = { event: 'start'; data: { conversation_id: number; title: string } } | { event: 'delta'; data: { text: string } } | { event: 'done'; data: TutorAnswer } | { event: 'error'; data: { code: string; message: string; [field: string]: unknown } }

export type TutorMessage = { id: number; text: string; isUser: boolean; timestamp: string; /** what the marks in the text name, by their first places */ sources: TutorSource[] }

export type TutorMessages = { success: true; messages: TutorMessage[]; hasMore: boolean; conversation: TutorConversation; nextCursor: string | null }

export type TutorMode = 'explain' | 'guide'

export type TutorQuestion = { message: string; conversation_id?: number | null; class_id?: number | null; context?: { attempt_id: number; question_id: number } | null }

export type TutorSource = { /** as in `【n】` */ n: number; material_id: number | null; title: string; page: number; /** the sentence of the page that has most in common with what is marked */ quote: string }

export type UndoAnswer = { success: true; card: PracticeCard }

export type UndoBody = { client_id: string }

export type UnreadAnswer = { success: true; /** messages unread in conversations that are neither muted nor archived */ unread: number; /** messages unread over all conversations */ unread_all: number; /** pending incoming connection requests */ requests: number; /** unread messages that mention the reader, in all conversations */ mentions: number }

export type User = { id: number; username: string; email: string; full_name: string; role: Role; /** present only if they may not sign in */ suspended?: true; created_at: string; updated_at: string }

export type UsersAnswer = { success: true; users: ChatUser[] }

export interface paths {
  '/api/v01/auth/register': {
    /** Create an account and sign in */
    post: {
      parameters: { query?: never; path?: never; header?: never; cookie?: never }
      requestBody: { content: { 'application/json': RegisterBody } }
      responses: {
        201: { content: { 'application/json': LoginAnswer } }
        400: { content: { 'application/json': Failure<'validation_failed' | 'invalid_request' | 'invalid_json'> } }
        403: { content: { 'application/json': Failure<'oidc_only' | 'registration_closed' | 'cross_site_request'> } }
        409: { content: { 'application/json': Failure<'username_taken' | 'email_taken'> } }
        413: { content: { 'application/json': Failure<'payload_too_large'> } }
        415: { content: { 'application/json': Failure<'unsupported_media_type'> } }
        429: { content: { 'application/json': Failure<'rate_limited'> } }
        500: { content: { 'application/json': Failure<'internal_error'> } }
        503: { content: { 'application/json': Failure<'unavailable'> } }
      }
    }
  }
  '/api/v01/auth/exchange': {
    /** Tokens for the person of the session cookie */
    post: {
      parameters: { query?: never; path?: never; header?: never; cookie?: never }
      requestBody?: never
      responses: {
        200: { content: { 'application/json': LoginAnswer } }
        400: { content: { 'application/json': Failure<'validation_failed' | 'invalid_request' | 'invalid_json'> } }
        401: { content: { 'application/json': Failure<'authentication_required' | 'token_expired_or_invalid'> } }
        403: { content: { 'application/json': Failure<'cross_site_request'> } }
        413: { content: { 'application/json': Failure<'payload_too_large'> } }
        415: { content: { 'application/json': Failure<'unsupported_media_type'> } }
        429: { content: { 'application/json': Failure<'rate_limited'> } }
        500: { content: { 'application/json': Failure<'internal_error'> } }
        503: { content: { 'application/json': Failure<'unavailable'> } }
      }
    }
  }
  '/api/v01/auth/oidc': {
    /** Sign in with a code of the OpenID Connect provider */
    post: {
      parameters: { query?: never; path?: never; header?: never; cookie?: never }
      requestBody: { content: { 'application/json': OidcBody } }
      responses: {
        200: { content: { 'application/json': LoginAnswer } }
        400: { content: { 'application/json': Failure<'validation_failed' | 'invalid_request' | 'invalid_json'> } }
        401: { content: { 'application/json': Failure<'oidc_failed' | 'invalid_credentials'> } }
        403: { content: { 'application/json': Failure<'email_unverified' | 'account_suspended' | 'cross_site_request'> } }
        409: { content: { 'application/json': Failure<'account_exists' | 'email_taken'> } }
        413: { content: { 'application/json': Failure<'payload_too_large'> } }
        415: { content: { 'application/json': Failure<'unsupported_media_type'> } }
        429: { content: { 'application/json': Failure<'locked_out' | 'rate_limited'> } }
        500: { content: { 'application/json': Failure<'internal_error'> } }
        503: { content: { 'application/json': Failure<'not_configured' | 'identity_provider_down' | 'unavailable'> } }
      }
    }
  }
  '/api/v01/auth/login': {
    /** Sign in with username or e-mail address */
    post: {
      parameters: { query?: never; path?: never; header?: never; cookie?: never }
      requestBody: { content: { 'application/json': LoginBody } }
      responses: {
        200: { content: { 'application/json': LoginAnswer } }
        400: { content: { 'application/json': Failure<'validation_failed' | 'invalid_request' | 'invalid_json'> } }
        401: { content: { 'application/json': Failure<'invalid_credentials'> } }
        403: { content: { 'application/json': Failure<'oidc_only' | 'account_suspended' | 'cross_site_request'> } }
        413: { content: { 'application/json': Failure<'payload_too_large'> } }
        415: { content: { 'application/json': Failure<'unsupported_media_type'> } }
        429: { content: { 'application/json': Failure<'locked_out' | 'rate_limited'> } }
        500: { content: { 'application/json': Failure<'internal_error'> } }
        503: { content: { 'application/json': Failure<'unavailable'> } }
      }
    }
  }
  '/api/v01/auth/google': {
    /** Sign in with the identity provider's ID token */
    post: {
      parameters: { query?: never; path?: never; header?: never; cookie?: never }
      requestBody: { content: { 'application/json': GoogleBody } }
      responses: {
        200: { content: { 'application/json': GoogleAnswer } }
        400: { content: { 'application/json': Failure<'validation_failed' | 'invalid_request' | 'invalid_json'> } }
        401: { content: { 'application/json': Failure<'invalid_id_token' | 'invalid_credentials'> } }
        403: { content: { 'application/json': Failure<'oidc_only' | 'registration_closed' | 'account_suspended' | 'cross_site_request'> } }
        409: { content: { 'application/json': Failure<'account_exists' | 'email_taken'> } }
        413: { content: { 'application/json': Failure<'payload_too_large'> } }
        415: { content: { 'application/json': Failure<'unsupported_media_type'> } }
        429: { content: { 'application/json': Failure<'locked_out' | 'rate_limited'> } }
        500: { content: { 'application/json': Failure<'internal_error'> } }
        503: { content: { 'application/json': Failure<'not_configured' | 'unavailable'> } }
      }
    }
  }
  '/api/v01/auth/refresh': {
    /** A new access token */
    post: {
      parameters: { query?: never; path?: never; header?: never; cookie?: never }
      requestBody: { content: { 'application/json': RefreshBody } }
      responses: {
        200: { content: { 'application/json': RefreshAnswer } }
        400: { content: { 'application/json': Failure<'validation_failed' | 'invalid_request' | 'invalid_json'> } }
        401: { content: { 'application/json': Failure<'token_expired_or_invalid'> } }
        403: { content: { 'application/json': Failure<'cross_site_request'> } }
        413: { content: { 'application/json': Failure<'payload_too_large'> } }
        415: { content: { 'application/json': Failure<'unsupported_media_type'> } }
        429: { content: { 'application/json': Failure<'rate_limited'> } }
        500: { content: { 'application/json': Failure<'internal_error'> } }
        503: { content: { 'application/json': Failure<'unavailable'> } }
      }
    }
  }
  '/api/v01/auth/logout': {
    /** End the session */
    post: {
      parameters: { query?: never; path?: never; header?: never; cookie?: never }
      requestBody: { content: { 'application/json': LogoutBody } }
      responses: {
        200: { content: { 'application/json': StatusMessage } }
        400: { content: { 'application/json': Failure<'validation_failed' | 'invalid_request' | 'invalid_json'> } }
        403: { content: { 'application/json': Failure<'cross_site_request'> } }
        413: { content: { 'application/json': Failure<'payload_too_large'> } }
        415: { content: { 'application/json': Failure<'unsupported_media_type'> } }
        429: { content: { 'application/json': Failure<'rate_limited'> } }
        500: { content: { 'application/json': Failure<'internal_error'> } }
        503: { content: { 'application/json': Failure<'unavailable'> } }
      }
    }
  }
  '/api/v01/auth/me': {
    /** The signed-in account */
    get: {
      parameters: { query?: never; path?: never; header?: never; cookie?: never }
      requestBody?: never
      responses: {
        200: { content: { 'application/json': MeAnswer } }
        304: { content: {} }
        400: { content: { 'application/json': Failure<'validation_failed' | 'invalid_request'> } }
        401: { content: { 'application/json': Failure<'authentication_required' | 'token_expired_or_invalid'> } }
        429: { content: { 'application/json': Failure<'rate_limited'> } }
        500: { content: { 'application/json': Failure<'internal_error'> } }
        503: { content: { 'application/json': Failure<'unavailable'> } }
      }
    }
  }
  '/api/v01/account/password-reset': {
    /** Mail a link that resets the password */
    post: {
      parameters: { query?: never; path?: never; header?: never; cookie?: never }
      requestBody: { content: { 'application/json': RequestResetBody } }
      responses: {
        200: { content: { 'application/json': SuccessMessage } }
        400: { content: { 'application/json': Failure<'validation_failed' | 'invalid_request' | 'invalid_json'> } }
        403: { content: { 'application/json': Failure<'oidc_only' | 'cross_site_request'> } }
        413: { content: { 'application/json': Failure<'payload_too_large'> } }
        415: { content: { 'application/json': Failure<'unsupported_media_type'> } }
        429: { content: { 'application/json': Failure<'rate_limited'> } }
        500: { content: { 'application/json': Failure<'internal_error'> } }
        503: { content: { 'application/json': Failure<'unavailable'> } }
      }
    }
  }
  '/api/v01/account/password-reset/confirm': {
    /** Set a new password by a mailed token */
    post: {
      parameters: { query?: never; path?: never; header?: never; cookie?: never }
      requestBody: { content: { 'application/json': ConfirmResetBody } }
      responses: {
        200: { content: { 'application/json': SuccessMessage } }
        400: { content: { 'application/json': Failure<'invalid_token' | 'validation_failed' | 'invalid_request' | 'invalid_json'> } }
        403: { content: { 'application/json': Failure<'oidc_only' | 'cross_site_request'> } }
        413: { content: { 'application/json': Failure<'payload_too_large'> } }
        415: { content: { 'application/json': Failure<'unsupported_media_type'> } }
        429: { content: { 'application/json': Failure<'rate_limited'> } }
        500: { content: { 'application/json': Failure<'internal_error'> } }
        503: { content: { 'application/json': Failure<'unavailable'> } }
      }
    }
  }
  '/api/v01/account': {
    /** Change name, e-mail address or password */
    patch: {
      parameters: { query?: never; path?: never; header?: never; cookie?: never }
      requestBody?: { content: { 'application/json': ChangeAccountBody } }
      responses: {
        200: { content: { 'application/json': AccountAnswer } }
        400: { content: { 'application/json': Failure<'nothing_to_update' | 'validation_failed' | 'invalid_request' | 'invalid_json'> } }
        401: { content: { 'application/json': Failure<'authentication_required' | 'token_expired_or_invalid'> } }
        403: { content: { 'application/json': Failure<'wrong_password' | 'oidc_only' | 'fresh_sign_in_required' | 'cross_site_request'> } }
        409: { content: { 'application/json': Failure<'email_taken'> } }
        413: { content: { 'application/json': Failure<'payload_too_large'> } }
        415: { content: { 'application/json': Failure<'unsupported_media_type'> } }
        429: { content: { 'application/json': Failure<'locked_out' | 'rate_limited'> } }
        500: { content: { 'application/json': Failure<'internal_error'> } }
        503: { content: { 'application/json': Failure<'unavailable'> } }
      }
    }
    /** Delete the account */
    delete: {
      parameters: { query?: never; path?: never; header?: never; cookie?: never }
      requestBody?: { content: { 'application/json': DeleteAccountBody } }
      responses: {
        200: { content: { 'application/json': SuccessMessage } }
        400: { content: { 'application/json': Failure<'confirmation_required' | 'validation_failed' | 'invalid_request' | 'invalid_json'> } }
        401: { content: { 'application/json': Failure<'authentication_required' | 'token_expired_or_invalid'> } }
        403: { content: { 'application/json': Failure<'wrong_password' | 'fresh_sign_in_required' | 'cross_site_request'> } }
        409: { content: { 'application/json': Failure<'last_admin' | 'attempt_active'> } }
        413: { content: { 'application/json': Failure<'payload_too_large'> } }
        415: { content: { 'application/json': Failure<'unsupported_media_type'> } }
        429: { content: { 'application/json': Failure<'locked_out' | 'rate_limited'> } }
        500: { content: { 'application/json': Failure<'internal_error'> } }
        503: { content: { 'application/json': Failure<'unavailable'> } }
      }
    }
  }
  '/api/v01/account/sessions': {
    /** Own sessions */
    get: {
      parameters: { query?: never; path?: never; header?: never; cookie?: never }
      requestBody?: never
      responses: {
        200: { content: { 'application/json': SessionsAnswer } }
        304: { content: {} }
        400: { content: { 'application/json': Failure<'validation_failed' | 'invalid_request'> } }
        401: { content: { 'application/json': Failure<'authentication_required' | 'token_expired_or_invalid'> } }
        429: { content: { 'application/json': Failure<'rate_limited'> } }
        500: { content: { 'application/json': Failure<'internal_error'> } }
        503: { content: { 'application/json': Failure<'unavailable'> } }
      }
    }
  }
  '/api/v01/account/sessions/{id}': {
    /** End a session */
    delete: {
      parameters: { query?: never; path: { 'id': number }; header?: never; cookie?: never }
      requestBody?: never
      responses: {
        200: { content: { 'application/json': Success } }
        400: { content: { 'application/json': Failure<'validation_failed' | 'invalid_request'> } }
        401: { content: { 'application/json': Failure<'authentication_required' | 'token_expired_or_invalid'> } }
        403: { content: { 'application/json': Failure<'cross_site_request'> } }
        404: { content: { 'application/json': Failure<'not_found'> } }
        429: { content: { 'application/json': Failure<'rate_limited'> } }
        500: { content: { 'application/json': Failure<'internal_error'> } }
        503: { content: { 'application/json': Failure<'unavailable'> } }
      }
    }
  }
  '/api/v01/account/access-requests/eligibility': {
    /** Which roles an account can ask for */
    post: {
      parameters: { query?: never; path?: never; header?: never; cookie?: never }
      requestBody: { content: { 'application/json': EligibilityBody } }
      responses: {
        200: { content: { 'application/json': EligibilityAnswer } }
        400: { content: { 'application/json': Failure<'validation_failed' | 'invalid_request' | 'invalid_json'> } }
        401: { content: { 'application/json': Failure<'token_expired_or_invalid'> } }
        403: { content: { 'application/json': Failure<'cross_site_request'> } }
        404: { content: { 'application/json': Failure<'not_found'> } }
        413: { content: { 'application/json': Failure<'payload_too_large'> } }
        415: { content: { 'application/json': Failure<'unsupported_media_type'> } }
        429: { content: { 'application/json': Failure<'rate_limited'> } }
        500: { content: { 'application/json': Failure<'internal_error'> } }
        503: { content: { 'application/json': Failure<'unavailable'> } }
      }
    }
  }
  '/api/v01/account/access-requests': {
    /** Ask for another role */
    post: {
      parameters: { query?: never; path?: never; header?: never; cookie?: never }
      requestBody: { content: { 'application/json': AccessRequestBody } }
      responses: {
        201: { content: { 'application/json': AccessRequestAnswer } }
        400: { content: { 'application/json': Failure<'validation_failed' | 'invalid_request' | 'invalid_json'> } }
        401: { content: { 'application/json': Failure<'token_expired_or_invalid'> } }
        403: { content: { 'application/json': Failure<'cross_site_request'> } }
        404: { content: { 'application/json': Failure<'not_found'> } }
        409: { content: { 'application/json': Failure<'request_pending'> } }
        413: { content: { 'application/json': Failure<'payload_too_large'> } }
        415: { content: { 'application/json': Failure<'unsupported_media_type'> } }
        429: { content: { 'application/json': Failure<'rate_limited'> } }
        500: { content: { 'application/json': Failure<'internal_error'> } }
        503: { content: { 'application/json': Failure<'unavailable'> } }
      }
    }
  }
  '/api/v01/ws': {
    /** The WebSocket */
    get: {
      parameters: { query?: never; path?: never; header?: never; cookie?: never }
      requestBody?: never
      responses: {
        101: { content: {} }
        400: { content: { 'application/json': Failure<'validation_failed' | 'invalid_request'> } }
        401: { content: { 'application/json': Failure<'authentication_required' | 'token_expired_or_invalid'> } }
        403: { content: { 'application/json': Failure<'cross_site_request'> } }
        426: { content: { 'application/json': Failure<'upgrade_required'> } }
        429: { content: { 'application/json': Failure<'rate_limited'> } }
        500: { content: { 'application/json': Failure<'internal_error'> } }
        503: { content: { 'application/json': Failure<'unavailable'> } }
      }
    }
  }
  '/api/v01/assistant/messages': {
    /** Ask the assistant */
    post: {
      parameters: { query?: never; path?: never; header?: never; cookie?: never }
      requestBody: { content: { 'application/json': TutorQuestion } }
      responses: {
        200: { content: { 'application/json': TutorAnswer } }
        400: { content: { 'application/json': Failure<'conversation_limit' | 'validation_failed' | 'invalid_request' | 'invalid_json'> } }
        401: { content: { 'application/json': Failure<'authentication_required' | 'token_expired_or_invalid'> } }
        403: { content: { 'application/json': Failure<'cross_site_request' | 'exam_in_progress'> } }
        404: { content: { 'application/json': Failure<'not_found'> } }
        413: { content: { 'application/json': Failure<'payload_too_large'> } }
        415: { content: { 'application/json': Failure<'unsupported_media_type'> } }
        429: { content: { 'application/json': Failure<'daily_limit' | 'ai_budget_spent' | 'rate_limited'> } }
        500: { content: { 'application/json': Failure<'internal_error'> } }
        502: { content: { 'application/json': Failure<'model_failed'> } }
        503: { content: { 'application/json': Failure<'not_configured' | 'unavailable'> } }
      }
    }
  }
  '/api/v01/assistant/conversations': {
    /** Own conversations, latest change first */
    get: {
      parameters: { query?: { 'search'?: string; 'limit'?: number; 'cursor'?: string }; path?: never; header?: never; cookie?: never }
      requestBody?: never
      responses: {
        200: { content: { 'application/json': TutorConversations | FurtherTutorConversations } }
        304: { content: {} }
        400: { content: { 'application/json': Failure<'validation_failed' | 'invalid_request'> } }
        401: { content: { 'application/json': Failure<'authentication_required' | 'token_expired_or_invalid'> } }
        403: { content: { 'application/json': Failure<'exam_in_progress'> } }
        429: { content: { 'application/json': Failure<'rate_limited'> } }
        500: { content: { 'application/json': Failure<'internal_error'> } }
        503: { content: { 'application/json': Failure<'unavailable'> } }
      }
    }
  }
  '/api/v01/assistant/conversations/{id}/messages': {
    /** A page of messages, oldest to newest */
    get: {
      parameters: { query?: { 'limit'?: number; 'cursor'?: string }; path: { 'id': number }; header?: never; cookie?: never }
      requestBody?: never
      responses: {
        200: { content: { 'application/json': TutorMessages } }
        304: { content: {} }
        400: { content: { 'application/json': Failure<'validation_failed' | 'invalid_request'> } }
        401: { content: { 'application/json': Failure<'authentication_required' | 'token_expired_or_invalid'> } }
        403: { content: { 'application/json': Failure<'exam_in_progress'> } }
        404: { content: { 'application/json': Failure<'not_found'> } }
        429: { content: { 'application/json': Failure<'rate_limited'> } }
        500: { content: { 'application/json': Failure<'internal_error'> } }
        503: { content: { 'application/json': Failure<'unavailable'> } }
      }
    }
  }
  '/api/v01/assistant/conversations/{id}': {
    /** Rename a conversation */
    put: {
      parameters: { query?: never; path: { 'id': number }; header?: never; cookie?: never }
      requestBody: { content: { 'application/json': NewTitle } }
      responses: {
        200: { content: { 'application/json': TutorConversationAnswer } }
        400: { content: { 'application/json': Failure<'validation_failed' | 'invalid_request' | 'invalid_json'> } }
        401: { content: { 'application/json': Failure<'authentication_required' | 'token_expired_or_invalid'> } }
        403: { content: { 'application/json': Failure<'cross_site_request' | 'exam_in_progress'> } }
        404: { content: { 'application/json': Failure<'not_found'> } }
        413: { content: { 'application/json': Failure<'payload_too_large'> } }
        415: { content: { 'application/json': Failure<'unsupported_media_type'> } }
        429: { content: { 'application/json': Failure<'rate_limited'> } }
        500: { content: { 'application/json': Failure<'internal_error'> } }
        503: { content: { 'application/json': Failure<'unavailable'> } }
      }
    }
    /** Rename a conversation */
    patch: {
      parameters: { query?: never; path: { 'id': number }; header?: never; cookie?: never }
      requestBody: { content: { 'application/json': NewTitle } }
      responses: {
        200: { content: { 'application/json': TutorConversationAnswer } }
        400: { content: { 'application/json': Failure<'validation_failed' | 'invalid_request' | 'invalid_json'> } }
        401: { content: { 'application/json': Failure<'authentication_required' | 'token_expired_or_invalid'> } }
        403: { content: { 'application/json': Failure<'cross_site_request' | 'exam_in_progress'> } }
        404: { content: { 'application/json': Failure<'not_found'> } }
        413: { content: { 'application/json': Failure<'payload_too_large'> } }
        415: { content: { 'application/json': Failure<'unsupported_media_type'> } }
        429: { content: { 'application/json': Failure<'rate_limited'> } }
        500: { content: { 'application/json': Failure<'internal_error'> } }
        503: { content: { 'application/json': Failure<'unavailable'> } }
      }
    }
    /** Delete a conversation with its messages */
    delete: {
      parameters: { query?: never; path: { 'id': number }; header?: never; cookie?: never }
      requestBody?: never
      responses: {
        200: { content: { 'application/json': SuccessMessage } }
        400: { content: { 'application/json': Failure<'validation_failed' | 'invalid_request'> } }
        401: { content: { 'application/json': Failure<'authentication_required' | 'token_expired_or_invalid'> } }
        403: { content: { 'application/json': Failure<'cross_site_request' | 'exam_in_progress'> } }
        404: { content: { 'application/json': Failure<'not_found'> } }
        429: { content: { 'application/json': Failure<'rate_limited'> } }
        500: { content: { 'application/json': Failure<'internal_error'> } }
        503: { content: { 'application/json': Failure<'unavailable'> } }
      }
    }
  }
  '/api/v01/chat/conversations': {
    /** Own conversations, pinned ones first, then by latest activity */
    get: {
      parameters: { query?: { 'archived'?: boolean }; path?: never; header?: never; cookie?: never }
      requestBody?: never
      responses: {
        200: { content: { 'application/json': ConversationsAnswer } }
        304: { content: {} }
        400: { content: { 'application/json': Failure<'validation_failed' | 'invalid_request'> } }
        401: { content: { 'application/json': Failure<'authentication_required' | 'token_expired_or_invalid'> } }
        403: { content: { 'application/json': Failure<'exam_in_progress'> } }
        429: { content: { 'application/json': Failure<'rate_limited'> } }
        500: { content: { 'application/json': Failure<'internal_error'> } }
        503: { content: { 'application/json': Failure<'unavailable'> } }
      }
    }
  }
  '/api/v01/chat/conversations/{id}': {
    /** A conversation with its members */
    get: {
      parameters: { query?: never; path: { 'id': number }; header?: never; cookie?: never }
      requestBody?: never
      responses: {
        200: { content: { 'application/json': ConversationAnswer } }
        304: { content: {} }
        400: { content: { 'application/json': Failure<'validation_failed' | 'invalid_request'> } }
        401: { content: { 'application/json': Failure<'authentication_required' | 'token_expired_or_invalid'> } }
        403: { content: { 'application/json': Failure<'exam_in_progress'> } }
        404: { content: { 'application/json': Failure<'not_found'> } }
        429: { content: { 'application/json': Failure<'rate_limited'> } }
        500: { content: { 'application/json': Failure<'internal_error'> } }
        503: { content: { 'application/json': Failure<'unavailable'> } }
      }
    }
  }
  '/api/v01/chat/conversations/{id}/read': {
    /** Mark messages as read */
    post: {
      parameters: { query?: never; path: { 'id': number }; header?: never; cookie?: never }
      requestBody?: { content: { 'application/json': ReadBody } }
      responses: {
        200: { content: { 'application/json': ReadAnswer } }
        400: { content: { 'application/json': Failure<'validation_failed' | 'invalid_request' | 'invalid_json'> } }
        401: { content: { 'application/json': Failure<'authentication_required' | 'token_expired_or_invalid'> } }
        403: { content: { 'application/json': Failure<'cross_site_request' | 'exam_in_progress'> } }
        404: { content: { 'application/json': Failure<'not_found'> } }
        413: { content: { 'application/json': Failure<'payload_too_large'> } }
        415: { content: { 'application/json': Failure<'unsupported_media_type'> } }
        429: { content: { 'application/json': Failure<'rate_limited'> } }
        500: { content: { 'application/json': Failure<'internal_error'> } }
        503: { content: { 'application/json': Failure<'unavailable'> } }
      }
    }
  }
  '/api/v01/chat/unread': {
    /** Unread messages and pending requests */
    get: {
      parameters: { query?: never; path?: never; header?: never; cookie?: never }
      requestBody?: never
      responses: {
        200: { content: { 'application/json': UnreadAnswer } }
        304: { content: {} }
        400: { content: { 'application/json': Failure<'validation_failed' | 'invalid_request'> } }
        401: { content: { 'application/json': Failure<'authentication_required' | 'token_expired_or_invalid'> } }
        403: { content: { 'application/json': Failure<'exam_in_progress'> } }
        429: { content: { 'application/json': Failure<'rate_limited'> } }
        500: { content: { 'application/json': Failure<'internal_error'> } }
        503: { content: { 'application/json': Failure<'unavailable'> } }
      }
    }
  }
  '/api/v01/chat/conversations/{id}/changes': {
    /** Every message created, edited or deleted after a version */
    get: {
      parameters: { query: { 'since': number }; path: { 'id': number }; header?: never; cookie?: never }
      requestBody?: never
      responses: {
        200: { content: { 'application/json': ChangesAnswer } }
        304: { content: {} }
        400: { content: { 'application/json': Failure<'validation_failed' | 'invalid_request'> } }
        401: { content: { 'application/json': Failure<'authentication_required' | 'token_expired_or_invalid'> } }
        403: { content: { 'application/json': Failure<'exam_in_progress'> } }
        404: { content: { 'application/json': Failure<'not_found'> } }
        429: { content: { 'application/json': Failure<'rate_limited'> } }
        500: { content: { 'application/json': Failure<'internal_error'> } }
        503: { content: { 'application/json': Failure<'unavailable'> } }
      }
    }
  }
  '/api/v01/chat/messages/{id}': {
    /** Edit one's own message */
    patch: {
      parameters: { query?: never; path: { 'id': number }; header?: never; cookie?: never }
      requestBody: { content: { 'application/json': MessageEdit } }
      responses: {
        200: { content: { 'application/json': MessageAnswer } }
        400: { content: { 'application/json': Failure<'validation_failed' | 'invalid_request' | 'invalid_json'> } }
        401: { content: { 'application/json': Failure<'authentication_required' | 'token_expired_or_invalid'> } }
        403: { content: { 'application/json': Failure<'not_owner' | 'not_connected' | 'cross_site_request' | 'exam_in_progress'> } }
        404: { content: { 'application/json': Failure<'not_found'> } }
        413: { content: { 'application/json': Failure<'payload_too_large'> } }
        415: { content: { 'application/json': Failure<'unsupported_media_type'> } }
        429: { content: { 'application/json': Failure<'rate_limited'> } }
        500: { content: { 'application/json': Failure<'internal_error'> } }
        503: { content: { 'application/json': Failure<'unavailable'> } }
      }
    }
    /** Delete one's own message */
    delete: {
      parameters: { query?: never; path: { 'id': number }; header?: never; cookie?: never }
      requestBody?: never
      responses: {
        200: { content: { 'application/json': Success } }
        400: { content: { 'application/json': Failure<'validation_failed' | 'invalid_request'> } }
        401: { content: { 'application/json': Failure<'authentication_required' | 'token_expired_or_invalid'> } }
        403: { content: { 'application/json': Failure<'not_owner' | 'cross_site_request' | 'exam_in_progress'> } }
        404: { content: { 'application/json': Failure<'not_found'> } }
        429: { content: { 'application/json': Failure<'rate_limited'> } }
        500: { content: { 'application/json': Failure<'internal_error'> } }
        503: { content: { 'application/json': Failure<'unavailable'> } }
      }
    }
  }
  '/api/v01/chat/groups': {
    /** Create a group of accepted connections */
    post: {
      parameters: { query?: never; path?: never; header?: never; cookie?: never }
      requestBody: { content: { 'application/json': NewGroup } }
      responses: {
        201: { content: { 'application/json': GroupAnswer } }
        400: { content: { 'application/json': Failure<'not_connected' | 'validation_failed' | 'invalid_request' | 'invalid_json'> } }
        401: { content: { 'application/json': Failure<'authentication_required' | 'token_expired_or_invalid'> } }
        403: { content: { 'application/json': Failure<'cross_site_request' | 'exam_in_progress'> } }
        409: { content: { 'application/json': Failure<'too_many'> } }
        413: { content: { 'application/json': Failure<'payload_too_large'> } }
        415: { content: { 'application/json': Failure<'unsupported_media_type'> } }
        429: { content: { 'application/json': Failure<'rate_limited'> } }
        500: { content: { 'application/json': Failure<'internal_error'> } }
        503: { content: { 'application/json': Failure<'unavailable'> } }
      }
    }
  }
  '/api/v01/chat/groups/{id}': {
    /** Rename a group: its owner only */
    patch: {
      parameters: { query?: never; path: { 'id': number }; header?: never; cookie?: never }
      requestBody: { content: { 'application/json': NewName } }
      responses: {
        200: { content: { 'application/json': ConversationAnswer } }
        400: { content: { 'application/json': Failure<'validation_failed' | 'invalid_request' | 'invalid_json'> } }
        401: { content: { 'application/json': Failure<'authentication_required' | 'token_expired_or_invalid'> } }
        403: { content: { 'application/json': Failure<'owner_only' | 'cross_site_request' | 'exam_in_progress'> } }
        404: { content: { 'application/json': Failure<'not_found'> } }
        413: { content: { 'application/json': Failure<'payload_too_large'> } }
        415: { content: { 'application/json': Failure<'unsupported_media_type'> } }
        429: { content: { 'application/json': Failure<'rate_limited'> } }
        500: { content: { 'application/json': Failure<'internal_error'> } }
        503: { content: { 'application/json': Failure<'unavailable'> } }
      }
    }
  }
  '/api/v01/chat/groups/{id}/members': {
    /** Add accepted connections to a group: its owner only */
    post: {
      parameters: { query?: never; path: { 'id': number }; header?: never; cookie?: never }
      requestBody: { content: { 'application/json': MembersBody } }
      responses: {
        200: { content: { 'application/json': ConversationAnswer } }
        400: { content: { 'application/json': Failure<'not_connected' | 'validation_failed' | 'invalid_request' | 'invalid_json'> } }
        401: { content: { 'application/json': Failure<'authentication_required' | 'token_expired_or_invalid'> } }
        403: { content: { 'application/json': Failure<'owner_only' | 'class_group' | 'cross_site_request' | 'exam_in_progress'> } }
        404: { content: { 'application/json': Failure<'not_found'> } }
        409: { content: { 'application/json': Failure<'too_many'> } }
        413: { content: { 'application/json': Failure<'payload_too_large'> } }
        415: { content: { 'application/json': Failure<'unsupported_media_type'> } }
        429: { content: { 'application/json': Failure<'rate_limited'> } }
        500: { content: { 'application/json': Failure<'internal_error'> } }
        503: { content: { 'application/json': Failure<'unavailable'> } }
      }
    }
  }
  '/api/v01/chat/groups/{id}/members/{user_id}': {
    /** Remove somebody from a group, or oneself */
    delete: {
      parameters: { query?: never; path: { 'id': number; 'user_id': number }; header?: never; cookie?: never }
      requestBody?: never
      responses: {
        200: { content: { 'application/json': Success } }
        400: { content: { 'application/json': Failure<'validation_failed' | 'invalid_request'> } }
        401: { content: { 'application/json': Failure<'authentication_required' | 'token_expired_or_invalid'> } }
        403: { content: { 'application/json': Failure<'owner_only' | 'class_group' | 'cross_site_request' | 'exam_in_progress'> } }
        404: { content: { 'application/json': Failure<'not_found'> } }
        429: { content: { 'application/json': Failure<'rate_limited'> } }
        500: { content: { 'application/json': Failure<'internal_error'> } }
        503: { content: { 'application/json': Failure<'unavailable'> } }
      }
    }
  }
  '/api/v01/chat/users': {
    /** Find people by a part of their names */
    get: {
      parameters: { query: { 'q': string }; path?: never; header?: never; cookie?: never }
      requestBody?: never
      responses: {
        200: { content: { 'application/json': UsersAnswer } }
        304: { content: {} }
        400: { content: { 'application/json': Failure<'validation_failed' | 'invalid_request'> } }
        401: { content: { 'application/json': Failure<'authentication_required' | 'token_expired_or_invalid'> } }
        403: { content: { 'application/json': Failure<'exam_in_progress'> } }
        429: { content: { 'application/json': Failure<'rate_limited'> } }
        500: { content: { 'application/json': Failure<'internal_error'> } }
        503: { content: { 'application/json': Failure<'unavailable'> } }
      }
    }
  }
  '/api/v01/chat/presence': {
    /** Who is online, of the people with whom one shares a connection or a conversation */
    get: {
      parameters: { query?: never; path?: never; header?: never; cookie?: never }
      requestBody?: never
      responses: {
        200: { content: { 'application/json': PresenceAnswer } }
        304: { content: {} }
        400: { content: { 'application/json': Failure<'validation_failed' | 'invalid_request'> } }
        401: { content: { 'application/json': Failure<'authentication_required' | 'token_expired_or_invalid'> } }
        403: { content: { 'application/json': Failure<'exam_in_progress'> } }
        429: { content: { 'application/json': Failure<'rate_limited'> } }
        500: { content: { 'application/json': Failure<'internal_error'> } }
        503: { content: { 'application/json': Failure<'unavailable'> } }
      }
    }
  }
  '/api/v01/chat/blocks': {
    /** Whom one has blocked */
    get: {
      parameters: { query?: never; path?: never; header?: never; cookie?: never }
      requestBody?: never
      responses: {
        200: { content: { 'application/json': BlocksAnswer } }
        304: { content: {} }
        400: { content: { 'application/json': Failure<'validation_failed' | 'invalid_request'> } }
        401: { content: { 'application/json': Failure<'authentication_required' | 'token_expired_or_invalid'> } }
        403: { content: { 'application/json': Failure<'exam_in_progress'> } }
        429: { content: { 'application/json': Failure<'rate_limited'> } }
        500: { content: { 'application/json': Failure<'internal_error'> } }
        503: { content: { 'application/json': Failure<'unavailable'> } }
      }
    }
  }
  '/api/v01/chat/blocks/{user_id}': {
    /** Block somebody */
    put: {
      parameters: { query?: never; path: { 'user_id': number }; header?: never; cookie?: never }
      requestBody?: never
      responses: {
        200: { content: { 'application/json': Success } }
        400: { content: { 'application/json': Failure<'validation_failed' | 'invalid_request' | 'invalid_json'> } }
        401: { content: { 'application/json': Failure<'authentication_required' | 'token_expired_or_invalid'> } }
        403: { content: { 'application/json': Failure<'cross_site_request' | 'exam_in_progress'> } }
        404: { content: { 'application/json': Failure<'not_found'> } }
        413: { content: { 'application/json': Failure<'payload_too_large'> } }
        415: { content: { 'application/json': Failure<'unsupported_media_type'> } }
        429: { content: { 'application/json': Failure<'rate_limited'> } }
        500: { content: { 'application/json': Failure<'internal_error'> } }
        503: { content: { 'application/json': Failure<'unavailable'> } }
      }
    }
    /** End a block */
    delete: {
      parameters: { query?: never; path: { 'user_id': number }; header?: never; cookie?: never }
      requestBody?: never
      responses: {
        200: { content: { 'application/json': Success } }
        400: { content: { 'application/json': Failure<'validation_failed' | 'invalid_request'> } }
        401: { content: { 'application/json': Failure<'authentication_required' | 'token_expired_or_invalid'> } }
        403: { content: { 'application/json': Failure<'cross_site_request' | 'exam_in_progress'> } }
        404: { content: { 'application/json': Failure<'not_found'> } }
        429: { content: { 'application/json': Failure<'rate_limited'> } }
        500: { content: { 'application/json': Failure<'internal_error'> } }
        503: { content: { 'application/json': Failure<'unavailable'> } }
      }
    }
  }
  '/api/v01/chat/connections': {
    /** Ask somebody to connect */
    post: {
      parameters: { query?: never; path?: never; header?: never; cookie?: never }
      requestBody: { content: { 'application/json': ConnectBody } }
      responses: {
        200: { content: { 'application/json': ConnectAccepted } }
        201: { content: { 'application/json': ConnectPending } }
        400: { content: { 'application/json': Failure<'self_connection' | 'validation_failed' | 'invalid_request' | 'invalid_json'> } }
        401: { content: { 'application/json': Failure<'authentication_required' | 'token_expired_or_invalid'> } }
        403: { content: { 'application/json': Failure<'cross_site_request' | 'exam_in_progress'> } }
        404: { content: { 'application/json': Failure<'not_found'> } }
        409: { content: { 'application/json': Failure<'already_connected' | 'already_pending' | 'already_answered' | 'too_many'> } }
        413: { content: { 'application/json': Failure<'payload_too_large'> } }
        415: { content: { 'application/json': Failure<'unsupported_media_type'> } }
        429: { content: { 'application/json': Failure<'rate_limited'> } }
        500: { content: { 'application/json': Failure<'internal_error'> } }
        503: { content: { 'application/json': Failure<'unavailable'> } }
      }
    }
  }
  '/api/v01/chat/connections/requests': {
    /** Incoming pending requests */
    get: {
      parameters: { query?: never; path?: never; header?: never; cookie?: never }
      requestBody?: never
      responses: {
        200: { content: { 'application/json': RequestsAnswer } }
        304: { content: {} }
        400: { content: { 'application/json': Failure<'validation_failed' | 'invalid_request'> } }
        401: { content: { 'application/json': Failure<'authentication_required' | 'token_expired_or_invalid'> } }
        403: { content: { 'application/json': Failure<'exam_in_progress'> } }
        429: { content: { 'application/json': Failure<'rate_limited'> } }
        500: { content: { 'application/json': Failure<'internal_error'> } }
        503: { content: { 'application/json': Failure<'unavailable'> } }
      }
    }
  }
  '/api/v01/chat/connections/{conn_id}/respond': {
    /** Accept or reject a request */
    post: {
      parameters: { query?: never; path: { 'conn_id': number }; header?: never; cookie?: never }
      requestBody: { content: { 'application/json': RespondBody } }
      responses: {
        200: { content: { 'application/json': RespondAnswer } }
        400: { content: { 'application/json': Failure<'validation_failed' | 'invalid_request' | 'invalid_json'> } }
        401: { content: { 'application/json': Failure<'authentication_required' | 'token_expired_or_invalid'> } }
        403: { content: { 'application/json': Failure<'cross_site_request' | 'exam_in_progress'> } }
        404: { content: { 'application/json': Failure<'not_found'> } }
        409: { content: { 'application/json': Failure<'already_answered'> } }
        413: { content: { 'application/json': Failure<'payload_too_large'> } }
        415: { content: { 'application/json': Failure<'unsupported_media_type'> } }
        429: { content: { 'application/json': Failure<'rate_limited'> } }
        500: { content: { 'application/json': Failure<'internal_error'> } }
        503: { content: { 'application/json': Failure<'unavailable'> } }
      }
    }
  }
  '/api/v01/chat/connections/{conn_id}': {
    /** End a connection, or withdraw a request */
    delete: {
      parameters: { query?: never; path: { 'conn_id': number }; header?: never; cookie?: never }
      requestBody?: never
      responses: {
        200: { content: { 'application/json': Success } }
        400: { content: { 'application/json': Failure<'validation_failed' | 'invalid_request'> } }
        401: { content: { 'application/json': Failure<'authentication_required' | 'token_expired_or_invalid'> } }
        403: { content: { 'application/json': Failure<'cross_site_request' | 'exam_in_progress'> } }
        404: { content: { 'application/json': Failure<'not_found'> } }
        429: { content: { 'application/json': Failure<'rate_limited'> } }
        500: { content: { 'application/json': Failure<'internal_error'> } }
        503: { content: { 'application/json': Failure<'unavailable'> } }
      }
    }
  }
  '/api/v01/chat/conversations/{id}/settings': {
    /** Mute, archive or pin a conversation for oneself */
    patch: {
      parameters: { query?: never; path: { 'id': number }; header?: never; cookie?: never }
      requestBody?: { content: { 'application/json': SettingsBody } }
      responses: {
        200: { content: { 'application/json': SettingsAnswer } }
        400: { content: { 'application/json': Failure<'validation_failed' | 'invalid_request' | 'invalid_json'> } }
        401: { content: { 'application/json': Failure<'authentication_required' | 'token_expired_or_invalid'> } }
        403: { content: { 'application/json': Failure<'cross_site_request' | 'exam_in_progress'> } }
        404: { content: { 'application/json': Failure<'not_found'> } }
        409: { content: { 'application/json': Failure<'too_many'> } }
        413: { content: { 'application/json': Failure<'payload_too_large'> } }
        415: { content: { 'application/json': Failure<'unsupported_media_type'> } }
        429: { content: { 'application/json': Failure<'rate_limited'> } }
        500: { content: { 'application/json': Failure<'internal_error'> } }
        503: { content: { 'application/json': Failure<'unavailable'> } }
      }
    }
  }
  '/api/v01/chat/search': {
    /** Find messages by their words and the names of their files, newest first */
    get: {
      parameters: { query: { 'q': string; 'conversation_id'?: number; 'from_user_id'?: number; 'before'?: number; 'limit'?: number }; path?: never; header?: never; cookie?: never }
      requestBody?: never
      responses: {
        200: { content: { 'application/json': SearchAnswer } }
        304: { content: {} }
        400: { content: { 'application/json': Failure<'validation_failed' | 'invalid_request'> } }
        401: { content: { 'application/json': Failure<'authentication_required' | 'token_expired_or_invalid'> } }
        403: { content: { 'application/json': Failure<'exam_in_progress'> } }
        404: { content: { 'application/json': Failure<'not_found'> } }
        429: { content: { 'application/json': Failure<'rate_limited'> } }
        500: { content: { 'application/json': Failure<'internal_error'> } }
        503: { content: { 'application/json': Failure<'unavailable'> } }
      }
    }
  }
  '/api/v01/chat/conversations/{id}/messages': {
    /** A page of messages, oldest to newest */
    get: {
      parameters: { query?: { 'before'?: string; 'around'?: number; 'limit'?: number; 'peek'?: boolean }; path: { 'id': number }; header?: never; cookie?: never }
      requestBody?: never
      responses: {
        200: { content: { 'application/json': MessagesAnswer } }
        304: { content: {} }
        400: { content: { 'application/json': Failure<'validation_failed' | 'invalid_request'> } }
        401: { content: { 'application/json': Failure<'authentication_required' | 'token_expired_or_invalid'> } }
        403: { content: { 'application/json': Failure<'exam_in_progress'> } }
        404: { content: { 'application/json': Failure<'not_found'> } }
        429: { content: { 'application/json': Failure<'rate_limited'> } }
        500: { content: { 'application/json': Failure<'internal_error'> } }
        503: { content: { 'application/json': Failure<'unavailable'> } }
      }
    }
    /** Send a message */
    post: {
      parameters: { query?: never; path: { 'id': number }; header?: never; cookie?: never }
      requestBody?: { content: { 'application/json': NewMessage } }
      responses: {
        200: { content: { 'application/json': MessageAnswer } }
        201: { content: { 'application/json': MessageAnswer } }
        400: { content: { 'application/json': Failure<'invalid_reply' | 'invalid_attachment' | 'attachment_gone' | 'validation_failed' | 'invalid_request' | 'invalid_json'> } }
        401: { content: { 'application/json': Failure<'authentication_required' | 'token_expired_or_invalid'> } }
        403: { content: { 'application/json': Failure<'not_connected' | 'cross_site_request' | 'exam_in_progress'> } }
        404: { content: { 'application/json': Failure<'not_found'> } }
        413: { content: { 'application/json': Failure<'payload_too_large'> } }
        415: { content: { 'application/json': Failure<'unsupported_media_type'> } }
        429: { content: { 'application/json': Failure<'rate_limited'> } }
        500: { content: { 'application/json': Failure<'internal_error'> } }
        503: { content: { 'application/json': Failure<'unavailable'> } }
      }
    }
  }
  '/api/v01/chat/conversations/{id}/messages/{message_id}/reactions/{emoji}': {
    /** React to a message with an emoji */
    put: {
      parameters: { query?: never; path: { 'id': number; 'message_id': number; 'emoji': string }; header?: never; cookie?: never }
      requestBody?: never
      responses: {
        200: { content: { 'application/json': ReactionsAnswer } }
        400: { content: { 'application/json': Failure<'validation_failed' | 'invalid_request' | 'invalid_json'> } }
        401: { content: { 'application/json': Failure<'authentication_required' | 'token_expired_or_invalid'> } }
        403: { content: { 'application/json': Failure<'not_connected' | 'cross_site_request' | 'exam_in_progress'> } }
        404: { content: { 'application/json': Failure<'not_found'> } }
        409: { content: { 'application/json': Failure<'deleted' | 'too_many'> } }
        413: { content: { 'application/json': Failure<'payload_too_large'> } }
        415: { content: { 'application/json': Failure<'unsupported_media_type'> } }
        429: { content: { 'application/json': Failure<'rate_limited'> } }
        500: { content: { 'application/json': Failure<'internal_error'> } }
        503: { content: { 'application/json': Failure<'unavailable'> } }
      }
    }
    /** Take one's reaction back */
    delete: {
      parameters: { query?: never; path: { 'id': number; 'message_id': number; 'emoji': string }; header?: never; cookie?: never }
      requestBody?: never
      responses: {
        200: { content: { 'application/json': ReactionsAnswer } }
        400: { content: { 'application/json': Failure<'validation_failed' | 'invalid_request'> } }
        401: { content: { 'application/json': Failure<'authentication_required' | 'token_expired_or_invalid'> } }
        403: { content: { 'application/json': Failure<'not_connected' | 'cross_site_request' | 'exam_in_progress'> } }
        404: { content: { 'application/json': Failure<'not_found'> } }
        409: { content: { 'application/json': Failure<'deleted' | 'too_many'> } }
        429: { content: { 'application/json': Failure<'rate_limited'> } }
        500: { content: { 'application/json': Failure<'internal_error'> } }
        503: { content: { 'application/json': Failure<'unavailable'> } }
      }
    }
  }
  '/api/v01/discussions/{question_id}': {
    /** Post a comment or a reply */
    post: {
      parameters: { query?: never; path: { 'question_id': number }; header?: never; cookie?: never }
      requestBody: { content: { 'application/json': NewComment } }
      responses: {
        201: { content: { 'application/json': CommentAnswer } }
        400: { content: { 'application/json': Failure<'validation_failed' | 'invalid_request' | 'invalid_json'> } }
        401: { content: { 'application/json': Failure<'authentication_required' | 'token_expired_or_invalid'> } }
        403: { content: { 'application/json': Failure<'cross_site_request' | 'exam_in_progress'> } }
        404: { content: { 'application/json': Failure<'not_found'> } }
        409: { content: { 'application/json': Failure<'too_many'> } }
        413: { content: { 'application/json': Failure<'payload_too_large'> } }
        415: { content: { 'application/json': Failure<'unsupported_media_type'> } }
        429: { content: { 'application/json': Failure<'rate_limited'> } }
        500: { content: { 'application/json': Failure<'internal_error'> } }
        503: { content: { 'application/json': Failure<'unavailable'> } }
      }
    }
    /** The whole discussion of a question */
    get: {
      parameters: { query?: never; path: { 'question_id': number }; header?: never; cookie?: never }
      requestBody?: never
      responses: {
        200: { content: { 'application/json': DiscussionAnswer } }
        304: { content: {} }
        400: { content: { 'application/json': Failure<'validation_failed' | 'invalid_request'> } }
        401: { content: { 'application/json': Failure<'authentication_required' | 'token_expired_or_invalid'> } }
        403: { content: { 'application/json': Failure<'exam_in_progress'> } }
        404: { content: { 'application/json': Failure<'not_found'> } }
        429: { content: { 'application/json': Failure<'rate_limited'> } }
        500: { content: { 'application/json': Failure<'internal_error'> } }
        503: { content: { 'application/json': Failure<'unavailable'> } }
      }
    }
  }
  '/api/v01/discussions/comments/{id}': {
    /** Edit a comment of one’s own */
    patch: {
      parameters: { query?: never; path: { 'id': number }; header?: never; cookie?: never }
      requestBody: { content: { 'application/json': NewText } }
      responses: {
        200: { content: { 'application/json': CommentAnswer } }
        400: { content: { 'application/json': Failure<'validation_failed' | 'invalid_request' | 'invalid_json'> } }
        401: { content: { 'application/json': Failure<'authentication_required' | 'token_expired_or_invalid'> } }
        403: { content: { 'application/json': Failure<'not_owner' | 'cross_site_request' | 'exam_in_progress'> } }
        404: { content: { 'application/json': Failure<'not_found'> } }
        413: { content: { 'application/json': Failure<'payload_too_large'> } }
        415: { content: { 'application/json': Failure<'unsupported_media_type'> } }
        429: { content: { 'application/json': Failure<'rate_limited'> } }
        500: { content: { 'application/json': Failure<'internal_error'> } }
        503: { content: { 'application/json': Failure<'unavailable'> } }
      }
    }
    /** Delete a comment of one’s own; administrators can delete all */
    delete: {
      parameters: { query?: never; path: { 'id': number }; header?: never; cookie?: never }
      requestBody?: never
      responses: {
        200: { content: { 'application/json': Success } }
        400: { content: { 'application/json': Failure<'validation_failed' | 'invalid_request'> } }
        401: { content: { 'application/json': Failure<'authentication_required' | 'token_expired_or_invalid'> } }
        403: { content: { 'application/json': Failure<'not_owner' | 'cross_site_request' | 'exam_in_progress'> } }
        404: { content: { 'application/json': Failure<'not_found'> } }
        429: { content: { 'application/json': Failure<'rate_limited'> } }
        500: { content: { 'application/json': Failure<'internal_error'> } }
        503: { content: { 'application/json': Failure<'unavailable'> } }
      }
    }
  }
  '/api/v01/discussions/counts': {
    /** How many comments questions have */
    post: {
      parameters: { query?: never; path?: never; header?: never; cookie?: never }
      requestBody: { content: { 'application/json': CountsBody } }
      responses: {
        200: { content: { 'application/json': CountsAnswer } }
        400: { content: { 'application/json': Failure<'validation_failed' | 'invalid_request' | 'invalid_json'> } }
        401: { content: { 'application/json': Failure<'authentication_required' | 'token_expired_or_invalid'> } }
        403: { content: { 'application/json': Failure<'cross_site_request' | 'exam_in_progress'> } }
        413: { content: { 'application/json': Failure<'payload_too_large'> } }
        415: { content: { 'application/json': Failure<'unsupported_media_type'> } }
        429: { content: { 'application/json': Failure<'rate_limited'> } }
        500: { content: { 'application/json': Failure<'internal_error'> } }
        503: { content: { 'application/json': Failure<'unavailable'> } }
      }
    }
  }
  '/api/v01/attempts/{attempt_id}/challenges': {
    /** Challenge how a question was graded */
    post: {
      parameters: { query?: never; path: { 'attempt_id': number }; header?: never; cookie?: never }
      requestBody: { content: { 'application/json': NewChallenge } }
      responses: {
        201: { content: { 'application/json': ChallengeAnswer } }
        400: { content: { 'application/json': Failure<'validation_failed' | 'invalid_request' | 'invalid_json'> } }
        401: { content: { 'application/json': Failure<'authentication_required' | 'token_expired_or_invalid'> } }
        403: { content: { 'application/json': Failure<'results_not_released' | 'cross_site_request' | 'exam_in_progress'> } }
        404: { content: { 'application/json': Failure<'not_found'> } }
        409: { content: { 'application/json': Failure<'already_pending' | 'too_many'> } }
        413: { content: { 'application/json': Failure<'payload_too_large'> } }
        415: { content: { 'application/json': Failure<'unsupported_media_type'> } }
        429: { content: { 'application/json': Failure<'rate_limited'> } }
        500: { content: { 'application/json': Failure<'internal_error'> } }
        503: { content: { 'application/json': Failure<'unavailable'> } }
      }
    }
    /** Your challenges of an attempt, and how they were decided */
    get: {
      parameters: { query?: never; path: { 'attempt_id': number }; header?: never; cookie?: never }
      requestBody?: never
      responses: {
        200: { content: { 'application/json': ChallengesAnswer } }
        304: { content: {} }
        400: { content: { 'application/json': Failure<'validation_failed' | 'invalid_request'> } }
        401: { content: { 'application/json': Failure<'authentication_required' | 'token_expired_or_invalid'> } }
        403: { content: { 'application/json': Failure<'exam_in_progress'> } }
        404: { content: { 'application/json': Failure<'not_found'> } }
        429: { content: { 'application/json': Failure<'rate_limited'> } }
        500: { content: { 'application/json': Failure<'internal_error'> } }
        503: { content: { 'application/json': Failure<'unavailable'> } }
      }
    }
  }
  '/api/v01/practice': {
    /** What is to be practised now, and what was practised today */
    get: {
      parameters: { query?: never; path?: never; header?: never; cookie?: never }
      requestBody?: never
      responses: {
        200: { content: { 'application/json': PracticeAnswer } }
        304: { content: {} }
        400: { content: { 'application/json': Failure<'validation_failed' | 'invalid_request'> } }
        401: { content: { 'application/json': Failure<'authentication_required' | 'token_expired_or_invalid'> } }
        403: { content: { 'application/json': Failure<'exam_in_progress'> } }
        429: { content: { 'application/json': Failure<'rate_limited'> } }
        500: { content: { 'application/json': Failure<'internal_error'> } }
        503: { content: { 'application/json': Failure<'unavailable'> } }
      }
    }
  }
  '/api/v01/practice/settings': {
    /** Set how many new questions come each day, and how well answers should be remembered */
    put: {
      parameters: { query?: never; path?: never; header?: never; cookie?: never }
      requestBody?: { content: { 'application/json': PracticeSettingsChanges } }
      responses: {
        200: { content: { 'application/json': PracticeSettingsAnswer } }
        400: { content: { 'application/json': Failure<'validation_failed' | 'invalid_request' | 'invalid_json'> } }
        401: { content: { 'application/json': Failure<'authentication_required' | 'token_expired_or_invalid'> } }
        403: { content: { 'application/json': Failure<'cross_site_request' | 'exam_in_progress'> } }
        409: { content: { 'application/json': Failure<'too_many'> } }
        413: { content: { 'application/json': Failure<'payload_too_large'> } }
        415: { content: { 'application/json': Failure<'unsupported_media_type'> } }
        429: { content: { 'application/json': Failure<'rate_limited'> } }
        500: { content: { 'application/json': Failure<'internal_error'> } }
        503: { content: { 'application/json': Failure<'unavailable'> } }
      }
    }
  }
  '/api/v01/practice/next': {
    /** The questions to practise now */
    get: {
      parameters: { query?: { 'limit'?: number; 'offset'?: number; 'exam_id'?: number; 'tag'?: string }; path?: never; header?: never; cookie?: never }
      requestBody?: never
      responses: {
        200: { content: { 'application/json': NextAnswer } }
        304: { content: {} }
        400: { content: { 'application/json': Failure<'validation_failed' | 'invalid_request'> } }
        401: { content: { 'application/json': Failure<'authentication_required' | 'token_expired_or_invalid'> } }
        403: { content: { 'application/json': Failure<'exam_in_progress'> } }
        429: { content: { 'application/json': Failure<'rate_limited'> } }
        500: { content: { 'application/json': Failure<'internal_error'> } }
        503: { content: { 'application/json': Failure<'unavailable'> } }
      }
    }
  }
  '/api/v01/practice/reviews': {
    /** Send answers to practice questions */
    post: {
      parameters: { query?: never; path?: never; header?: never; cookie?: never }
      requestBody: { content: { 'application/json': ReviewsBody } }
      responses: {
        200: { content: { 'application/json': ReviewsAnswer } }
        400: { content: { 'application/json': Failure<'validation_failed' | 'invalid_request' | 'invalid_json'> } }
        401: { content: { 'application/json': Failure<'authentication_required' | 'token_expired_or_invalid'> } }
        403: { content: { 'application/json': Failure<'cross_site_request' | 'exam_in_progress'> } }
        409: { content: { 'application/json': Failure<'too_many'> } }
        413: { content: { 'application/json': Failure<'payload_too_large'> } }
        415: { content: { 'application/json': Failure<'unsupported_media_type'> } }
        429: { content: { 'application/json': Failure<'daily_limit' | 'rate_limited'> } }
        500: { content: { 'application/json': Failure<'internal_error'> } }
        503: { content: { 'application/json': Failure<'unavailable'> } }
      }
    }
  }
  '/api/v01/practice/reviews/undo': {
    /** Undo the newest answer to a question */
    post: {
      parameters: { query?: never; path?: never; header?: never; cookie?: never }
      requestBody: { content: { 'application/json': UndoBody } }
      responses: {
        200: { content: { 'application/json': UndoAnswer } }
        400: { content: { 'application/json': Failure<'validation_failed' | 'invalid_request' | 'invalid_json'> } }
        401: { content: { 'application/json': Failure<'authentication_required' | 'token_expired_or_invalid'> } }
        403: { content: { 'application/json': Failure<'cross_site_request' | 'exam_in_progress'> } }
        404: { content: { 'application/json': Failure<'not_found'> } }
        409: { content: { 'application/json': Failure<'not_newest'> } }
        413: { content: { 'application/json': Failure<'payload_too_large'> } }
        415: { content: { 'application/json': Failure<'unsupported_media_type'> } }
        429: { content: { 'application/json': Failure<'rate_limited'> } }
        500: { content: { 'application/json': Failure<'internal_error'> } }
        503: { content: { 'application/json': Failure<'unavailable'> } }
      }
    }
  }
  '/api/v01/practice/forecast': {
    /** The score that you can expect in an exam */
    get: {
      parameters: { query: { 'exam_id': number; 'at'?: string }; path?: never; header?: never; cookie?: never }
      requestBody?: never
      responses: {
        200: { content: { 'application/json': ForecastAnswer } }
        304: { content: {} }
        400: { content: { 'application/json': Failure<'validation_failed' | 'invalid_request'> } }
        401: { content: { 'application/json': Failure<'authentication_required' | 'token_expired_or_invalid'> } }
        403: { content: { 'application/json': Failure<'exam_in_progress'> } }
        404: { content: { 'application/json': Failure<'not_found'> } }
        409: { content: { 'application/json': Failure<'not_practisable'> } }
        429: { content: { 'application/json': Failure<'rate_limited'> } }
        500: { content: { 'application/json': Failure<'internal_error'> } }
        503: { content: { 'application/json': Failure<'unavailable'> } }
      }
    }
  }
  '/api/v01/practice/history': {
    /** Practice by day, and how much of it was right */
    get: {
      parameters: { query?: { 'days'?: number }; path?: never; header?: never; cookie?: never }
      requestBody?: never
      responses: {
        200: { content: { 'application/json': PracticeHistoryAnswer } }
        304: { content: {} }
        400: { content: { 'application/json': Failure<'validation_failed' | 'invalid_request'> } }
        401: { content: { 'application/json': Failure<'authentication_required' | 'token_expired_or_invalid'> } }
        403: { content: { 'application/json': Failure<'exam_in_progress'> } }
        429: { content: { 'application/json': Failure<'rate_limited'> } }
        500: { content: { 'application/json': Failure<'internal_error'> } }
        503: { content: { 'application/json': Failure<'unavailable'> } }
      }
    }
  }
  '/api/v01/library': {
    /** Public notebooks */
    get: {
      parameters: { query?: { 'q'?: string; 'sort'?: 'recent' | 'popular'; 'page'?: number }; path?: never; header?: never; cookie?: never }
      requestBody?: never
      responses: {
        200: { content: { 'application/json': LibraryAnswer } }
        304: { content: {} }
        400: { content: { 'application/json': Failure<'validation_failed' | 'invalid_request'> } }
        401: { content: { 'application/json': Failure<'authentication_required' | 'token_expired_or_invalid'> } }
        403: { content: { 'application/json': Failure<'exam_in_progress'> } }
        429: { content: { 'application/json': Failure<'rate_limited'> } }
        500: { content: { 'application/json': Failure<'internal_error'> } }
        503: { content: { 'application/json': Failure<'unavailable'> } }
      }
    }
  }
  '/api/v01/library/{notebook_id}': {
    /** A public notebook with its pages */
    get: {
      parameters: { query?: never; path: { 'notebook_id': number }; header?: never; cookie?: never }
      requestBody?: never
      responses: {
        200: { content: { 'application/json': LibraryNotebookAnswer } }
        304: { content: {} }
        400: { content: { 'application/json': Failure<'validation_failed' | 'invalid_request'> } }
        401: { content: { 'application/json': Failure<'authentication_required' | 'token_expired_or_invalid'> } }
        403: { content: { 'application/json': Failure<'exam_in_progress'> } }
        404: { content: { 'application/json': Failure<'not_found'> } }
        429: { content: { 'application/json': Failure<'rate_limited'> } }
        500: { content: { 'application/json': Failure<'internal_error'> } }
        503: { content: { 'application/json': Failure<'unavailable'> } }
      }
    }
  }
  '/api/v01/library/{notebook_id}/interactions': {
    /** Like or bookmark a public notebook, or take that back */
    post: {
      parameters: { query?: never; path: { 'notebook_id': number }; header?: never; cookie?: never }
      requestBody: { content: { 'application/json': InteractionBody } }
      responses: {
        200: { content: { 'application/json': InteractionAnswer } }
        400: { content: { 'application/json': Failure<'validation_failed' | 'invalid_request' | 'invalid_json'> } }
        401: { content: { 'application/json': Failure<'authentication_required' | 'token_expired_or_invalid'> } }
        403: { content: { 'application/json': Failure<'cross_site_request' | 'exam_in_progress'> } }
        404: { content: { 'application/json': Failure<'not_found'> } }
        413: { content: { 'application/json': Failure<'payload_too_large'> } }
        415: { content: { 'application/json': Failure<'unsupported_media_type'> } }
        429: { content: { 'application/json': Failure<'rate_limited'> } }
        500: { content: { 'application/json': Failure<'internal_error'> } }
        503: { content: { 'application/json': Failure<'unavailable'> } }
      }
    }
  }
  '/api/v01/classes': {
    /** Your classes and your invitations */
    get: {
      parameters: { query?: { 'archived'?: boolean }; path?: never; header?: never; cookie?: never }
      requestBody?: never
      responses: {
        200: { content: { 'application/json': ClassesAnswer } }
        304: { content: {} }
        400: { content: { 'application/json': Failure<'validation_failed' | 'invalid_request'> } }
        401: { content: { 'application/json': Failure<'authentication_required' | 'token_expired_or_invalid'> } }
        403: { content: { 'application/json': Failure<'exam_in_progress'> } }
        429: { content: { 'application/json': Failure<'rate_limited'> } }
        500: { content: { 'application/json': Failure<'internal_error'> } }
        503: { content: { 'application/json': Failure<'unavailable'> } }
      }
    }
  }
  '/api/v01/classes/join': {
    /** Join a class by its code, or by that of a mailed link */
    post: {
      parameters: { query?: never; path?: never; header?: never; cookie?: never }
      requestBody: { content: { 'application/json': JoinBody } }
      responses: {
        200: { content: { 'application/json': OwnClassAnswer } }
        400: { content: { 'application/json': Failure<'validation_failed' | 'invalid_request' | 'invalid_json'> } }
        401: { content: { 'application/json': Failure<'authentication_required' | 'token_expired_or_invalid'> } }
        403: { content: { 'application/json': Failure<'cross_site_request' | 'exam_in_progress'> } }
        404: { content: { 'application/json': Failure<'wrong_code'> } }
        409: { content: { 'application/json': Failure<'too_many'> } }
        413: { content: { 'application/json': Failure<'payload_too_large'> } }
        415: { content: { 'application/json': Failure<'unsupported_media_type'> } }
        429: { content: { 'application/json': Failure<'rate_limited'> } }
        500: { content: { 'application/json': Failure<'internal_error'> } }
        503: { content: { 'application/json': Failure<'unavailable'> } }
      }
    }
  }
  '/api/v01/classes/by-code/{code}': {
    /** The class that a code would let you join */
    get: {
      parameters: { query?: never; path: { 'code': string }; header?: never; cookie?: never }
      requestBody?: never
      responses: {
        200: { content: { 'application/json': FoundClassAnswer } }
        304: { content: {} }
        400: { content: { 'application/json': Failure<'validation_failed' | 'invalid_request'> } }
        401: { content: { 'application/json': Failure<'authentication_required' | 'token_expired_or_invalid'> } }
        403: { content: { 'application/json': Failure<'exam_in_progress'> } }
        404: { content: { 'application/json': Failure<'wrong_code'> } }
        429: { content: { 'application/json': Failure<'rate_limited'> } }
        500: { content: { 'application/json': Failure<'internal_error'> } }
        503: { content: { 'application/json': Failure<'unavailable'> } }
      }
    }
  }
  '/api/v01/classes/{id}/accept': {
    /** Accept an invitation to a class */
    post: {
      parameters: { query?: never; path: { 'id': number }; header?: never; cookie?: never }
      requestBody?: never
      responses: {
        200: { content: { 'application/json': OwnClassAnswer } }
        400: { content: { 'application/json': Failure<'validation_failed' | 'invalid_request' | 'invalid_json'> } }
        401: { content: { 'application/json': Failure<'authentication_required' | 'token_expired_or_invalid'> } }
        403: { content: { 'application/json': Failure<'cross_site_request' | 'exam_in_progress'> } }
        404: { content: { 'application/json': Failure<'not_found'> } }
        409: { content: { 'application/json': Failure<'too_many' | 'class_archived'> } }
        413: { content: { 'application/json': Failure<'payload_too_large'> } }
        415: { content: { 'application/json': Failure<'unsupported_media_type'> } }
        429: { content: { 'application/json': Failure<'rate_limited'> } }
        500: { content: { 'application/json': Failure<'internal_error'> } }
        503: { content: { 'application/json': Failure<'unavailable'> } }
      }
    }
  }
  '/api/v01/classes/{id}/invitation': {
    /** Decline an invitation to a class */
    delete: {
      parameters: { query?: never; path: { 'id': number }; header?: never; cookie?: never }
      requestBody?: never
      responses: {
        200: { content: { 'application/json': Success } }
        400: { content: { 'application/json': Failure<'validation_failed' | 'invalid_request'> } }
        401: { content: { 'application/json': Failure<'authentication_required' | 'token_expired_or_invalid'> } }
        403: { content: { 'application/json': Failure<'cross_site_request' | 'exam_in_progress'> } }
        404: { content: { 'application/json': Failure<'not_found'> } }
        429: { content: { 'application/json': Failure<'rate_limited'> } }
        500: { content: { 'application/json': Failure<'internal_error'> } }
        503: { content: { 'application/json': Failure<'unavailable'> } }
      }
    }
  }
  '/api/v01/classes/{id}/membership': {
    /** Leave a class */
    delete: {
      parameters: { query?: never; path: { 'id': number }; header?: never; cookie?: never }
      requestBody?: never
      responses: {
        200: { content: { 'application/json': Success } }
        400: { content: { 'application/json': Failure<'validation_failed' | 'invalid_request'> } }
        401: { content: { 'application/json': Failure<'authentication_required' | 'token_expired_or_invalid'> } }
        403: { content: { 'application/json': Failure<'cross_site_request' | 'exam_in_progress'> } }
        404: { content: { 'application/json': Failure<'not_found'> } }
        429: { content: { 'application/json': Failure<'rate_limited'> } }
        500: { content: { 'application/json': Failure<'internal_error'> } }
        503: { content: { 'application/json': Failure<'unavailable'> } }
      }
    }
  }
  '/api/v01/classes/{id}': {
    /** A class with its members, as far as you may know them */
    get: {
      parameters: { query?: { 'page'?: number }; path: { 'id': number }; header?: never; cookie?: never }
      requestBody?: never
      responses: {
        200: { content: { 'application/json': ClassAnswer } }
        304: { content: {} }
        400: { content: { 'application/json': Failure<'validation_failed' | 'invalid_request'> } }
        401: { content: { 'application/json': Failure<'authentication_required' | 'token_expired_or_invalid'> } }
        403: { content: { 'application/json': Failure<'exam_in_progress'> } }
        404: { content: { 'application/json': Failure<'not_found'> } }
        429: { content: { 'application/json': Failure<'rate_limited'> } }
        500: { content: { 'application/json': Failure<'internal_error'> } }
        503: { content: { 'application/json': Failure<'unavailable'> } }
      }
    }
    /** Change a class's settings: its teachers and administrators */
    patch: {
      parameters: { query?: never; path: { 'id': number }; header?: never; cookie?: never }
      requestBody?: { content: { 'application/json': ClassSettings } }
      responses: {
        200: { content: { 'application/json': ClassDetailsAnswer } }
        400: { content: { 'application/json': Failure<'nothing_to_update' | 'validation_failed' | 'invalid_request' | 'invalid_json'> } }
        401: { content: { 'application/json': Failure<'authentication_required' | 'token_expired_or_invalid'> } }
        403: { content: { 'application/json': Failure<'forbidden' | 'cross_site_request' | 'exam_in_progress'> } }
        404: { content: { 'application/json': Failure<'not_found'> } }
        409: { content: { 'application/json': Failure<'class_archived' | 'nodes_differ'> } }
        413: { content: { 'application/json': Failure<'payload_too_large'> } }
        415: { content: { 'application/json': Failure<'unsupported_media_type'> } }
        429: { content: { 'application/json': Failure<'rate_limited'> } }
        500: { content: { 'application/json': Failure<'internal_error'> } }
        503: { content: { 'application/json': Failure<'unavailable'> } }
      }
    }
  }
  '/api/v01/classes/{id}/agenda': {
    /** A class's exams as they hold for you */
    get: {
      parameters: { query?: never; path: { 'id': number }; header?: never; cookie?: never }
      requestBody?: never
      responses: {
        200: { content: { 'application/json': AgendaAnswer } }
        304: { content: {} }
        400: { content: { 'application/json': Failure<'validation_failed' | 'invalid_request'> } }
        401: { content: { 'application/json': Failure<'authentication_required' | 'token_expired_or_invalid'> } }
        403: { content: { 'application/json': Failure<'exam_in_progress'> } }
        404: { content: { 'application/json': Failure<'not_found'> } }
        429: { content: { 'application/json': Failure<'rate_limited'> } }
        500: { content: { 'application/json': Failure<'internal_error'> } }
        503: { content: { 'application/json': Failure<'unavailable'> } }
      }
    }
  }
  '/api/v01/classes/{id}/code': {
    /** Give a class a new code: its teachers and administrators */
    post: {
      parameters: { query?: never; path: { 'id': number }; header?: never; cookie?: never }
      requestBody?: { content: { 'application/json': CodeBody } }
      responses: {
        200: { content: { 'application/json': CodeAnswer } }
        400: { content: { 'application/json': Failure<'validation_failed' | 'invalid_request' | 'invalid_json'> } }
        401: { content: { 'application/json': Failure<'authentication_required' | 'token_expired_or_invalid'> } }
        403: { content: { 'application/json': Failure<'forbidden' | 'cross_site_request' | 'exam_in_progress'> } }
        404: { content: { 'application/json': Failure<'not_found'> } }
        409: { content: { 'application/json': Failure<'class_archived' | 'changed'> } }
        413: { content: { 'application/json': Failure<'payload_too_large'> } }
        415: { content: { 'application/json': Failure<'unsupported_media_type'> } }
        429: { content: { 'application/json': Failure<'rate_limited'> } }
        500: { content: { 'application/json': Failure<'internal_error'> } }
        503: { content: { 'application/json': Failure<'unavailable'> } }
      }
    }
    /** End a class's code: its teachers and administrators */
    delete: {
      parameters: { query?: never; path: { 'id': number }; header?: never; cookie?: never }
      requestBody?: never
      responses: {
        200: { content: { 'application/json': CodeAnswer } }
        400: { content: { 'application/json': Failure<'validation_failed' | 'invalid_request'> } }
        401: { content: { 'application/json': Failure<'authentication_required' | 'token_expired_or_invalid'> } }
        403: { content: { 'application/json': Failure<'forbidden' | 'cross_site_request' | 'exam_in_progress'> } }
        404: { content: { 'application/json': Failure<'not_found'> } }
        409: { content: { 'application/json': Failure<'class_archived'> } }
        429: { content: { 'application/json': Failure<'rate_limited'> } }
        500: { content: { 'application/json': Failure<'internal_error'> } }
        503: { content: { 'application/json': Failure<'unavailable'> } }
      }
    }
  }
  '/api/v01/classes/{id}/message': {
    /** Tell some students of a class something: its teachers only */
    post: {
      parameters: { query?: never; path: { 'id': number }; header?: never; cookie?: never }
      requestBody: { content: { 'application/json': ClassMessage } }
      responses: {
        200: { content: { 'application/json': Success } }
        400: { content: { 'application/json': Failure<'validation_failed' | 'invalid_request' | 'invalid_json'> } }
        401: { content: { 'application/json': Failure<'authentication_required' | 'token_expired_or_invalid'> } }
        403: { content: { 'application/json': Failure<'forbidden' | 'cross_site_request' | 'exam_in_progress'> } }
        404: { content: { 'application/json': Failure<'not_found'> } }
        409: { content: { 'application/json': Failure<'class_archived'> } }
        413: { content: { 'application/json': Failure<'payload_too_large'> } }
        415: { content: { 'application/json': Failure<'unsupported_media_type'> } }
        429: { content: { 'application/json': Failure<'daily_limit' | 'rate_limited'> } }
        500: { content: { 'application/json': Failure<'internal_error'> } }
        503: { content: { 'application/json': Failure<'unavailable'> } }
      }
    }
  }
  '/api/v01/classes/{id}/conversation': {
    /** The class's group, made if there is none yet: its teachers only */
    post: {
      parameters: { query?: never; path: { 'id': number }; header?: never; cookie?: never }
      requestBody?: never
      responses: {
        200: { content: { 'application/json': ClassConversationAnswer } }
        201: { content: { 'application/json': ClassConversationAnswer } }
        400: { content: { 'application/json': Failure<'validation_failed' | 'invalid_request' | 'invalid_json'> } }
        401: { content: { 'application/json': Failure<'authentication_required' | 'token_expired_or_invalid'> } }
        403: { content: { 'application/json': Failure<'forbidden' | 'cross_site_request' | 'exam_in_progress'> } }
        404: { content: { 'application/json': Failure<'not_found'> } }
        409: { content: { 'application/json': Failure<'class_archived' | 'too_many'> } }
        413: { content: { 'application/json': Failure<'payload_too_large'> } }
        415: { content: { 'application/json': Failure<'unsupported_media_type'> } }
        429: { content: { 'application/json': Failure<'rate_limited'> } }
        500: { content: { 'application/json': Failure<'internal_error'> } }
        503: { content: { 'application/json': Failure<'unavailable'> } }
      }
    }
  }
  '/api/v01/classes/{id}/news': {
    /** A class's news, newest first: its members and administrators */
    get: {
      parameters: { query?: { 'before'?: number }; path: { 'id': number }; header?: never; cookie?: never }
      requestBody?: never
      responses: {
        200: { content: { 'application/json': ClassNewsListAnswer } }
        304: { content: {} }
        400: { content: { 'application/json': Failure<'validation_failed' | 'invalid_request'> } }
        401: { content: { 'application/json': Failure<'authentication_required' | 'token_expired_or_invalid'> } }
        403: { content: { 'application/json': Failure<'exam_in_progress'> } }
        404: { content: { 'application/json': Failure<'not_found'> } }
        429: { content: { 'application/json': Failure<'rate_limited'> } }
        500: { content: { 'application/json': Failure<'internal_error'> } }
        503: { content: { 'application/json': Failure<'unavailable'> } }
      }
    }
    /** Tell a class something: its teachers only */
    post: {
      parameters: { query?: never; path: { 'id': number }; header?: never; cookie?: never }
      requestBody: { content: { 'application/json': NewClassNews } }
      responses: {
        201: { content: { 'application/json': ClassNewsAnswer } }
        400: { content: { 'application/json': Failure<'validation_failed' | 'invalid_request' | 'invalid_json'> } }
        401: { content: { 'application/json': Failure<'authentication_required' | 'token_expired_or_invalid'> } }
        403: { content: { 'application/json': Failure<'forbidden' | 'cross_site_request' | 'exam_in_progress'> } }
        404: { content: { 'application/json': Failure<'not_found'> } }
        409: { content: { 'application/json': Failure<'class_archived' | 'too_many'> } }
        413: { content: { 'application/json': Failure<'payload_too_large'> } }
        415: { content: { 'application/json': Failure<'unsupported_media_type'> } }
        429: { content: { 'application/json': Failure<'daily_limit' | 'rate_limited'> } }
        500: { content: { 'application/json': Failure<'internal_error'> } }
        503: { content: { 'application/json': Failure<'unavailable'> } }
      }
    }
  }
  '/api/v01/classes/{id}/news/{news_id}': {
    /** Change news of a class: its teachers and administrators */
    patch: {
      parameters: { query?: never; path: { 'id': number; 'news_id': number }; header?: never; cookie?: never }
      requestBody?: { content: { 'application/json': ClassNewsChanges } }
      responses: {
        200: { content: { 'application/json': ClassNewsAnswer } }
        400: { content: { 'application/json': Failure<'nothing_to_update' | 'validation_failed' | 'invalid_request' | 'invalid_json'> } }
        401: { content: { 'application/json': Failure<'authentication_required' | 'token_expired_or_invalid'> } }
        403: { content: { 'application/json': Failure<'forbidden' | 'cross_site_request' | 'exam_in_progress'> } }
        404: { content: { 'application/json': Failure<'not_found'> } }
        409: { content: { 'application/json': Failure<'class_archived' | 'too_many'> } }
        413: { content: { 'application/json': Failure<'payload_too_large'> } }
        415: { content: { 'application/json': Failure<'unsupported_media_type'> } }
        429: { content: { 'application/json': Failure<'rate_limited'> } }
        500: { content: { 'application/json': Failure<'internal_error'> } }
        503: { content: { 'application/json': Failure<'unavailable'> } }
      }
    }
    /** Delete news of a class: its teachers and administrators */
    delete: {
      parameters: { query?: never; path: { 'id': number; 'news_id': number }; header?: never; cookie?: never }
      requestBody?: never
      responses: {
        200: { content: { 'application/json': Success } }
        400: { content: { 'application/json': Failure<'validation_failed' | 'invalid_request'> } }
        401: { content: { 'application/json': Failure<'authentication_required' | 'token_expired_or_invalid'> } }
        403: { content: { 'application/json': Failure<'forbidden' | 'cross_site_request' | 'exam_in_progress'> } }
        404: { content: { 'application/json': Failure<'not_found'> } }
        409: { content: { 'application/json': Failure<'class_archived'> } }
        429: { content: { 'application/json': Failure<'rate_limited'> } }
        500: { content: { 'application/json': Failure<'internal_error'> } }
        503: { content: { 'application/json': Failure<'unavailable'> } }
      }
    }
  }
  '/api/v01/classes/{id}/results': {
    /** How the students of a class did at one of its exams, by username */
    get: {
      parameters: { query: { 'exam_id': number; 'page'?: number }; path: { 'id': number }; header?: never; cookie?: never }
      requestBody?: never
      responses: {
        200: { content: { 'application/json': ExamResultsAnswer } }
        304: { content: {} }
        400: { content: { 'application/json': Failure<'validation_failed' | 'invalid_request'> } }
        401: { content: { 'application/json': Failure<'authentication_required' | 'token_expired_or_invalid'> } }
        403: { content: { 'application/json': Failure<'forbidden' | 'exam_in_progress'> } }
        404: { content: { 'application/json': Failure<'not_found'> } }
        429: { content: { 'application/json': Failure<'rate_limited'> } }
        500: { content: { 'application/json': Failure<'internal_error'> } }
        503: { content: { 'application/json': Failure<'unavailable'> } }
      }
    }
  }
  '/api/v01/classes/{id}/results.csv': {
    /** The results of a class at an exam as a CSV */
    get: {
      parameters: { query: { 'exam_id': number }; path: { 'id': number }; header?: never; cookie?: never }
      requestBody?: never
      responses: {
        200: { content: { 'text/csv': string } }
        400: { content: { 'application/json': Failure<'validation_failed' | 'invalid_request'> } }
        401: { content: { 'application/json': Failure<'authentication_required' | 'token_expired_or_invalid'> } }
        403: { content: { 'application/json': Failure<'forbidden' | 'exam_in_progress'> } }
        404: { content: { 'application/json': Failure<'not_found'> } }
        429: { content: { 'application/json': Failure<'rate_limited'> } }
        500: { content: { 'application/json': Failure<'internal_error'> } }
        503: { content: { 'application/json': Failure<'unavailable'> } }
      }
    }
  }
  '/api/v01/classes/{id}/gradebook': {
    /** The results of the students at all exams of a class, and their totals */
    get: {
      parameters: { query?: { 'page'?: number }; path: { 'id': number }; header?: never; cookie?: never }
      requestBody?: never
      responses: {
        200: { content: { 'application/json': GradebookAnswer } }
        304: { content: {} }
        400: { content: { 'application/json': Failure<'validation_failed' | 'invalid_request'> } }
        401: { content: { 'application/json': Failure<'authentication_required' | 'token_expired_or_invalid'> } }
        403: { content: { 'application/json': Failure<'forbidden' | 'exam_in_progress'> } }
        404: { content: { 'application/json': Failure<'not_found'> } }
        429: { content: { 'application/json': Failure<'rate_limited'> } }
        500: { content: { 'application/json': Failure<'internal_error'> } }
        503: { content: { 'application/json': Failure<'unavailable'> } }
      }
    }
  }
  '/api/v01/classes/{id}/gradebook.csv': {
    /** The whole gradebook as a CSV, with a column for each exam */
    get: {
      parameters: { query?: never; path: { 'id': number }; header?: never; cookie?: never }
      requestBody?: never
      responses: {
        200: { content: { 'text/csv': string } }
        400: { content: { 'application/json': Failure<'validation_failed' | 'invalid_request'> } }
        401: { content: { 'application/json': Failure<'authentication_required' | 'token_expired_or_invalid'> } }
        403: { content: { 'application/json': Failure<'forbidden' | 'exam_in_progress'> } }
        404: { content: { 'application/json': Failure<'not_found'> } }
        429: { content: { 'application/json': Failure<'rate_limited'> } }
        500: { content: { 'application/json': Failure<'internal_error'> } }
        503: { content: { 'application/json': Failure<'unavailable'> } }
      }
    }
  }
  '/api/v01/classes/{id}/gradebook/excused/{user_id}/{exam_id}': {
    /** Leave an exam out of the total of a student */
    put: {
      parameters: { query?: never; path: { 'id': number; 'user_id': number; 'exam_id': number }; header?: never; cookie?: never }
      requestBody?: never
      responses: {
        200: { content: { 'application/json': Success } }
        400: { content: { 'application/json': Failure<'validation_failed' | 'invalid_request' | 'invalid_json'> } }
        401: { content: { 'application/json': Failure<'authentication_required' | 'token_expired_or_invalid'> } }
        403: { content: { 'application/json': Failure<'forbidden' | 'cross_site_request' | 'exam_in_progress'> } }
        404: { content: { 'application/json': Failure<'not_found'> } }
        409: { content: { 'application/json': Failure<'class_archived'> } }
        413: { content: { 'application/json': Failure<'payload_too_large'> } }
        415: { content: { 'application/json': Failure<'unsupported_media_type'> } }
        429: { content: { 'application/json': Failure<'rate_limited'> } }
        500: { content: { 'application/json': Failure<'internal_error'> } }
        503: { content: { 'application/json': Failure<'unavailable'> } }
      }
    }
    /** Count an exam in the total of a student again */
    delete: {
      parameters: { query?: never; path: { 'id': number; 'user_id': number; 'exam_id': number }; header?: never; cookie?: never }
      requestBody?: never
      responses: {
        200: { content: { 'application/json': Success } }
        400: { content: { 'application/json': Failure<'validation_failed' | 'invalid_request'> } }
        401: { content: { 'application/json': Failure<'authentication_required' | 'token_expired_or_invalid'> } }
        403: { content: { 'application/json': Failure<'forbidden' | 'cross_site_request' | 'exam_in_progress'> } }
        404: { content: { 'application/json': Failure<'not_found'> } }
        409: { content: { 'application/json': Failure<'class_archived'> } }
        429: { content: { 'application/json': Failure<'rate_limited'> } }
        500: { content: { 'application/json': Failure<'internal_error'> } }
        503: { content: { 'application/json': Failure<'unavailable'> } }
      }
    }
  }
  '/api/v01/classes/{id}/gradebook/comments/{user_id}': {
    /** Note something about a student, for the teachers of the class */
    put: {
      parameters: { query?: never; path: { 'id': number; 'user_id': number }; header?: never; cookie?: never }
      requestBody: { content: { 'application/json': GradebookComment } }
      responses: {
        200: { content: { 'application/json': Success } }
        400: { content: { 'application/json': Failure<'validation_failed' | 'invalid_request' | 'invalid_json'> } }
        401: { content: { 'application/json': Failure<'authentication_required' | 'token_expired_or_invalid'> } }
        403: { content: { 'application/json': Failure<'forbidden' | 'cross_site_request' | 'exam_in_progress'> } }
        404: { content: { 'application/json': Failure<'not_found'> } }
        409: { content: { 'application/json': Failure<'class_archived'> } }
        413: { content: { 'application/json': Failure<'payload_too_large'> } }
        415: { content: { 'application/json': Failure<'unsupported_media_type'> } }
        429: { content: { 'application/json': Failure<'rate_limited'> } }
        500: { content: { 'application/json': Failure<'internal_error'> } }
        503: { content: { 'application/json': Failure<'unavailable'> } }
      }
    }
  }
  '/api/v01/classes/{id}/analytics': {
    /** The analytics dashboard of the students of a class, at all of its exams or one */
    get: {
      parameters: { query?: { 'timePeriod'?: 'today' | 'week' | 'month' | 'custom' | 'all'; 'exam'?: number; 'startDate'?: string; 'endDate'?: string; 'table'?: 'results' | 'topPerformers' | 'recentActivity' | 'examStats' }; path: { 'id': number }; header?: never; cookie?: never }
      requestBody?: never
      responses: {
        200: { content: { 'application/json': ClassDashboardAnswer; 'text/csv': ClassDashboardAnswer } }
        304: { content: {} }
        400: { content: { 'application/json': Failure<'validation_failed' | 'invalid_request'> } }
        401: { content: { 'application/json': Failure<'authentication_required' | 'token_expired_or_invalid'> } }
        403: { content: { 'application/json': Failure<'forbidden' | 'exam_in_progress'> } }
        404: { content: { 'application/json': Failure<'not_found'> } }
        429: { content: { 'application/json': Failure<'rate_limited'> } }
        500: { content: { 'application/json': Failure<'internal_error'> } }
        503: { content: { 'application/json': Failure<'unavailable'> } }
      }
    }
  }
  '/api/v01/classes/{id}/attempts/{attempt_id}': {
    /** A student's attempt, question by question, also before the results are released */
    get: {
      parameters: { query?: never; path: { 'id': number; 'attempt_id': number }; header?: never; cookie?: never }
      requestBody?: never
      responses: {
        200: { content: { 'application/json': StaffReviewAnswer } }
        304: { content: {} }
        400: { content: { 'application/json': Failure<'validation_failed' | 'invalid_request'> } }
        401: { content: { 'application/json': Failure<'authentication_required' | 'token_expired_or_invalid'> } }
        403: { content: { 'application/json': Failure<'forbidden' | 'exam_in_progress'> } }
        404: { content: { 'application/json': Failure<'not_found'> } }
        429: { content: { 'application/json': Failure<'rate_limited'> } }
        500: { content: { 'application/json': Failure<'internal_error'> } }
        503: { content: { 'application/json': Failure<'unavailable'> } }
      }
    }
  }
  '/api/v01/classes/{id}/exams/{exam_id}/accommodations': {
    /** Students of the class who have times of their own, and the times of the class */
    get: {
      parameters: { query?: never; path: { 'id': number; 'exam_id': number }; header?: never; cookie?: never }
      requestBody?: never
      responses: {
        200: { content: { 'application/json': ClassAccommodationsAnswer } }
        304: { content: {} }
        400: { content: { 'application/json': Failure<'validation_failed' | 'invalid_request'> } }
        401: { content: { 'application/json': Failure<'authentication_required' | 'token_expired_or_invalid'> } }
        403: { content: { 'application/json': Failure<'forbidden' | 'exam_in_progress'> } }
        404: { content: { 'application/json': Failure<'not_found'> } }
        429: { content: { 'application/json': Failure<'rate_limited'> } }
        500: { content: { 'application/json': Failure<'internal_error'> } }
        503: { content: { 'application/json': Failure<'unavailable'> } }
      }
    }
  }
  '/api/v01/classes/{id}/exams/{exam_id}/accommodations/{user_id}': {
    /** Give a student of the class more time, or another window */
    put: {
      parameters: { query?: never; path: { 'id': number; 'exam_id': number; 'user_id': number }; header?: never; cookie?: never }
      requestBody?: { content: { 'application/json': AccommodationBody } }
      responses: {
        200: { content: { 'application/json': AccommodationAnswer } }
        400: { content: { 'application/json': Failure<'validation_failed' | 'invalid_request' | 'invalid_json'> } }
        401: { content: { 'application/json': Failure<'authentication_required' | 'token_expired_or_invalid'> } }
        403: { content: { 'application/json': Failure<'forbidden' | 'cross_site_request' | 'exam_in_progress'> } }
        404: { content: { 'application/json': Failure<'not_found'> } }
        409: { content: { 'application/json': Failure<'class_archived' | 'keys_open' | 'ends_attempts' | 'changed'> } }
        413: { content: { 'application/json': Failure<'payload_too_large'> } }
        415: { content: { 'application/json': Failure<'unsupported_media_type'> } }
        429: { content: { 'application/json': Failure<'rate_limited'> } }
        500: { content: { 'application/json': Failure<'internal_error'> } }
        503: { content: { 'application/json': Failure<'unavailable'> } }
      }
    }
    /** Change some of a student’s own times */
    patch: {
      parameters: { query?: never; path: { 'id': number; 'exam_id': number; 'user_id': number }; header?: never; cookie?: never }
      requestBody?: { content: { 'application/json': AccommodationBody } }
      responses: {
        200: { content: { 'application/json': AccommodationAnswer } }
        400: { content: { 'application/json': Failure<'nothing_to_update' | 'validation_failed' | 'invalid_request' | 'invalid_json'> } }
        401: { content: { 'application/json': Failure<'authentication_required' | 'token_expired_or_invalid'> } }
        403: { content: { 'application/json': Failure<'forbidden' | 'cross_site_request' | 'exam_in_progress'> } }
        404: { content: { 'application/json': Failure<'not_found'> } }
        409: { content: { 'application/json': Failure<'class_archived' | 'keys_open' | 'ends_attempts' | 'changed'> } }
        413: { content: { 'application/json': Failure<'payload_too_large'> } }
        415: { content: { 'application/json': Failure<'unsupported_media_type'> } }
        429: { content: { 'application/json': Failure<'rate_limited'> } }
        500: { content: { 'application/json': Failure<'internal_error'> } }
        503: { content: { 'application/json': Failure<'unavailable'> } }
      }
    }
    /** Remove a student's own times: those of their class, or the exam's, apply again */
    delete: {
      parameters: { query?: { 'confirm'?: boolean; 'was'?: string }; path: { 'id': number; 'exam_id': number; 'user_id': number }; header?: never; cookie?: never }
      requestBody?: never
      responses: {
        200: { content: { 'application/json': Success } }
        400: { content: { 'application/json': Failure<'validation_failed' | 'invalid_request'> } }
        401: { content: { 'application/json': Failure<'authentication_required' | 'token_expired_or_invalid'> } }
        403: { content: { 'application/json': Failure<'forbidden' | 'cross_site_request' | 'exam_in_progress'> } }
        404: { content: { 'application/json': Failure<'not_found'> } }
        409: { content: { 'application/json': Failure<'class_archived' | 'keys_open' | 'ends_attempts' | 'changed'> } }
        429: { content: { 'application/json': Failure<'rate_limited'> } }
        500: { content: { 'application/json': Failure<'internal_error'> } }
        503: { content: { 'application/json': Failure<'unavailable'> } }
      }
    }
  }
  '/api/v01/classes/{id}/exams/{exam_id}/extend': {
    /** Give attempts of students of the class more minutes */
    post: {
      parameters: { query?: never; path: { 'id': number; 'exam_id': number }; header?: never; cookie?: never }
      requestBody: { content: { 'application/json': ExtendBody } }
      responses: {
        200: { content: { 'application/json': ExtendAnswer } }
        400: { content: { 'application/json': Failure<'validation_failed' | 'invalid_request' | 'invalid_json'> } }
        401: { content: { 'application/json': Failure<'authentication_required' | 'token_expired_or_invalid'> } }
        403: { content: { 'application/json': Failure<'forbidden' | 'cross_site_request' | 'exam_in_progress'> } }
        404: { content: { 'application/json': Failure<'not_found'> } }
        409: { content: { 'application/json': Failure<'class_archived' | 'keys_open' | 'nodes_differ'> } }
        413: { content: { 'application/json': Failure<'payload_too_large'> } }
        415: { content: { 'application/json': Failure<'unsupported_media_type'> } }
        429: { content: { 'application/json': Failure<'rate_limited'> } }
        500: { content: { 'application/json': Failure<'internal_error'> } }
        503: { content: { 'application/json': Failure<'unavailable'> } }
      }
    }
  }
  '/api/v01/classes/{id}/exams/{exam_id}/allowances': {
    /** Add, remove or reset attempts of a student of the class */
    post: {
      parameters: { query?: never; path: { 'id': number; 'exam_id': number }; header?: never; cookie?: never }
      requestBody: { content: { 'application/json': StudentModifyBody } }
      responses: {
        200: { content: { 'application/json': Success } }
        400: { content: { 'application/json': Failure<'validation_failed' | 'invalid_request' | 'invalid_json'> } }
        401: { content: { 'application/json': Failure<'authentication_required' | 'token_expired_or_invalid'> } }
        403: { content: { 'application/json': Failure<'forbidden' | 'cross_site_request' | 'exam_in_progress'> } }
        404: { content: { 'application/json': Failure<'not_found'> } }
        409: { content: { 'application/json': Failure<'class_archived' | 'keys_open' | 'too_many'> } }
        413: { content: { 'application/json': Failure<'payload_too_large'> } }
        415: { content: { 'application/json': Failure<'unsupported_media_type'> } }
        429: { content: { 'application/json': Failure<'rate_limited'> } }
        500: { content: { 'application/json': Failure<'internal_error'> } }
        503: { content: { 'application/json': Failure<'unavailable'> } }
      }
    }
  }
  '/api/v01/classes/{id}/exams/{exam_id}/items': {
    /** Item analysis of an exam over the students of the class */
    get: {
      parameters: { query?: { 'attempts'?: 'first' | 'last' | 'all' }; path: { 'id': number; 'exam_id': number }; header?: never; cookie?: never }
      requestBody?: never
      responses: {
        200: { content: { 'application/json': ItemsAnswer } }
        304: { content: {} }
        400: { content: { 'application/json': Failure<'validation_failed' | 'invalid_request'> } }
        401: { content: { 'application/json': Failure<'authentication_required' | 'token_expired_or_invalid'> } }
        403: { content: { 'application/json': Failure<'forbidden' | 'exam_in_progress'> } }
        404: { content: { 'application/json': Failure<'not_found'> } }
        429: { content: { 'application/json': Failure<'rate_limited'> } }
        500: { content: { 'application/json': Failure<'internal_error'> } }
        503: { content: { 'application/json': Failure<'unavailable'> } }
      }
    }
  }
  '/api/v01/classes/{id}/exams/{exam_id}/live': {
    /** Which students of the class are taking an exam, and how far they are */
    get: {
      parameters: { query?: never; path: { 'id': number; 'exam_id': number }; header?: never; cookie?: never }
      requestBody?: never
      responses: {
        200: { content: { 'application/json': LiveRoomAnswer } }
        304: { content: {} }
        400: { content: { 'application/json': Failure<'validation_failed' | 'invalid_request'> } }
        401: { content: { 'application/json': Failure<'authentication_required' | 'token_expired_or_invalid'> } }
        403: { content: { 'application/json': Failure<'forbidden' | 'exam_in_progress'> } }
        404: { content: { 'application/json': Failure<'not_found'> } }
        429: { content: { 'application/json': Failure<'rate_limited'> } }
        500: { content: { 'application/json': Failure<'internal_error'> } }
        503: { content: { 'application/json': Failure<'unavailable'> } }
      }
    }
  }
  '/api/v01/classes/{id}/exams/{exam_id}/live/extend': {
    /** Give students of the class, or some of them, more minutes */
    post: {
      parameters: { query?: never; path: { 'id': number; 'exam_id': number }; header?: never; cookie?: never }
      requestBody: { content: { 'application/json': LiveExtendBody } }
      responses: {
        200: { content: { 'application/json': LiveExtendAnswer } }
        400: { content: { 'application/json': Failure<'validation_failed' | 'invalid_request' | 'invalid_json'> } }
        401: { content: { 'application/json': Failure<'authentication_required' | 'token_expired_or_invalid'> } }
        403: { content: { 'application/json': Failure<'forbidden' | 'cross_site_request' | 'exam_in_progress'> } }
        404: { content: { 'application/json': Failure<'not_found'> } }
        409: { content: { 'application/json': Failure<'class_archived' | 'keys_open' | 'nodes_differ'> } }
        413: { content: { 'application/json': Failure<'payload_too_large'> } }
        415: { content: { 'application/json': Failure<'unsupported_media_type'> } }
        429: { content: { 'application/json': Failure<'rate_limited'> } }
        500: { content: { 'application/json': Failure<'internal_error'> } }
        503: { content: { 'application/json': Failure<'unavailable'> } }
      }
    }
  }
  '/api/v01/classes/{id}/exams/{exam_id}/live/hand-in': {
    /** Hand in for students of the class whose attempts are under way */
    post: {
      parameters: { query?: never; path: { 'id': number; 'exam_id': number }; header?: never; cookie?: never }
      requestBody: { content: { 'application/json': HandInBody } }
      responses: {
        200: { content: { 'application/json': LiveDoneAnswer } }
        400: { content: { 'application/json': Failure<'validation_failed' | 'invalid_request' | 'invalid_json'> } }
        401: { content: { 'application/json': Failure<'authentication_required' | 'token_expired_or_invalid'> } }
        403: { content: { 'application/json': Failure<'forbidden' | 'cross_site_request' | 'exam_in_progress'> } }
        404: { content: { 'application/json': Failure<'not_found'> } }
        409: { content: { 'application/json': Failure<'class_archived' | 'nodes_differ' | 'already_submitted' | 'no_active_attempt' | 'not_connected'> } }
        413: { content: { 'application/json': Failure<'payload_too_large'> } }
        415: { content: { 'application/json': Failure<'unsupported_media_type'> } }
        429: { content: { 'application/json': Failure<'rate_limited'> } }
        500: { content: { 'application/json': Failure<'internal_error'> } }
        503: { content: { 'application/json': Failure<'unavailable'> } }
      }
    }
  }
  '/api/v01/classes/{id}/exams/{exam_id}/live/message': {
    /** Tell students of the class who are taking the exam something */
    post: {
      parameters: { query?: never; path: { 'id': number; 'exam_id': number }; header?: never; cookie?: never }
      requestBody: { content: { 'application/json': ExamMessageBody } }
      responses: {
        200: { content: { 'application/json': LiveDoneAnswer } }
        400: { content: { 'application/json': Failure<'validation_failed' | 'invalid_request' | 'invalid_json'> } }
        401: { content: { 'application/json': Failure<'authentication_required' | 'token_expired_or_invalid'> } }
        403: { content: { 'application/json': Failure<'forbidden' | 'cross_site_request' | 'exam_in_progress'> } }
        404: { content: { 'application/json': Failure<'not_found'> } }
        409: { content: { 'application/json': Failure<'class_archived'> } }
        413: { content: { 'application/json': Failure<'payload_too_large'> } }
        415: { content: { 'application/json': Failure<'unsupported_media_type'> } }
        429: { content: { 'application/json': Failure<'rate_limited'> } }
        500: { content: { 'application/json': Failure<'internal_error'> } }
        503: { content: { 'application/json': Failure<'unavailable'> } }
      }
    }
  }
  '/api/v01/classes/{id}/members': {
    /** Invite e-mail addresses to a class, or add people */
    post: {
      parameters: { query?: never; path: { 'id': number }; header?: never; cookie?: never }
      requestBody?: { content: { 'application/json': NewMembers } }
      responses: {
        200: { content: { 'application/json': MembersAdded } }
        400: { content: { 'application/json': Failure<'validation_failed' | 'invalid_request' | 'invalid_json'> } }
        401: { content: { 'application/json': Failure<'authentication_required' | 'token_expired_or_invalid'> } }
        403: { content: { 'application/json': Failure<'forbidden' | 'cross_site_request' | 'exam_in_progress'> } }
        404: { content: { 'application/json': Failure<'not_found'> } }
        409: { content: { 'application/json': Failure<'class_archived'> } }
        413: { content: { 'application/json': Failure<'payload_too_large'> } }
        415: { content: { 'application/json': Failure<'unsupported_media_type'> } }
        429: { content: { 'application/json': Failure<'rate_limited'> } }
        500: { content: { 'application/json': Failure<'internal_error'> } }
        503: { content: { 'application/json': Failure<'unavailable'> } }
      }
    }
  }
  '/api/v01/classes/{id}/members/{user_id}': {
    /** Remove a student from a class; administrators remove teachers too */
    delete: {
      parameters: { query?: never; path: { 'id': number; 'user_id': number }; header?: never; cookie?: never }
      requestBody?: never
      responses: {
        200: { content: { 'application/json': Success } }
        400: { content: { 'application/json': Failure<'validation_failed' | 'invalid_request'> } }
        401: { content: { 'application/json': Failure<'authentication_required' | 'token_expired_or_invalid'> } }
        403: { content: { 'application/json': Failure<'forbidden' | 'cross_site_request' | 'exam_in_progress'> } }
        404: { content: { 'application/json': Failure<'not_found'> } }
        409: { content: { 'application/json': Failure<'class_archived'> } }
        429: { content: { 'application/json': Failure<'rate_limited'> } }
        500: { content: { 'application/json': Failure<'internal_error'> } }
        503: { content: { 'application/json': Failure<'unavailable'> } }
      }
    }
  }
  '/api/v01/classes/{id}/invitations/{invitation_id}': {
    /** Withdraw an invitation; its link ends */
    delete: {
      parameters: { query?: never; path: { 'id': number; 'invitation_id': number }; header?: never; cookie?: never }
      requestBody?: never
      responses: {
        200: { content: { 'application/json': Success } }
        400: { content: { 'application/json': Failure<'validation_failed' | 'invalid_request'> } }
        401: { content: { 'application/json': Failure<'authentication_required' | 'token_expired_or_invalid'> } }
        403: { content: { 'application/json': Failure<'forbidden' | 'cross_site_request' | 'exam_in_progress'> } }
        404: { content: { 'application/json': Failure<'not_found'> } }
        409: { content: { 'application/json': Failure<'class_archived'> } }
        429: { content: { 'application/json': Failure<'rate_limited'> } }
        500: { content: { 'application/json': Failure<'internal_error'> } }
        503: { content: { 'application/json': Failure<'unavailable'> } }
      }
    }
  }
  '/api/v01/notices': {
    /** What is new for oneself, newest first */
    get: {
      parameters: { query?: { 'before'?: number; 'limit'?: number }; path?: never; header?: never; cookie?: never }
      requestBody?: never
      responses: {
        200: { content: { 'application/json': NoticesAnswer } }
        304: { content: {} }
        400: { content: { 'application/json': Failure<'validation_failed' | 'invalid_request'> } }
        401: { content: { 'application/json': Failure<'authentication_required' | 'token_expired_or_invalid'> } }
        403: { content: { 'application/json': Failure<'exam_in_progress'> } }
        429: { content: { 'application/json': Failure<'rate_limited'> } }
        500: { content: { 'application/json': Failure<'internal_error'> } }
        503: { content: { 'application/json': Failure<'unavailable'> } }
      }
    }
  }
  '/api/v01/notices/read': {
    /** Say up to which notice one has read; never back */
    post: {
      parameters: { query?: never; path?: never; header?: never; cookie?: never }
      requestBody: { content: { 'application/json': NoticesReadBody } }
      responses: {
        200: { content: { 'application/json': NoticesReadAnswer } }
        400: { content: { 'application/json': Failure<'validation_failed' | 'invalid_request' | 'invalid_json'> } }
        401: { content: { 'application/json': Failure<'authentication_required' | 'token_expired_or_invalid'> } }
        403: { content: { 'application/json': Failure<'cross_site_request' | 'exam_in_progress'> } }
        413: { content: { 'application/json': Failure<'payload_too_large'> } }
        415: { content: { 'application/json': Failure<'unsupported_media_type'> } }
        429: { content: { 'application/json': Failure<'rate_limited'> } }
        500: { content: { 'application/json': Failure<'internal_error'> } }
        503: { content: { 'application/json': Failure<'unavailable'> } }
      }
    }
  }
  '/api/v01/chat/messages/{id}/report': {
    /** Report a message */
    post: {
      parameters: { query?: never; path: { 'id': number }; header?: never; cookie?: never }
      requestBody: { content: { 'application/json': NewReport } }
      responses: {
        200: { content: { 'application/json': Reported } }
        201: { content: { 'application/json': Reported } }
        400: { content: { 'application/json': Failure<'validation_failed' | 'invalid_request' | 'invalid_json'> } }
        401: { content: { 'application/json': Failure<'authentication_required' | 'token_expired_or_invalid'> } }
        403: { content: { 'application/json': Failure<'cross_site_request' | 'exam_in_progress'> } }
        404: { content: { 'application/json': Failure<'not_found'> } }
        409: { content: { 'application/json': Failure<'too_many'> } }
        413: { content: { 'application/json': Failure<'payload_too_large'> } }
        415: { content: { 'application/json': Failure<'unsupported_media_type'> } }
        429: { content: { 'application/json': Failure<'rate_limited'> } }
        500: { content: { 'application/json': Failure<'internal_error'> } }
        503: { content: { 'application/json': Failure<'unavailable'> } }
      }
    }
  }
  '/api/v01/discussions/comments/{id}/report': {
    /** Report a comment */
    post: {
      parameters: { query?: never; path: { 'id': number }; header?: never; cookie?: never }
      requestBody: { content: { 'application/json': NewReport } }
      responses: {
        200: { content: { 'application/json': Reported } }
        201: { content: { 'application/json': Reported } }
        400: { content: { 'application/json': Failure<'validation_failed' | 'invalid_request' | 'invalid_json'> } }
        401: { content: { 'application/json': Failure<'authentication_required' | 'token_expired_or_invalid'> } }
        403: { content: { 'application/json': Failure<'cross_site_request' | 'exam_in_progress'> } }
        404: { content: { 'application/json': Failure<'not_found'> } }
        409: { content: { 'application/json': Failure<'too_many'> } }
        413: { content: { 'application/json': Failure<'payload_too_large'> } }
        415: { content: { 'application/json': Failure<'unsupported_media_type'> } }
        429: { content: { 'application/json': Failure<'rate_limited'> } }
        500: { content: { 'application/json': Failure<'internal_error'> } }
        503: { content: { 'application/json': Failure<'unavailable'> } }
      }
    }
  }
  '/api/v01/account/export': {
    /** Download everything that the service holds about you */
    get: {
      parameters: { query?: never; path?: never; header?: never; cookie?: never }
      requestBody?: never
      responses: {
        200: { content: { 'application/zip': Blob } }
        400: { content: { 'application/json': Failure<'validation_failed' | 'invalid_request'> } }
        401: { content: { 'application/json': Failure<'authentication_required' | 'token_expired_or_invalid'> } }
        403: { content: { 'application/json': Failure<'exam_in_progress'> } }
        429: { content: { 'application/json': Failure<'rate_limited'> } }
        500: { content: { 'application/json': Failure<'internal_error'> } }
        503: { content: { 'application/json': Failure<'unavailable'> } }
      }
    }
  }
  '/api/v01/categories': {
    /** All categories, by name */
    get: {
      parameters: { query?: never; path?: never; header?: never; cookie?: never }
      requestBody?: never
      responses: {
        200: { content: { 'application/json': CategoriesAnswer } }
        304: { content: {} }
        400: { content: { 'application/json': Failure<'validation_failed' | 'invalid_request'> } }
        401: { content: { 'application/json': Failure<'authentication_required' | 'token_expired_or_invalid'> } }
        429: { content: { 'application/json': Failure<'rate_limited'> } }
        500: { content: { 'application/json': Failure<'internal_error'> } }
        503: { content: { 'application/json': Failure<'unavailable'> } }
      }
    }
  }
  '/api/v01/exams': {
    /** Published exams, newest first */
    get: {
      parameters: { query?: { 'category_id'?: number; 'q'?: string; 'page'?: number }; path?: never; header?: never; cookie?: never }
      requestBody?: never
      responses: {
        200: { content: { 'application/json': ExamsAnswer } }
        304: { content: {} }
        400: { content: { 'application/json': Failure<'validation_failed' | 'invalid_request'> } }
        401: { content: { 'application/json': Failure<'authentication_required' | 'token_expired_or_invalid'> } }
        429: { content: { 'application/json': Failure<'rate_limited'> } }
        500: { content: { 'application/json': Failure<'internal_error'> } }
        503: { content: { 'application/json': Failure<'unavailable'> } }
      }
    }
  }
  '/api/v01/exams/{exam_id}': {
    /** An exam, and the attempts that are left */
    get: {
      parameters: { query?: never; path: { 'exam_id': number }; header?: never; cookie?: never }
      requestBody?: never
      responses: {
        200: { content: { 'application/json': ExamAnswer } }
        304: { content: {} }
        400: { content: { 'application/json': Failure<'validation_failed' | 'invalid_request'> } }
        401: { content: { 'application/json': Failure<'authentication_required' | 'token_expired_or_invalid'> } }
        404: { content: { 'application/json': Failure<'not_found'> } }
        429: { content: { 'application/json': Failure<'rate_limited'> } }
        500: { content: { 'application/json': Failure<'internal_error'> } }
        503: { content: { 'application/json': Failure<'unavailable'> } }
      }
    }
  }
  '/api/v01/attempts': {
    /** Own finished attempts, newest first */
    get: {
      parameters: { query?: { 'exam_id'?: number; 'page'?: number }; path?: never; header?: never; cookie?: never }
      requestBody?: never
      responses: {
        200: { content: { 'application/json': AttemptsAnswer } }
        304: { content: {} }
        400: { content: { 'application/json': Failure<'validation_failed' | 'invalid_request'> } }
        401: { content: { 'application/json': Failure<'authentication_required' | 'token_expired_or_invalid'> } }
        429: { content: { 'application/json': Failure<'rate_limited'> } }
        500: { content: { 'application/json': Failure<'internal_error'> } }
        503: { content: { 'application/json': Failure<'unavailable'> } }
      }
    }
  }
  '/api/v01/attempts/{attempt_id}': {
    /** The result of an attempt, question by question */
    get: {
      parameters: { query?: never; path: { 'attempt_id': number }; header?: never; cookie?: never }
      requestBody?: never
      responses: {
        200: { content: { 'application/json': ResultAnswer } }
        304: { content: {} }
        400: { content: { 'application/json': Failure<'validation_failed' | 'invalid_request'> } }
        401: { content: { 'application/json': Failure<'authentication_required' | 'token_expired_or_invalid'> } }
        403: { content: { 'application/json': Failure<'results_not_released' | 'exam_in_progress'> } }
        404: { content: { 'application/json': Failure<'not_found'> } }
        429: { content: { 'application/json': Failure<'rate_limited'> } }
        500: { content: { 'application/json': Failure<'internal_error'> } }
        503: { content: { 'application/json': Failure<'unavailable'> } }
      }
    }
  }
  '/api/v01/attempts/active': {
    /** Own attempts under way, at any exam and from any device */
    get: {
      parameters: { query?: never; path?: never; header?: never; cookie?: never }
      requestBody?: never
      responses: {
        200: { content: { 'application/json': ActiveAttemptsAnswer } }
        304: { content: {} }
        400: { content: { 'application/json': Failure<'validation_failed' | 'invalid_request'> } }
        401: { content: { 'application/json': Failure<'authentication_required' | 'token_expired_or_invalid'> } }
        429: { content: { 'application/json': Failure<'rate_limited'> } }
        500: { content: { 'application/json': Failure<'internal_error'> } }
        503: { content: { 'application/json': Failure<'unavailable'> } }
      }
    }
  }
  '/api/v01/exams/{exam_id}/prepare': {
    /** Load an exam's questions into memory, shortly before many students start */
    post: {
      parameters: { query?: never; path: { 'exam_id': number }; header?: never; cookie?: never }
      requestBody?: never
      responses: {
        200: { content: { 'application/json': PrepareAnswer } }
        400: { content: { 'application/json': Failure<'validation_failed' | 'invalid_request' | 'invalid_json'> } }
        401: { content: { 'application/json': Failure<'authentication_required' | 'token_expired_or_invalid'> } }
        403: { content: { 'application/json': Failure<'cross_site_request'> } }
        404: { content: { 'application/json': Failure<'not_found'> } }
        413: { content: { 'application/json': Failure<'payload_too_large'> } }
        415: { content: { 'application/json': Failure<'unsupported_media_type'> } }
        429: { content: { 'application/json': Failure<'rate_limited'> } }
        500: { content: { 'application/json': Failure<'internal_error'> } }
        503: { content: { 'application/json': Failure<'unavailable'> } }
      }
    }
  }
  '/api/v01/exams/{exam_id}/start': {
    /** Start an attempt, or resume the active one */
    post: {
      parameters: { query?: never; path: { 'exam_id': number }; header?: never; cookie?: never }
      requestBody?: never
      responses: {
        200: { content: { 'application/json': ResumedAnswer } }
        201: { content: { 'application/json': StartedAnswer } }
        400: { content: { 'application/json': Failure<'validation_failed' | 'invalid_request' | 'invalid_json'> } }
        401: { content: { 'application/json': Failure<'authentication_required' | 'token_expired_or_invalid'> } }
        403: { content: { 'application/json': Failure<'attempts_exhausted' | 'teaches_exam' | 'exam_not_open' | 'exam_closed' | 'cross_site_request'> } }
        404: { content: { 'application/json': Failure<'not_found'> } }
        409: { content: { 'application/json': Failure<'exam_empty' | 'too_many'> } }
        413: { content: { 'application/json': Failure<'payload_too_large'> } }
        415: { content: { 'application/json': Failure<'unsupported_media_type'> } }
        429: { content: { 'application/json': Failure<'rate_limited'> } }
        500: { content: { 'application/json': Failure<'internal_error'> } }
        503: { content: { 'application/json': Failure<'unavailable'> } }
      }
    }
  }
  '/api/v01/exams/{exam_id}/paper': {
    /** The active attempt's questions and saved answers */
    get: {
      parameters: { query?: { 'attempt_id'?: number }; path: { 'exam_id': number }; header?: never; cookie?: never }
      requestBody?: never
      responses: {
        200: { content: { 'application/json': PaperAnswer } }
        304: { content: {} }
        400: { content: { 'application/json': Failure<'validation_failed' | 'invalid_request'> } }
        401: { content: { 'application/json': Failure<'authentication_required' | 'token_expired_or_invalid'> } }
        404: { content: { 'application/json': Failure<'not_found'> } }
        409: { content: { 'application/json': Failure<'no_active_attempt' | 'another_attempt'> } }
        429: { content: { 'application/json': Failure<'rate_limited'> } }
        500: { content: { 'application/json': Failure<'internal_error'> } }
        503: { content: { 'application/json': Failure<'unavailable'> } }
      }
    }
  }
  '/api/v01/exams/{exam_id}/answers': {
    /** Save answers */
    put: {
      parameters: { query?: never; path: { 'exam_id': number }; header?: never; cookie?: never }
      requestBody: { content: { 'application/json': SaveBody } }
      responses: {
        200: { content: { 'application/json': SaveAnswer } }
        400: { content: { 'application/json': Failure<'validation_failed' | 'invalid_request' | 'invalid_json'> } }
        401: { content: { 'application/json': Failure<'authentication_required' | 'token_expired_or_invalid'> } }
        403: { content: { 'application/json': Failure<'cross_site_request'> } }
        404: { content: { 'application/json': Failure<'not_found'> } }
        409: { content: { 'application/json': Failure<'no_active_attempt' | 'another_attempt' | 'stale_revision'> } }
        413: { content: { 'application/json': Failure<'payload_too_large'> } }
        415: { content: { 'application/json': Failure<'unsupported_media_type'> } }
        429: { content: { 'application/json': Failure<'rate_limited'> } }
        500: { content: { 'application/json': Failure<'internal_error'> } }
        503: { content: { 'application/json': Failure<'unavailable'> } }
      }
    }
  }
  '/api/v01/exams/{exam_id}/submit': {
    /** Close the active attempt and grade it */
    post: {
      parameters: { query?: never; path: { 'exam_id': number }; header?: never; cookie?: never }
      requestBody?: { content: { 'application/json': SubmitBody } }
      responses: {
        200: { content: { 'application/json': SubmitAnswer } }
        400: { content: { 'application/json': Failure<'validation_failed' | 'invalid_request' | 'invalid_json'> } }
        401: { content: { 'application/json': Failure<'authentication_required' | 'token_expired_or_invalid'> } }
        403: { content: { 'application/json': Failure<'cross_site_request'> } }
        404: { content: { 'application/json': Failure<'not_found'> } }
        409: { content: { 'application/json': Failure<'no_active_attempt' | 'another_attempt' | 'stale_revision'> } }
        413: { content: { 'application/json': Failure<'payload_too_large'> } }
        415: { content: { 'application/json': Failure<'unsupported_media_type'> } }
        429: { content: { 'application/json': Failure<'rate_limited'> } }
        500: { content: { 'application/json': Failure<'internal_error'> } }
        503: { content: { 'application/json': Failure<'unavailable'> } }
      }
    }
  }
  '/api/v01/exams/{exam_id}/attempt-status': {
    /** Whether an attempt is under way, and how many are left */
    get: {
      parameters: { query?: never; path: { 'exam_id': number }; header?: never; cookie?: never }
      requestBody?: never
      responses: {
        200: { content: { 'application/json': StatusAnswer } }
        304: { content: {} }
        400: { content: { 'application/json': Failure<'validation_failed' | 'invalid_request'> } }
        401: { content: { 'application/json': Failure<'authentication_required' | 'token_expired_or_invalid'> } }
        404: { content: { 'application/json': Failure<'not_found'> } }
        429: { content: { 'application/json': Failure<'rate_limited'> } }
        500: { content: { 'application/json': Failure<'internal_error'> } }
        503: { content: { 'application/json': Failure<'unavailable'> } }
      }
    }
  }
  '/api/v01/exams/{exam_id}/end': {
    /** Say that this device has nothing more to send, since the time is up */
    post: {
      parameters: { query?: never; path: { 'exam_id': number }; header?: never; cookie?: never }
      requestBody: { content: { 'application/json': EndBody } }
      responses: {
        200: { content: { 'application/json': EndAnswer } }
        400: { content: { 'application/json': Failure<'validation_failed' | 'invalid_request' | 'invalid_json'> } }
        401: { content: { 'application/json': Failure<'authentication_required' | 'token_expired_or_invalid'> } }
        403: { content: { 'application/json': Failure<'cross_site_request'> } }
        404: { content: { 'application/json': Failure<'not_found'> } }
        409: { content: { 'application/json': Failure<'no_active_attempt' | 'another_attempt'> } }
        413: { content: { 'application/json': Failure<'payload_too_large'> } }
        415: { content: { 'application/json': Failure<'unsupported_media_type'> } }
        429: { content: { 'application/json': Failure<'rate_limited'> } }
        500: { content: { 'application/json': Failure<'internal_error'> } }
        503: { content: { 'application/json': Failure<'unavailable'> } }
      }
    }
  }
  '/api/v01/push': {
    /** The service's key, and one's own devices and settings */
    get: {
      parameters: { query?: never; path?: never; header?: never; cookie?: never }
      requestBody?: never
      responses: {
        200: { content: { 'application/json': PushAnswer } }
        304: { content: {} }
        400: { content: { 'application/json': Failure<'validation_failed' | 'invalid_request'> } }
        401: { content: { 'application/json': Failure<'authentication_required' | 'token_expired_or_invalid'> } }
        429: { content: { 'application/json': Failure<'rate_limited'> } }
        500: { content: { 'application/json': Failure<'internal_error'> } }
        503: { content: { 'application/json': Failure<'unavailable'> } }
      }
    }
  }
  '/api/v01/push/subscriptions': {
    /** Register a browser or an app for pushes */
    post: {
      parameters: { query?: never; path?: never; header?: never; cookie?: never }
      requestBody: { content: { 'application/json': PushSubscriptionBody } }
      responses: {
        201: { content: { 'application/json': PushSubscriptionAnswer } }
        400: { content: { 'application/json': Failure<'validation_failed' | 'invalid_request' | 'invalid_json'> } }
        401: { content: { 'application/json': Failure<'authentication_required' | 'token_expired_or_invalid'> } }
        403: { content: { 'application/json': Failure<'cross_site_request'> } }
        409: { content: { 'application/json': Failure<'too_many'> } }
        413: { content: { 'application/json': Failure<'payload_too_large'> } }
        415: { content: { 'application/json': Failure<'unsupported_media_type'> } }
        429: { content: { 'application/json': Failure<'rate_limited'> } }
        500: { content: { 'application/json': Failure<'internal_error'> } }
        503: { content: { 'application/json': Failure<'not_configured' | 'unavailable'> } }
      }
    }
  }
  '/api/v01/push/subscriptions/{id}': {
    /** Send no more pushes there */
    delete: {
      parameters: { query?: never; path: { 'id': number }; header?: never; cookie?: never }
      requestBody?: never
      responses: {
        200: { content: { 'application/json': Success } }
        400: { content: { 'application/json': Failure<'validation_failed' | 'invalid_request'> } }
        401: { content: { 'application/json': Failure<'authentication_required' | 'token_expired_or_invalid'> } }
        403: { content: { 'application/json': Failure<'cross_site_request'> } }
        404: { content: { 'application/json': Failure<'not_found'> } }
        429: { content: { 'application/json': Failure<'rate_limited'> } }
        500: { content: { 'application/json': Failure<'internal_error'> } }
        503: { content: { 'application/json': Failure<'unavailable'> } }
      }
    }
  }
  '/api/v01/push/settings': {
    /** What to be told of, and how */
    patch: {
      parameters: { query?: never; path?: never; header?: never; cookie?: never }
      requestBody?: { content: { 'application/json': PushSettingsBody } }
      responses: {
        200: { content: { 'application/json': PushSettingsAnswer } }
        400: { content: { 'application/json': Failure<'nothing_to_update' | 'validation_failed' | 'invalid_request' | 'invalid_json'> } }
        401: { content: { 'application/json': Failure<'authentication_required' | 'token_expired_or_invalid'> } }
        403: { content: { 'application/json': Failure<'cross_site_request'> } }
        413: { content: { 'application/json': Failure<'payload_too_large'> } }
        415: { content: { 'application/json': Failure<'unsupported_media_type'> } }
        429: { content: { 'application/json': Failure<'rate_limited'> } }
        500: { content: { 'application/json': Failure<'internal_error'> } }
        503: { content: { 'application/json': Failure<'unavailable'> } }
      }
    }
  }
  '/api/v01/notebooks': {
    /** Own notebooks, latest change first */
    get: {
      parameters: { query?: never; path?: never; header?: never; cookie?: never }
      requestBody?: never
      responses: {
        200: { content: { 'application/json': NotebooksAnswer } }
        304: { content: {} }
        400: { content: { 'application/json': Failure<'validation_failed' | 'invalid_request'> } }
        401: { content: { 'application/json': Failure<'authentication_required' | 'token_expired_or_invalid'> } }
        429: { content: { 'application/json': Failure<'rate_limited'> } }
        500: { content: { 'application/json': Failure<'internal_error'> } }
        503: { content: { 'application/json': Failure<'unavailable'> } }
      }
    }
    /** Create a notebook */
    post: {
      parameters: { query?: never; path?: never; header?: never; cookie?: never }
      requestBody: { content: { 'application/json': NewNotebookBody } }
      responses: {
        201: { content: { 'application/json': NotebookAnswer } }
        400: { content: { 'application/json': Failure<'validation_failed' | 'invalid_request' | 'invalid_json'> } }
        401: { content: { 'application/json': Failure<'authentication_required' | 'token_expired_or_invalid'> } }
        403: { content: { 'application/json': Failure<'cross_site_request'> } }
        409: { content: { 'application/json': Failure<'too_many'> } }
        413: { content: { 'application/json': Failure<'payload_too_large'> } }
        415: { content: { 'application/json': Failure<'unsupported_media_type'> } }
        429: { content: { 'application/json': Failure<'rate_limited'> } }
        500: { content: { 'application/json': Failure<'internal_error'> } }
        503: { content: { 'application/json': Failure<'unavailable'> } }
      }
    }
  }
  '/api/v01/notebooks/{id}': {
    /** A notebook of one’s own, or a public one */
    get: {
      parameters: { query?: never; path: { 'id': number }; header?: never; cookie?: never }
      requestBody?: never
      responses: {
        200: { content: { 'application/json': NotebookAnswer } }
        304: { content: {} }
        400: { content: { 'application/json': Failure<'validation_failed' | 'invalid_request'> } }
        401: { content: { 'application/json': Failure<'authentication_required' | 'token_expired_or_invalid'> } }
        403: { content: { 'application/json': Failure<'exam_in_progress'> } }
        404: { content: { 'application/json': Failure<'not_found'> } }
        429: { content: { 'application/json': Failure<'rate_limited'> } }
        500: { content: { 'application/json': Failure<'internal_error'> } }
        503: { content: { 'application/json': Failure<'unavailable'> } }
      }
    }
    /** Rename, describe, publish or hide a notebook */
    patch: {
      parameters: { query?: never; path: { 'id': number }; header?: never; cookie?: never }
      requestBody?: { content: { 'application/json': NotebookChange } }
      responses: {
        200: { content: { 'application/json': NotebookAnswer } }
        400: { content: { 'application/json': Failure<'nothing_to_update' | 'validation_failed' | 'invalid_request' | 'invalid_json'> } }
        401: { content: { 'application/json': Failure<'authentication_required' | 'token_expired_or_invalid'> } }
        403: { content: { 'application/json': Failure<'not_owner' | 'cross_site_request'> } }
        404: { content: { 'application/json': Failure<'not_found'> } }
        413: { content: { 'application/json': Failure<'payload_too_large'> } }
        415: { content: { 'application/json': Failure<'unsupported_media_type'> } }
        429: { content: { 'application/json': Failure<'rate_limited'> } }
        500: { content: { 'application/json': Failure<'internal_error'> } }
        503: { content: { 'application/json': Failure<'unavailable'> } }
      }
    }
    /** Delete a notebook with its pages and files */
    delete: {
      parameters: { query?: never; path: { 'id': number }; header?: never; cookie?: never }
      requestBody?: never
      responses: {
        200: { content: { 'application/json': Success } }
        400: { content: { 'application/json': Failure<'validation_failed' | 'invalid_request'> } }
        401: { content: { 'application/json': Failure<'authentication_required' | 'token_expired_or_invalid'> } }
        403: { content: { 'application/json': Failure<'not_owner' | 'cross_site_request'> } }
        404: { content: { 'application/json': Failure<'not_found'> } }
        429: { content: { 'application/json': Failure<'rate_limited'> } }
        500: { content: { 'application/json': Failure<'internal_error'> } }
        503: { content: { 'application/json': Failure<'unavailable'> } }
      }
    }
  }
  '/api/v01/notebooks/{id}/print': {
    /** Everything of a notebook, in order, for a PDF that the client makes */
    get: {
      parameters: { query?: never; path: { 'id': number }; header?: never; cookie?: never }
      requestBody?: never
      responses: {
        200: { content: { 'application/json': PrintAnswer } }
        400: { content: { 'application/json': Failure<'validation_failed' | 'invalid_request'> } }
        401: { content: { 'application/json': Failure<'authentication_required' | 'token_expired_or_invalid'> } }
        403: { content: { 'application/json': Failure<'exam_in_progress'> } }
        404: { content: { 'application/json': Failure<'not_found'> } }
        429: { content: { 'application/json': Failure<'rate_limited'> } }
        500: { content: { 'application/json': Failure<'internal_error'> } }
        503: { content: { 'application/json': Failure<'unavailable'> } }
      }
    }
  }
  '/api/v01/notebooks/{id}/pages': {
    /** The pages of a notebook, in order */
    get: {
      parameters: { query?: never; path: { 'id': number }; header?: never; cookie?: never }
      requestBody?: never
      responses: {
        200: { content: { 'application/json': PagesAnswer } }
        304: { content: {} }
        400: { content: { 'application/json': Failure<'validation_failed' | 'invalid_request'> } }
        401: { content: { 'application/json': Failure<'authentication_required' | 'token_expired_or_invalid'> } }
        403: { content: { 'application/json': Failure<'exam_in_progress'> } }
        404: { content: { 'application/json': Failure<'not_found'> } }
        429: { content: { 'application/json': Failure<'rate_limited'> } }
        500: { content: { 'application/json': Failure<'internal_error'> } }
        503: { content: { 'application/json': Failure<'unavailable'> } }
      }
    }
    /** Add a page */
    post: {
      parameters: { query?: never; path: { 'id': number }; header?: never; cookie?: never }
      requestBody?: { content: { 'application/json': NewPageBody } }
      responses: {
        201: { content: { 'application/json': PageAnswer } }
        400: { content: { 'application/json': Failure<'validation_failed' | 'invalid_request' | 'invalid_json'> } }
        401: { content: { 'application/json': Failure<'authentication_required' | 'token_expired_or_invalid'> } }
        403: { content: { 'application/json': Failure<'not_owner' | 'cross_site_request'> } }
        404: { content: { 'application/json': Failure<'not_found'> } }
        409: { content: { 'application/json': Failure<'notes_full'> } }
        413: { content: { 'application/json': Failure<'payload_too_large'> } }
        415: { content: { 'application/json': Failure<'unsupported_media_type'> } }
        429: { content: { 'application/json': Failure<'rate_limited'> } }
        500: { content: { 'application/json': Failure<'internal_error'> } }
        503: { content: { 'application/json': Failure<'unavailable'> } }
      }
    }
  }
  '/api/v01/pages/{id}': {
    /** A page */
    get: {
      parameters: { query?: never; path: { 'id': number }; header?: never; cookie?: never }
      requestBody?: never
      responses: {
        200: { content: { 'application/json': PageAnswer } }
        304: { content: {} }
        400: { content: { 'application/json': Failure<'validation_failed' | 'invalid_request'> } }
        401: { content: { 'application/json': Failure<'authentication_required' | 'token_expired_or_invalid'> } }
        403: { content: { 'application/json': Failure<'exam_in_progress'> } }
        404: { content: { 'application/json': Failure<'not_found'> } }
        429: { content: { 'application/json': Failure<'rate_limited'> } }
        500: { content: { 'application/json': Failure<'internal_error'> } }
        503: { content: { 'application/json': Failure<'unavailable'> } }
      }
    }
    /** Rename or move a page */
    patch: {
      parameters: { query?: never; path: { 'id': number }; header?: never; cookie?: never }
      requestBody?: { content: { 'application/json': NewPageBody } }
      responses: {
        200: { content: { 'application/json': PageAnswer } }
        400: { content: { 'application/json': Failure<'nothing_to_update' | 'validation_failed' | 'invalid_request' | 'invalid_json'> } }
        401: { content: { 'application/json': Failure<'authentication_required' | 'token_expired_or_invalid'> } }
        403: { content: { 'application/json': Failure<'not_owner' | 'cross_site_request'> } }
        404: { content: { 'application/json': Failure<'not_found'> } }
        413: { content: { 'application/json': Failure<'payload_too_large'> } }
        415: { content: { 'application/json': Failure<'unsupported_media_type'> } }
        429: { content: { 'application/json': Failure<'rate_limited'> } }
        500: { content: { 'application/json': Failure<'internal_error'> } }
        503: { content: { 'application/json': Failure<'unavailable'> } }
      }
    }
    /** Delete a page with its files */
    delete: {
      parameters: { query?: never; path: { 'id': number }; header?: never; cookie?: never }
      requestBody?: never
      responses: {
        200: { content: { 'application/json': Success } }
        400: { content: { 'application/json': Failure<'validation_failed' | 'invalid_request'> } }
        401: { content: { 'application/json': Failure<'authentication_required' | 'token_expired_or_invalid'> } }
        403: { content: { 'application/json': Failure<'not_owner' | 'cross_site_request'> } }
        404: { content: { 'application/json': Failure<'not_found'> } }
        429: { content: { 'application/json': Failure<'rate_limited'> } }
        500: { content: { 'application/json': Failure<'internal_error'> } }
        503: { content: { 'application/json': Failure<'unavailable'> } }
      }
    }
  }
  '/api/v01/pages/{id}/objects': {
    /** Some of the objects on a page, from the bottom of the stack to its top */
    get: {
      parameters: { query?: { 'start_index'?: number; 'limit'?: number }; path: { 'id': number }; header?: never; cookie?: never }
      requestBody?: never
      responses: {
        200: { content: { 'application/json': ObjectsAnswer } }
        304: { content: {} }
        400: { content: { 'application/json': Failure<'validation_failed' | 'invalid_request'> } }
        401: { content: { 'application/json': Failure<'authentication_required' | 'token_expired_or_invalid'> } }
        403: { content: { 'application/json': Failure<'exam_in_progress'> } }
        404: { content: { 'application/json': Failure<'not_found'> } }
        429: { content: { 'application/json': Failure<'rate_limited'> } }
        500: { content: { 'application/json': Failure<'internal_error'> } }
        503: { content: { 'application/json': Failure<'unavailable'> } }
      }
    }
  }
  '/api/v01/pages/{id}/sync': {
    /** Apply the changes that a device made to a page */
    post: {
      parameters: { query?: never; path: { 'id': number }; header?: never; cookie?: never }
      requestBody?: { content: { 'application/json': SyncBody } }
      responses: {
        200: { content: { 'application/json': SyncAnswer } }
        400: { content: { 'application/json': Failure<'validation_failed' | 'invalid_request' | 'invalid_json'> } }
        401: { content: { 'application/json': Failure<'authentication_required' | 'token_expired_or_invalid'> } }
        403: { content: { 'application/json': Failure<'not_owner' | 'cross_site_request'> } }
        404: { content: { 'application/json': Failure<'not_found'> } }
        409: { content: { 'application/json': Failure<'version_conflict' | 'notes_full' | 'too_many'> } }
        413: { content: { 'application/json': Failure<'payload_too_large'> } }
        415: { content: { 'application/json': Failure<'unsupported_media_type'> } }
        429: { content: { 'application/json': Failure<'rate_limited'> } }
        500: { content: { 'application/json': Failure<'internal_error'> } }
        503: { content: { 'application/json': Failure<'unavailable'> } }
      }
    }
  }
  '/api/v01/pages/{id}/assets': {
    /** The images of a page */
    get: {
      parameters: { query?: never; path: { 'id': number }; header?: never; cookie?: never }
      requestBody?: never
      responses: {
        200: { content: { 'application/json': AssetsAnswer } }
        304: { content: {} }
        400: { content: { 'application/json': Failure<'validation_failed' | 'invalid_request'> } }
        401: { content: { 'application/json': Failure<'authentication_required' | 'token_expired_or_invalid'> } }
        403: { content: { 'application/json': Failure<'exam_in_progress'> } }
        404: { content: { 'application/json': Failure<'not_found'> } }
        429: { content: { 'application/json': Failure<'rate_limited'> } }
        500: { content: { 'application/json': Failure<'internal_error'> } }
        503: { content: { 'application/json': Failure<'unavailable'> } }
      }
    }
    /** Upload an image, in the form field `image` */
    post: {
      parameters: { query?: never; path: { 'id': number }; header?: never; cookie?: never }
      requestBody: { content: { 'multipart/form-data': FormData } }
      responses: {
        201: { content: { 'application/json': AssetAnswer } }
        400: { content: { 'application/json': Failure<'validation_failed' | 'invalid_request' | 'invalid_json'> } }
        401: { content: { 'application/json': Failure<'authentication_required' | 'token_expired_or_invalid'> } }
        403: { content: { 'application/json': Failure<'not_owner' | 'cross_site_request'> } }
        404: { content: { 'application/json': Failure<'not_found'> } }
        409: { content: { 'application/json': Failure<'notes_full' | 'too_many'> } }
        413: { content: { 'application/json': Failure<'payload_too_large'> } }
        415: { content: { 'application/json': Failure<'unsupported_media_type'> } }
        429: { content: { 'application/json': Failure<'rate_limited'> } }
        500: { content: { 'application/json': Failure<'internal_error'> } }
        503: { content: { 'application/json': Failure<'unavailable'> } }
      }
    }
  }
  '/api/v01/assets/{id}': {
    /** An image and its signed address */
    get: {
      parameters: { query?: never; path: { 'id': number }; header?: never; cookie?: never }
      requestBody?: never
      responses: {
        200: { content: { 'application/json': AssetAnswer } }
        304: { content: {} }
        400: { content: { 'application/json': Failure<'validation_failed' | 'invalid_request'> } }
        401: { content: { 'application/json': Failure<'authentication_required' | 'token_expired_or_invalid'> } }
        403: { content: { 'application/json': Failure<'exam_in_progress'> } }
        404: { content: { 'application/json': Failure<'not_found'> } }
        429: { content: { 'application/json': Failure<'rate_limited'> } }
        500: { content: { 'application/json': Failure<'internal_error'> } }
        503: { content: { 'application/json': Failure<'unavailable'> } }
      }
    }
    /** Put another image in its place, from the form field `image` */
    patch: {
      parameters: { query?: never; path: { 'id': number }; header?: never; cookie?: never }
      requestBody: { content: { 'multipart/form-data': FormData } }
      responses: {
        200: { content: { 'application/json': AssetAnswer } }
        400: { content: { 'application/json': Failure<'validation_failed' | 'invalid_request' | 'invalid_json'> } }
        401: { content: { 'application/json': Failure<'authentication_required' | 'token_expired_or_invalid'> } }
        403: { content: { 'application/json': Failure<'not_owner' | 'cross_site_request'> } }
        404: { content: { 'application/json': Failure<'not_found'> } }
        409: { content: { 'application/json': Failure<'too_many'> } }
        413: { content: { 'application/json': Failure<'payload_too_large'> } }
        415: { content: { 'application/json': Failure<'unsupported_media_type'> } }
        429: { content: { 'application/json': Failure<'rate_limited'> } }
        500: { content: { 'application/json': Failure<'internal_error'> } }
        503: { content: { 'application/json': Failure<'unavailable'> } }
      }
    }
    /** Delete an image */
    delete: {
      parameters: { query?: never; path: { 'id': number }; header?: never; cookie?: never }
      requestBody?: never
      responses: {
        200: { content: { 'application/json': Success } }
        400: { content: { 'application/json': Failure<'validation_failed' | 'invalid_request'> } }
        401: { content: { 'application/json': Failure<'authentication_required' | 'token_expired_or_invalid'> } }
        403: { content: { 'application/json': Failure<'not_owner' | 'cross_site_request'> } }
        404: { content: { 'application/json': Failure<'not_found'> } }
        429: { content: { 'application/json': Failure<'rate_limited'> } }
        500: { content: { 'application/json': Failure<'internal_error'> } }
        503: { content: { 'application/json': Failure<'unavailable'> } }
      }
    }
  }
  '/api/v01/chat/conversations/{id}/attachments': {
    /** Upload a file, in the form field `file`, to send it within a day */
    post: {
      parameters: { query?: never; path: { 'id': number }; header?: never; cookie?: never }
      requestBody: { content: { 'multipart/form-data': FormData } }
      responses: {
        201: { content: { 'application/json': AttachmentAnswer } }
        400: { content: { 'application/json': Failure<'validation_failed' | 'invalid_request' | 'invalid_json'> } }
        401: { content: { 'application/json': Failure<'authentication_required' | 'token_expired_or_invalid'> } }
        403: { content: { 'application/json': Failure<'not_connected' | 'cross_site_request' | 'exam_in_progress'> } }
        404: { content: { 'application/json': Failure<'not_found'> } }
        409: { content: { 'application/json': Failure<'too_many'> } }
        413: { content: { 'application/json': Failure<'payload_too_large'> } }
        415: { content: { 'application/json': Failure<'unsupported_media_type'> } }
        429: { content: { 'application/json': Failure<'rate_limited'> } }
        500: { content: { 'application/json': Failure<'internal_error'> } }
        503: { content: { 'application/json': Failure<'unavailable'> } }
      }
    }
  }
  '/api/v01/chat/attachments/{id}': {
    /** A file with fresh addresses */
    get: {
      parameters: { query?: never; path: { 'id': number }; header?: never; cookie?: never }
      requestBody?: never
      responses: {
        200: { content: { 'application/json': AttachmentAnswer } }
        304: { content: {} }
        400: { content: { 'application/json': Failure<'validation_failed' | 'invalid_request'> } }
        401: { content: { 'application/json': Failure<'authentication_required' | 'token_expired_or_invalid'> } }
        403: { content: { 'application/json': Failure<'exam_in_progress'> } }
        404: { content: { 'application/json': Failure<'not_found'> } }
        429: { content: { 'application/json': Failure<'rate_limited'> } }
        500: { content: { 'application/json': Failure<'internal_error'> } }
        503: { content: { 'application/json': Failure<'unavailable'> } }
      }
    }
    /** Delete one's own file before it is sent */
    delete: {
      parameters: { query?: never; path: { 'id': number }; header?: never; cookie?: never }
      requestBody?: never
      responses: {
        200: { content: { 'application/json': Success } }
        400: { content: { 'application/json': Failure<'validation_failed' | 'invalid_request'> } }
        401: { content: { 'application/json': Failure<'authentication_required' | 'token_expired_or_invalid'> } }
        403: { content: { 'application/json': Failure<'not_owner' | 'cross_site_request' | 'exam_in_progress'> } }
        404: { content: { 'application/json': Failure<'not_found'> } }
        409: { content: { 'application/json': Failure<'already_sent'> } }
        429: { content: { 'application/json': Failure<'rate_limited'> } }
        500: { content: { 'application/json': Failure<'internal_error'> } }
        503: { content: { 'application/json': Failure<'unavailable'> } }
      }
    }
  }
  '/api/v01/classes/{id}/roster': {
    /** Invite the e-mail addresses in a CSV to a class */
    post: {
      parameters: { query?: { 'dry_run'?: boolean }; path: { 'id': number }; header?: never; cookie?: never }
      requestBody: { content: { 'multipart/form-data': FormData } }
      responses: {
        200: { content: { 'application/json': MembersAdded } }
        400: { content: { 'application/json': Failure<'missing_columns' | 'invalid_csv' | 'validation_failed' | 'invalid_request' | 'invalid_json'> } }
        401: { content: { 'application/json': Failure<'authentication_required' | 'token_expired_or_invalid'> } }
        403: { content: { 'application/json': Failure<'forbidden' | 'cross_site_request' | 'exam_in_progress'> } }
        404: { content: { 'application/json': Failure<'not_found'> } }
        409: { content: { 'application/json': Failure<'class_archived'> } }
        413: { content: { 'application/json': Failure<'payload_too_large'> } }
        415: { content: { 'application/json': Failure<'unsupported_media_type'> } }
        429: { content: { 'application/json': Failure<'rate_limited'> } }
        500: { content: { 'application/json': Failure<'internal_error'> } }
        503: { content: { 'application/json': Failure<'unavailable'> } }
      }
    }
  }
  '/api/v01/classes/{id}/materials': {
    /** A class's materials, newest first: its members and administrators */
    get: {
      parameters: { query?: never; path: { 'id': number }; header?: never; cookie?: never }
      requestBody?: never
      responses: {
        200: { content: { 'application/json': MaterialsAnswer } }
        304: { content: {} }
        400: { content: { 'application/json': Failure<'validation_failed' | 'invalid_request'> } }
        401: { content: { 'application/json': Failure<'authentication_required' | 'token_expired_or_invalid'> } }
        403: { content: { 'application/json': Failure<'exam_in_progress'> } }
        404: { content: { 'application/json': Failure<'not_found'> } }
        429: { content: { 'application/json': Failure<'rate_limited'> } }
        500: { content: { 'application/json': Failure<'internal_error'> } }
        503: { content: { 'application/json': Failure<'unavailable'> } }
      }
    }
    /** Give a class a PDF, a Markdown or a plain text, in the form field `file` */
    post: {
      parameters: { query?: never; path: { 'id': number }; header?: never; cookie?: never }
      requestBody: { content: { 'multipart/form-data': FormData } }
      responses: {
        201: { content: { 'application/json': MaterialAnswer } }
        400: { content: { 'application/json': Failure<'validation_failed' | 'invalid_request' | 'invalid_json'> } }
        401: { content: { 'application/json': Failure<'authentication_required' | 'token_expired_or_invalid'> } }
        403: { content: { 'application/json': Failure<'forbidden' | 'cross_site_request' | 'exam_in_progress'> } }
        404: { content: { 'application/json': Failure<'not_found'> } }
        409: { content: { 'application/json': Failure<'class_archived' | 'too_many'> } }
        413: { content: { 'application/json': Failure<'payload_too_large'> } }
        415: { content: { 'application/json': Failure<'unsupported_media_type'> } }
        429: { content: { 'application/json': Failure<'rate_limited'> } }
        500: { content: { 'application/json': Failure<'internal_error'> } }
        503: { content: { 'application/json': Failure<'unavailable'> } }
      }
    }
  }
  '/api/v01/classes/{id}/materials/search': {
    /** Passages of the materials of a class with these words: its members and administrators */
    get: {
      parameters: { query: { 'q': string; 'limit'?: number }; path: { 'id': number }; header?: never; cookie?: never }
      requestBody?: never
      responses: {
        200: { content: { 'application/json': PassagesAnswer } }
        304: { content: {} }
        400: { content: { 'application/json': Failure<'validation_failed' | 'invalid_request'> } }
        401: { content: { 'application/json': Failure<'authentication_required' | 'token_expired_or_invalid'> } }
        403: { content: { 'application/json': Failure<'exam_in_progress'> } }
        404: { content: { 'application/json': Failure<'not_found'> } }
        429: { content: { 'application/json': Failure<'rate_limited'> } }
        500: { content: { 'application/json': Failure<'internal_error'> } }
        503: { content: { 'application/json': Failure<'unavailable'> } }
      }
    }
  }
  '/api/v01/classes/{id}/materials/{material_id}': {
    /** A material with a fresh address */
    get: {
      parameters: { query?: never; path: { 'id': number; 'material_id': number }; header?: never; cookie?: never }
      requestBody?: never
      responses: {
        200: { content: { 'application/json': MaterialAnswer } }
        304: { content: {} }
        400: { content: { 'application/json': Failure<'validation_failed' | 'invalid_request'> } }
        401: { content: { 'application/json': Failure<'authentication_required' | 'token_expired_or_invalid'> } }
        403: { content: { 'application/json': Failure<'exam_in_progress'> } }
        404: { content: { 'application/json': Failure<'not_found'> } }
        429: { content: { 'application/json': Failure<'rate_limited'> } }
        500: { content: { 'application/json': Failure<'internal_error'> } }
        503: { content: { 'application/json': Failure<'unavailable'> } }
      }
    }
    /** Rename a material: teachers of the class and administrators */
    patch: {
      parameters: { query?: never; path: { 'id': number; 'material_id': number }; header?: never; cookie?: never }
      requestBody: { content: { 'application/json': MaterialChanges } }
      responses: {
        200: { content: { 'application/json': MaterialAnswer } }
        400: { content: { 'application/json': Failure<'validation_failed' | 'invalid_request' | 'invalid_json'> } }
        401: { content: { 'application/json': Failure<'authentication_required' | 'token_expired_or_invalid'> } }
        403: { content: { 'application/json': Failure<'forbidden' | 'cross_site_request' | 'exam_in_progress'> } }
        404: { content: { 'application/json': Failure<'not_found'> } }
        409: { content: { 'application/json': Failure<'class_archived'> } }
        413: { content: { 'application/json': Failure<'payload_too_large'> } }
        415: { content: { 'application/json': Failure<'unsupported_media_type'> } }
        429: { content: { 'application/json': Failure<'rate_limited'> } }
        500: { content: { 'application/json': Failure<'internal_error'> } }
        503: { content: { 'application/json': Failure<'unavailable'> } }
      }
    }
    /** Delete a material: teachers of the class and administrators */
    delete: {
      parameters: { query?: never; path: { 'id': number; 'material_id': number }; header?: never; cookie?: never }
      requestBody?: never
      responses: {
        200: { content: { 'application/json': Success } }
        400: { content: { 'application/json': Failure<'validation_failed' | 'invalid_request'> } }
        401: { content: { 'application/json': Failure<'authentication_required' | 'token_expired_or_invalid'> } }
        403: { content: { 'application/json': Failure<'forbidden' | 'cross_site_request' | 'exam_in_progress'> } }
        404: { content: { 'application/json': Failure<'not_found'> } }
        409: { content: { 'application/json': Failure<'class_archived'> } }
        429: { content: { 'application/json': Failure<'rate_limited'> } }
        500: { content: { 'application/json': Failure<'internal_error'> } }
        503: { content: { 'application/json': Failure<'unavailable'> } }
      }
    }
  }
  '/api/v01/admin/overview': {
    /** How many users, exams, results and responses there are */
    get: {
      parameters: { query?: never; path?: never; header?: never; cookie?: never }
      requestBody?: never
      responses: {
        200: { content: { 'application/json': OverviewAnswer } }
        304: { content: {} }
        400: { content: { 'application/json': Failure<'validation_failed' | 'invalid_request'> } }
        401: { content: { 'application/json': Failure<'authentication_required' | 'token_expired_or_invalid'> } }
        403: { content: { 'application/json': Failure<'admin_required'> } }
        429: { content: { 'application/json': Failure<'rate_limited'> } }
        500: { content: { 'application/json': Failure<'internal_error'> } }
        503: { content: { 'application/json': Failure<'unavailable'> } }
      }
    }
  }
  '/api/v01/admin/analytics': {
    /** The analytics dashboard */
    get: {
      parameters: { query?: { 'timePeriod'?: 'today' | 'week' | 'month' | 'custom' | 'all'; 'exam'?: number; 'class_id'?: number; 'startDate'?: string; 'endDate'?: string; 'table'?: 'results' | 'topPerformers' | 'recentActivity' | 'examStats' }; path?: never; header?: never; cookie?: never }
      requestBody?: never
      responses: {
        200: { content: { 'application/json': DashboardAnswer; 'text/csv': DashboardAnswer } }
        304: { content: {} }
        400: { content: { 'application/json': Failure<'validation_failed' | 'invalid_request'> } }
        401: { content: { 'application/json': Failure<'authentication_required' | 'token_expired_or_invalid'> } }
        403: { content: { 'application/json': Failure<'admin_required'> } }
        429: { content: { 'application/json': Failure<'rate_limited'> } }
        500: { content: { 'application/json': Failure<'internal_error'> } }
        503: { content: { 'application/json': Failure<'unavailable'> } }
      }
    }
  }
  '/api/v01/admin/analytics/exams/{exam_id}/items': {
    /** Item analysis of an exam */
    get: {
      parameters: { query?: { 'attempts'?: 'first' | 'last' | 'all' }; path: { 'exam_id': number }; header?: never; cookie?: never }
      requestBody?: never
      responses: {
        200: { content: { 'application/json': ItemsAnswer } }
        304: { content: {} }
        400: { content: { 'application/json': Failure<'validation_failed' | 'invalid_request'> } }
        401: { content: { 'application/json': Failure<'authentication_required' | 'token_expired_or_invalid'> } }
        403: { content: { 'application/json': Failure<'admin_required'> } }
        404: { content: { 'application/json': Failure<'not_found'> } }
        429: { content: { 'application/json': Failure<'rate_limited'> } }
        500: { content: { 'application/json': Failure<'internal_error'> } }
        503: { content: { 'application/json': Failure<'unavailable'> } }
      }
    }
  }
  '/api/v01/discussions/comments/{id}/pin': {
    /** Pin or unpin a comment */
    post: {
      parameters: { query?: never; path: { 'id': number }; header?: never; cookie?: never }
      requestBody?: { content: { 'application/json': PinBody } }
      responses: {
        200: { content: { 'application/json': PinAnswer } }
        400: { content: { 'application/json': Failure<'validation_failed' | 'invalid_request' | 'invalid_json'> } }
        401: { content: { 'application/json': Failure<'authentication_required' | 'token_expired_or_invalid'> } }
        403: { content: { 'application/json': Failure<'cross_site_request' | 'admin_required'> } }
        404: { content: { 'application/json': Failure<'not_found'> } }
        413: { content: { 'application/json': Failure<'payload_too_large'> } }
        415: { content: { 'application/json': Failure<'unsupported_media_type'> } }
        429: { content: { 'application/json': Failure<'rate_limited'> } }
        500: { content: { 'application/json': Failure<'internal_error'> } }
        503: { content: { 'application/json': Failure<'unavailable'> } }
      }
    }
  }
  '/api/v01/discussions/comments/{id}/best-answer': {
    /** Mark the best answer of a question, or take the mark back */
    post: {
      parameters: { query?: never; path: { 'id': number }; header?: never; cookie?: never }
      requestBody?: { content: { 'application/json': BestAnswerBody } }
      responses: {
        200: { content: { 'application/json': BestAnswerAnswer } }
        400: { content: { 'application/json': Failure<'validation_failed' | 'invalid_request' | 'invalid_json'> } }
        401: { content: { 'application/json': Failure<'authentication_required' | 'token_expired_or_invalid'> } }
        403: { content: { 'application/json': Failure<'cross_site_request' | 'admin_required'> } }
        404: { content: { 'application/json': Failure<'not_found'> } }
        413: { content: { 'application/json': Failure<'payload_too_large'> } }
        415: { content: { 'application/json': Failure<'unsupported_media_type'> } }
        429: { content: { 'application/json': Failure<'rate_limited'> } }
        500: { content: { 'application/json': Failure<'internal_error'> } }
        503: { content: { 'application/json': Failure<'unavailable'> } }
      }
    }
  }
  '/api/v01/admin/users': {
    /** Users, newest first */
    get: {
      parameters: { query?: { 'q'?: string; 'role'?: 'user' | 'admin' | 'both'; 'page'?: number }; path?: never; header?: never; cookie?: never }
      requestBody?: never
      responses: {
        200: { content: { 'application/json': AdminUsersAnswer; 'text/csv': AdminUsersAnswer } }
        304: { content: {} }
        400: { content: { 'application/json': Failure<'validation_failed' | 'invalid_request'> } }
        401: { content: { 'application/json': Failure<'authentication_required' | 'token_expired_or_invalid'> } }
        403: { content: { 'application/json': Failure<'admin_required'> } }
        429: { content: { 'application/json': Failure<'rate_limited'> } }
        500: { content: { 'application/json': Failure<'internal_error'> } }
        503: { content: { 'application/json': Failure<'unavailable'> } }
      }
    }
    /** Create an account for somebody */
    post: {
      parameters: { query?: never; path?: never; header?: never; cookie?: never }
      requestBody: { content: { 'application/json': NewAccountBody } }
      responses: {
        201: { content: { 'application/json': ManagedAccountAnswer } }
        400: { content: { 'application/json': Failure<'validation_failed' | 'invalid_request' | 'invalid_json'> } }
        401: { content: { 'application/json': Failure<'authentication_required' | 'token_expired_or_invalid'> } }
        403: { content: { 'application/json': Failure<'cross_site_request' | 'admin_required'> } }
        409: { content: { 'application/json': Failure<'username_taken' | 'email_taken'> } }
        413: { content: { 'application/json': Failure<'payload_too_large'> } }
        415: { content: { 'application/json': Failure<'unsupported_media_type'> } }
        429: { content: { 'application/json': Failure<'rate_limited'> } }
        500: { content: { 'application/json': Failure<'internal_error'> } }
        503: { content: { 'application/json': Failure<'unavailable'> } }
      }
    }
  }
  '/api/v01/admin/users/counts': {
    /** How many users have each role */
    get: {
      parameters: { query?: never; path?: never; header?: never; cookie?: never }
      requestBody?: never
      responses: {
        200: { content: { 'application/json': RoleCounts } }
        304: { content: {} }
        400: { content: { 'application/json': Failure<'validation_failed' | 'invalid_request'> } }
        401: { content: { 'application/json': Failure<'authentication_required' | 'token_expired_or_invalid'> } }
        403: { content: { 'application/json': Failure<'admin_required'> } }
        429: { content: { 'application/json': Failure<'rate_limited'> } }
        500: { content: { 'application/json': Failure<'internal_error'> } }
        503: { content: { 'application/json': Failure<'unavailable'> } }
      }
    }
  }
  '/api/v01/admin/users/role': {
    /** Change a user's role */
    post: {
      parameters: { query?: never; path?: never; header?: never; cookie?: never }
      requestBody: { content: { 'application/json': RoleChange } }
      responses: {
        200: { content: { 'application/json': SuccessMessage } }
        400: { content: { 'application/json': Failure<'validation_failed' | 'invalid_request' | 'invalid_json'> } }
        401: { content: { 'application/json': Failure<'authentication_required' | 'token_expired_or_invalid'> } }
        403: { content: { 'application/json': Failure<'ghost_account' | 'cross_site_request' | 'admin_required'> } }
        404: { content: { 'application/json': Failure<'not_found'> } }
        409: { content: { 'application/json': Failure<'last_admin'> } }
        413: { content: { 'application/json': Failure<'payload_too_large'> } }
        415: { content: { 'application/json': Failure<'unsupported_media_type'> } }
        429: { content: { 'application/json': Failure<'rate_limited'> } }
        500: { content: { 'application/json': Failure<'internal_error'> } }
        503: { content: { 'application/json': Failure<'unavailable'> } }
      }
    }
  }
  '/api/v01/admin/users/bulk-role': {
    /** Change many users' roles */
    post: {
      parameters: { query?: never; path?: never; header?: never; cookie?: never }
      requestBody: { content: { 'application/json': BulkRoleBody } }
      responses: {
        200: { content: { 'application/json': BulkRoleAnswer } }
        400: { content: { 'application/json': Failure<'validation_failed' | 'invalid_request' | 'invalid_json'> } }
        401: { content: { 'application/json': Failure<'authentication_required' | 'token_expired_or_invalid'> } }
        403: { content: { 'application/json': Failure<'ghost_account' | 'cross_site_request' | 'admin_required'> } }
        413: { content: { 'application/json': Failure<'payload_too_large'> } }
        415: { content: { 'application/json': Failure<'unsupported_media_type'> } }
        429: { content: { 'application/json': Failure<'rate_limited'> } }
        500: { content: { 'application/json': Failure<'internal_error'> } }
        503: { content: { 'application/json': Failure<'unavailable'> } }
      }
    }
  }
  '/api/v01/admin/users/import': {
    /** Create accounts from a CSV */
    post: {
      parameters: { query?: { 'dry_run'?: boolean }; path?: never; header?: never; cookie?: never }
      requestBody: { content: { 'multipart/form-data': FormData } }
      responses: {
        200: { content: { 'application/json': AccountsImported } }
        400: { content: { 'application/json': Failure<'missing_columns' | 'invalid_csv' | 'validation_failed' | 'invalid_request' | 'invalid_json'> } }
        401: { content: { 'application/json': Failure<'authentication_required' | 'token_expired_or_invalid'> } }
        403: { content: { 'application/json': Failure<'cross_site_request' | 'admin_required'> } }
        413: { content: { 'application/json': Failure<'payload_too_large'> } }
        415: { content: { 'application/json': Failure<'unsupported_media_type'> } }
        429: { content: { 'application/json': Failure<'rate_limited'> } }
        500: { content: { 'application/json': Failure<'internal_error'> } }
        503: { content: { 'application/json': Failure<'unavailable'> } }
      }
    }
  }
  '/api/v01/admin/users/{id}': {
    /** Change the name of an account's owner, suspend it, or end its suspension */
    patch: {
      parameters: { query?: never; path: { 'id': number }; header?: never; cookie?: never }
      requestBody?: { content: { 'application/json': ManagedAccountChanges } }
      responses: {
        200: { content: { 'application/json': ManagedAccountAnswer } }
        400: { content: { 'application/json': Failure<'validation_failed' | 'invalid_request' | 'invalid_json'> } }
        401: { content: { 'application/json': Failure<'authentication_required' | 'token_expired_or_invalid'> } }
        403: { content: { 'application/json': Failure<'cross_site_request' | 'admin_required'> } }
        404: { content: { 'application/json': Failure<'not_found'> } }
        409: { content: { 'application/json': Failure<'last_admin'> } }
        413: { content: { 'application/json': Failure<'payload_too_large'> } }
        415: { content: { 'application/json': Failure<'unsupported_media_type'> } }
        429: { content: { 'application/json': Failure<'rate_limited'> } }
        500: { content: { 'application/json': Failure<'internal_error'> } }
        503: { content: { 'application/json': Failure<'unavailable'> } }
      }
    }
    /** Delete somebody's account */
    delete: {
      parameters: { query?: never; path: { 'id': number }; header?: never; cookie?: never }
      requestBody?: { content: { 'application/json': DeleteManagedBody } }
      responses: {
        200: { content: { 'application/json': SuccessMessage } }
        400: { content: { 'application/json': Failure<'confirmation_required' | 'validation_failed' | 'invalid_request' | 'invalid_json'> } }
        401: { content: { 'application/json': Failure<'authentication_required' | 'token_expired_or_invalid'> } }
        403: { content: { 'application/json': Failure<'wrong_password' | 'fresh_sign_in_required' | 'cross_site_request' | 'admin_required'> } }
        404: { content: { 'application/json': Failure<'not_found'> } }
        409: { content: { 'application/json': Failure<'last_admin' | 'attempt_active'> } }
        413: { content: { 'application/json': Failure<'payload_too_large'> } }
        415: { content: { 'application/json': Failure<'unsupported_media_type'> } }
        429: { content: { 'application/json': Failure<'locked_out' | 'rate_limited'> } }
        500: { content: { 'application/json': Failure<'internal_error'> } }
        503: { content: { 'application/json': Failure<'unavailable'> } }
      }
    }
  }
  '/api/v01/admin/users/{id}/free-address': {
    /** Free an account's e-mail address */
    post: {
      parameters: { query?: never; path: { 'id': number }; header?: never; cookie?: never }
      requestBody?: never
      responses: {
        200: { content: { 'application/json': ManagedAccountAnswer } }
        400: { content: { 'application/json': Failure<'validation_failed' | 'invalid_request' | 'invalid_json'> } }
        401: { content: { 'application/json': Failure<'authentication_required' | 'token_expired_or_invalid'> } }
        403: { content: { 'application/json': Failure<'cross_site_request' | 'admin_required'> } }
        404: { content: { 'application/json': Failure<'not_found'> } }
        413: { content: { 'application/json': Failure<'payload_too_large'> } }
        415: { content: { 'application/json': Failure<'unsupported_media_type'> } }
        429: { content: { 'application/json': Failure<'rate_limited'> } }
        500: { content: { 'application/json': Failure<'internal_error'> } }
        503: { content: { 'application/json': Failure<'unavailable'> } }
      }
    }
  }
  '/api/v01/admin/users/{id}/password-link': {
    /** Make a link by which somebody can choose a new password */
    post: {
      parameters: { query?: never; path: { 'id': number }; header?: never; cookie?: never }
      requestBody?: never
      responses: {
        200: { content: { 'application/json': PasswordLink } }
        400: { content: { 'application/json': Failure<'validation_failed' | 'invalid_request' | 'invalid_json'> } }
        401: { content: { 'application/json': Failure<'authentication_required' | 'token_expired_or_invalid'> } }
        403: { content: { 'application/json': Failure<'forbidden' | 'oidc_only' | 'cross_site_request' | 'admin_required'> } }
        404: { content: { 'application/json': Failure<'not_found'> } }
        413: { content: { 'application/json': Failure<'payload_too_large'> } }
        415: { content: { 'application/json': Failure<'unsupported_media_type'> } }
        429: { content: { 'application/json': Failure<'rate_limited'> } }
        500: { content: { 'application/json': Failure<'internal_error'> } }
        503: { content: { 'application/json': Failure<'unavailable'> } }
      }
    }
  }
  '/api/v01/admin/access-requests': {
    /** Access requests, newest first */
    get: {
      parameters: { query?: { 'status'?: string; 'page'?: number }; path?: never; header?: never; cookie?: never }
      requestBody?: never
      responses: {
        200: { content: { 'application/json': AccessRequestsAnswer } }
        304: { content: {} }
        400: { content: { 'application/json': Failure<'validation_failed' | 'invalid_request'> } }
        401: { content: { 'application/json': Failure<'authentication_required' | 'token_expired_or_invalid'> } }
        403: { content: { 'application/json': Failure<'admin_required'> } }
        429: { content: { 'application/json': Failure<'rate_limited'> } }
        500: { content: { 'application/json': Failure<'internal_error'> } }
        503: { content: { 'application/json': Failure<'unavailable'> } }
      }
    }
  }
  '/api/v01/admin/access-requests/counts': {
    /** How many are in each state */
    get: {
      parameters: { query?: never; path?: never; header?: never; cookie?: never }
      requestBody?: never
      responses: {
        200: { content: { 'application/json': AccessRequestCounts } }
        304: { content: {} }
        400: { content: { 'application/json': Failure<'validation_failed' | 'invalid_request'> } }
        401: { content: { 'application/json': Failure<'authentication_required' | 'token_expired_or_invalid'> } }
        403: { content: { 'application/json': Failure<'admin_required'> } }
        429: { content: { 'application/json': Failure<'rate_limited'> } }
        500: { content: { 'application/json': Failure<'internal_error'> } }
        503: { content: { 'application/json': Failure<'unavailable'> } }
      }
    }
  }
  '/api/v01/admin/access-requests/{id}/approve': {
    /** Give the account a role */
    post: {
      parameters: { query?: never; path: { 'id': number }; header?: never; cookie?: never }
      requestBody: { content: { 'application/json': ApproveBody } }
      responses: {
        200: { content: { 'application/json': SuccessMessage } }
        400: { content: { 'application/json': Failure<'validation_failed' | 'invalid_request' | 'invalid_json'> } }
        401: { content: { 'application/json': Failure<'authentication_required' | 'token_expired_or_invalid'> } }
        403: { content: { 'application/json': Failure<'cross_site_request' | 'admin_required'> } }
        404: { content: { 'application/json': Failure<'not_found'> } }
        409: { content: { 'application/json': Failure<'already_processed' | 'last_admin'> } }
        413: { content: { 'application/json': Failure<'payload_too_large'> } }
        415: { content: { 'application/json': Failure<'unsupported_media_type'> } }
        429: { content: { 'application/json': Failure<'rate_limited'> } }
        500: { content: { 'application/json': Failure<'internal_error'> } }
        503: { content: { 'application/json': Failure<'unavailable'> } }
      }
    }
  }
  '/api/v01/admin/access-requests/{id}/deny': {
    /** Deny the request */
    post: {
      parameters: { query?: never; path: { 'id': number }; header?: never; cookie?: never }
      requestBody: { content: { 'application/json': DenyBody } }
      responses: {
        200: { content: { 'application/json': SuccessMessage } }
        400: { content: { 'application/json': Failure<'validation_failed' | 'invalid_request' | 'invalid_json'> } }
        401: { content: { 'application/json': Failure<'authentication_required' | 'token_expired_or_invalid'> } }
        403: { content: { 'application/json': Failure<'cross_site_request' | 'admin_required'> } }
        404: { content: { 'application/json': Failure<'not_found'> } }
        409: { content: { 'application/json': Failure<'already_processed'> } }
        413: { content: { 'application/json': Failure<'payload_too_large'> } }
        415: { content: { 'application/json': Failure<'unsupported_media_type'> } }
        429: { content: { 'application/json': Failure<'rate_limited'> } }
        500: { content: { 'application/json': Failure<'internal_error'> } }
        503: { content: { 'application/json': Failure<'unavailable'> } }
      }
    }
  }
  '/api/v01/admin/classes': {
    /** All classes, by name */
    get: {
      parameters: { query?: { 'q'?: string; 'archived'?: boolean; 'page'?: number }; path?: never; header?: never; cookie?: never }
      requestBody?: never
      responses: {
        200: { content: { 'application/json': AdminClassesAnswer } }
        304: { content: {} }
        400: { content: { 'application/json': Failure<'validation_failed' | 'invalid_request'> } }
        401: { content: { 'application/json': Failure<'authentication_required' | 'token_expired_or_invalid'> } }
        403: { content: { 'application/json': Failure<'admin_required'> } }
        429: { content: { 'application/json': Failure<'rate_limited'> } }
        500: { content: { 'application/json': Failure<'internal_error'> } }
        503: { content: { 'application/json': Failure<'unavailable'> } }
      }
    }
    /** Create a class */
    post: {
      parameters: { query?: never; path?: never; header?: never; cookie?: never }
      requestBody: { content: { 'application/json': NewClass } }
      responses: {
        201: { content: { 'application/json': AdminClassAnswer } }
        400: { content: { 'application/json': Failure<'validation_failed' | 'invalid_request' | 'invalid_json'> } }
        401: { content: { 'application/json': Failure<'authentication_required' | 'token_expired_or_invalid'> } }
        403: { content: { 'application/json': Failure<'cross_site_request' | 'admin_required'> } }
        413: { content: { 'application/json': Failure<'payload_too_large'> } }
        415: { content: { 'application/json': Failure<'unsupported_media_type'> } }
        429: { content: { 'application/json': Failure<'rate_limited'> } }
        500: { content: { 'application/json': Failure<'internal_error'> } }
        503: { content: { 'application/json': Failure<'unavailable'> } }
      }
    }
  }
  '/api/v01/admin/classes/{id}': {
    /** Change a class, or archive it */
    patch: {
      parameters: { query?: never; path: { 'id': number }; header?: never; cookie?: never }
      requestBody?: { content: { 'application/json': ClassChanges } }
      responses: {
        200: { content: { 'application/json': AdminClassAnswer } }
        400: { content: { 'application/json': Failure<'nothing_to_update' | 'validation_failed' | 'invalid_request' | 'invalid_json'> } }
        401: { content: { 'application/json': Failure<'authentication_required' | 'token_expired_or_invalid'> } }
        403: { content: { 'application/json': Failure<'cross_site_request' | 'admin_required'> } }
        404: { content: { 'application/json': Failure<'not_found'> } }
        409: { content: { 'application/json': Failure<'class_archived' | 'changed' | 'is_student'> } }
        413: { content: { 'application/json': Failure<'payload_too_large'> } }
        415: { content: { 'application/json': Failure<'unsupported_media_type'> } }
        429: { content: { 'application/json': Failure<'rate_limited'> } }
        500: { content: { 'application/json': Failure<'internal_error'> } }
        503: { content: { 'application/json': Failure<'unavailable'> } }
      }
    }
    /** Delete a class */
    delete: {
      parameters: { query?: never; path: { 'id': number }; header?: never; cookie?: never }
      requestBody?: never
      responses: {
        200: { content: { 'application/json': Success } }
        400: { content: { 'application/json': Failure<'validation_failed' | 'invalid_request'> } }
        401: { content: { 'application/json': Failure<'authentication_required' | 'token_expired_or_invalid'> } }
        403: { content: { 'application/json': Failure<'cross_site_request' | 'admin_required'> } }
        404: { content: { 'application/json': Failure<'not_found'> } }
        409: { content: { 'application/json': Failure<'class_in_use'> } }
        429: { content: { 'application/json': Failure<'rate_limited'> } }
        500: { content: { 'application/json': Failure<'internal_error'> } }
        503: { content: { 'application/json': Failure<'unavailable'> } }
      }
    }
  }
  '/api/v01/admin/exams': {
    /** All exams, newest first */
    get: {
      parameters: { query?: { 'q'?: string; 'category_id'?: number; 'page'?: number }; path?: never; header?: never; cookie?: never }
      requestBody?: never
      responses: {
        200: { content: { 'application/json': AdminExamsAnswer } }
        304: { content: {} }
        400: { content: { 'application/json': Failure<'validation_failed' | 'invalid_request'> } }
        401: { content: { 'application/json': Failure<'authentication_required' | 'token_expired_or_invalid'> } }
        403: { content: { 'application/json': Failure<'admin_required' | 'exam_in_progress'> } }
        429: { content: { 'application/json': Failure<'rate_limited'> } }
        500: { content: { 'application/json': Failure<'internal_error'> } }
        503: { content: { 'application/json': Failure<'unavailable'> } }
      }
    }
    /** Create an exam */
    post: {
      parameters: { query?: never; path?: never; header?: never; cookie?: never }
      requestBody: { content: { 'application/json': NewExam } }
      responses: {
        201: { content: { 'application/json': AdminExamAnswer } }
        400: { content: { 'application/json': Failure<'unknown_category' | 'validation_failed' | 'invalid_request' | 'invalid_json'> } }
        401: { content: { 'application/json': Failure<'authentication_required' | 'token_expired_or_invalid'> } }
        403: { content: { 'application/json': Failure<'forbidden' | 'cross_site_request' | 'admin_required' | 'exam_in_progress'> } }
        409: { content: { 'application/json': Failure<'draw_too_few'> } }
        413: { content: { 'application/json': Failure<'payload_too_large'> } }
        415: { content: { 'application/json': Failure<'unsupported_media_type'> } }
        429: { content: { 'application/json': Failure<'rate_limited'> } }
        500: { content: { 'application/json': Failure<'internal_error'> } }
        503: { content: { 'application/json': Failure<'unavailable'> } }
      }
    }
  }
  '/api/v01/admin/exams/{id}': {
    /** An exam */
    get: {
      parameters: { query?: never; path: { 'id': number }; header?: never; cookie?: never }
      requestBody?: never
      responses: {
        200: { content: { 'application/json': AdminExamAnswer } }
        304: { content: {} }
        400: { content: { 'application/json': Failure<'validation_failed' | 'invalid_request'> } }
        401: { content: { 'application/json': Failure<'authentication_required' | 'token_expired_or_invalid'> } }
        403: { content: { 'application/json': Failure<'admin_required' | 'exam_in_progress'> } }
        404: { content: { 'application/json': Failure<'not_found'> } }
        429: { content: { 'application/json': Failure<'rate_limited'> } }
        500: { content: { 'application/json': Failure<'internal_error'> } }
        503: { content: { 'application/json': Failure<'unavailable'> } }
      }
    }
    /** Change an exam */
    patch: {
      parameters: { query?: never; path: { 'id': number }; header?: never; cookie?: never }
      requestBody?: { content: { 'application/json': ExamChanges } }
      responses: {
        200: { content: { 'application/json': AdminExamAnswer } }
        400: { content: { 'application/json': Failure<'nothing_to_update' | 'unknown_category' | 'validation_failed' | 'invalid_request' | 'invalid_json'> } }
        401: { content: { 'application/json': Failure<'authentication_required' | 'token_expired_or_invalid'> } }
        403: { content: { 'application/json': Failure<'forbidden' | 'cross_site_request' | 'admin_required' | 'exam_in_progress'> } }
        404: { content: { 'application/json': Failure<'not_found'> } }
        409: { content: { 'application/json': Failure<'draw_too_few' | 'ends_attempts' | 'changed' | 'too_many'> } }
        413: { content: { 'application/json': Failure<'payload_too_large'> } }
        415: { content: { 'application/json': Failure<'unsupported_media_type'> } }
        429: { content: { 'application/json': Failure<'rate_limited'> } }
        500: { content: { 'application/json': Failure<'internal_error'> } }
        503: { content: { 'application/json': Failure<'unavailable'> } }
      }
    }
    /** Delete an exam with its questions, attempts, results and discussions */
    delete: {
      parameters: { query?: never; path: { 'id': number }; header?: never; cookie?: never }
      requestBody?: never
      responses: {
        200: { content: { 'application/json': SuccessMessage } }
        400: { content: { 'application/json': Failure<'validation_failed' | 'invalid_request'> } }
        401: { content: { 'application/json': Failure<'authentication_required' | 'token_expired_or_invalid'> } }
        403: { content: { 'application/json': Failure<'cross_site_request' | 'admin_required'> } }
        404: { content: { 'application/json': Failure<'not_found'> } }
        429: { content: { 'application/json': Failure<'rate_limited'> } }
        500: { content: { 'application/json': Failure<'internal_error'> } }
        503: { content: { 'application/json': Failure<'unavailable'> } }
      }
    }
  }
  '/api/v01/admin/exams/{id}/changes-mean': {
    /** Whom a change of an exam would affect */
    get: {
      parameters: { query?: never; path: { 'id': number }; header?: never; cookie?: never }
      requestBody?: never
      responses: {
        200: { content: { 'application/json': ChangesMean } }
        304: { content: {} }
        400: { content: { 'application/json': Failure<'validation_failed' | 'invalid_request'> } }
        401: { content: { 'application/json': Failure<'authentication_required' | 'token_expired_or_invalid'> } }
        403: { content: { 'application/json': Failure<'admin_required' | 'exam_in_progress'> } }
        404: { content: { 'application/json': Failure<'not_found'> } }
        429: { content: { 'application/json': Failure<'rate_limited'> } }
        500: { content: { 'application/json': Failure<'internal_error'> } }
        503: { content: { 'application/json': Failure<'unavailable'> } }
      }
    }
  }
  '/api/v01/admin/exams/{id}/order': {
    /** Put an exam's questions into an order */
    put: {
      parameters: { query?: never; path: { 'id': number }; header?: never; cookie?: never }
      requestBody: { content: { 'application/json': OrderBody } }
      responses: {
        200: { content: { 'application/json': Success } }
        400: { content: { 'application/json': Failure<'validation_failed' | 'invalid_request' | 'invalid_json'> } }
        401: { content: { 'application/json': Failure<'authentication_required' | 'token_expired_or_invalid'> } }
        403: { content: { 'application/json': Failure<'cross_site_request' | 'admin_required' | 'exam_in_progress'> } }
        404: { content: { 'application/json': Failure<'not_found'> } }
        409: { content: { 'application/json': Failure<'order_changed' | 'nodes_differ'> } }
        413: { content: { 'application/json': Failure<'payload_too_large'> } }
        415: { content: { 'application/json': Failure<'unsupported_media_type'> } }
        429: { content: { 'application/json': Failure<'rate_limited'> } }
        500: { content: { 'application/json': Failure<'internal_error'> } }
        503: { content: { 'application/json': Failure<'unavailable'> } }
      }
    }
  }
  '/api/v01/admin/exams/{id}/toggle-results': {
    /** Release or withhold the results */
    post: {
      parameters: { query?: never; path: { 'id': number }; header?: never; cookie?: never }
      requestBody?: { content: { 'application/json': ReleaseBody } }
      responses: {
        200: { content: { 'application/json': ReleaseAnswer } }
        400: { content: { 'application/json': Failure<'validation_failed' | 'invalid_request' | 'invalid_json'> } }
        401: { content: { 'application/json': Failure<'authentication_required' | 'token_expired_or_invalid'> } }
        403: { content: { 'application/json': Failure<'cross_site_request' | 'admin_required' | 'exam_in_progress'> } }
        404: { content: { 'application/json': Failure<'not_found'> } }
        413: { content: { 'application/json': Failure<'payload_too_large'> } }
        415: { content: { 'application/json': Failure<'unsupported_media_type'> } }
        429: { content: { 'application/json': Failure<'rate_limited'> } }
        500: { content: { 'application/json': Failure<'internal_error'> } }
        503: { content: { 'application/json': Failure<'unavailable'> } }
      }
    }
  }
  '/api/v01/admin/exams/{exam_id}/import': {
    /** Import questions from a file */
    post: {
      parameters: { query?: { 'format'?: 'auto' | 'csv' | 'gift' | 'aiken' | 'moodle_xml' | 'qti'; 'dry_run'?: boolean; 'key'?: string }; path: { 'exam_id': number }; header?: never; cookie?: never }
      requestBody: { content: { 'multipart/form-data': FormData } }
      responses: {
        200: { content: { 'application/json': Tried } }
        201: { content: { 'application/json': Exchanged } }
        400: { content: { 'application/json': Failure<'invalid_file' | 'invalid_csv' | 'missing_columns' | 'validation_failed' | 'invalid_request' | 'invalid_json'> } }
        401: { content: { 'application/json': Failure<'authentication_required' | 'token_expired_or_invalid'> } }
        403: { content: { 'application/json': Failure<'cross_site_request' | 'admin_required' | 'exam_in_progress'> } }
        404: { content: { 'application/json': Failure<'not_found'> } }
        409: { content: { 'application/json': Failure<'too_many' | 'nodes_differ'> } }
        413: { content: { 'application/json': Failure<'payload_too_large'> } }
        415: { content: { 'application/json': Failure<'unsupported_media_type'> } }
        429: { content: { 'application/json': Failure<'rate_limited'> } }
        500: { content: { 'application/json': Failure<'internal_error'> } }
        503: { content: { 'application/json': Failure<'unavailable'> } }
      }
    }
  }
  '/api/v01/admin/exams/{exam_id}/export': {
    /** The questions of an exam as a file */
    get: {
      parameters: { query: { 'format': ExportFormat }; path: { 'exam_id': number }; header?: never; cookie?: never }
      requestBody?: never
      responses: {
        200: { content: { 'text/csv': Blob; 'text/plain': Blob; 'application/xml': Blob; 'application/zip': Blob } }
        400: { content: { 'application/json': Failure<'validation_failed' | 'invalid_request'> } }
        401: { content: { 'application/json': Failure<'authentication_required' | 'token_expired_or_invalid'> } }
        403: { content: { 'application/json': Failure<'admin_required' | 'exam_in_progress'> } }
        404: { content: { 'application/json': Failure<'not_found'> } }
        429: { content: { 'application/json': Failure<'rate_limited'> } }
        500: { content: { 'application/json': Failure<'internal_error'> } }
        503: { content: { 'application/json': Failure<'unavailable'> } }
      }
    }
  }
  '/api/v01/admin/challenges': {
    /** Challenges by students, newest first */
    get: {
      parameters: { query?: { 'status'?: ChallengeStatus; 'exam_id'?: number; 'page'?: number }; path?: never; header?: never; cookie?: never }
      requestBody?: never
      responses: {
        200: { content: { 'application/json': AdminChallengesAnswer } }
        304: { content: {} }
        400: { content: { 'application/json': Failure<'validation_failed' | 'invalid_request'> } }
        401: { content: { 'application/json': Failure<'authentication_required' | 'token_expired_or_invalid'> } }
        403: { content: { 'application/json': Failure<'admin_required' | 'exam_in_progress'> } }
        429: { content: { 'application/json': Failure<'rate_limited'> } }
        500: { content: { 'application/json': Failure<'internal_error'> } }
        503: { content: { 'application/json': Failure<'unavailable'> } }
      }
    }
  }
  '/api/v01/admin/challenges/{id}/resolve': {
    /** Accept or reject a challenge */
    post: {
      parameters: { query?: never; path: { 'id': number }; header?: never; cookie?: never }
      requestBody: { content: { 'application/json': ResolveBody } }
      responses: {
        200: { content: { 'application/json': ChallengeAnswer } }
        400: { content: { 'application/json': Failure<'validation_failed' | 'invalid_request' | 'invalid_json'> } }
        401: { content: { 'application/json': Failure<'authentication_required' | 'token_expired_or_invalid'> } }
        403: { content: { 'application/json': Failure<'cross_site_request' | 'admin_required' | 'exam_in_progress'> } }
        404: { content: { 'application/json': Failure<'not_found'> } }
        409: { content: { 'application/json': Failure<'already_processed'> } }
        413: { content: { 'application/json': Failure<'payload_too_large'> } }
        415: { content: { 'application/json': Failure<'unsupported_media_type'> } }
        429: { content: { 'application/json': Failure<'rate_limited'> } }
        500: { content: { 'application/json': Failure<'internal_error'> } }
        503: { content: { 'application/json': Failure<'unavailable'> } }
      }
    }
  }
  '/api/v01/admin/exams/{exam_id}/regrades': {
    /** Correct how a question is graded, for those who sat the exam too */
    post: {
      parameters: { query?: never; path: { 'exam_id': number }; header?: never; cookie?: never }
      requestBody: { content: { 'application/json': NewRegrade } }
      responses: {
        200: { content: { 'application/json': RegradeAnswer } }
        201: { content: { 'application/json': RegradeAnswer } }
        400: { content: { 'application/json': Failure<'validation_failed' | 'invalid_request' | 'invalid_json'> } }
        401: { content: { 'application/json': Failure<'authentication_required' | 'token_expired_or_invalid'> } }
        403: { content: { 'application/json': Failure<'cross_site_request' | 'admin_required' | 'exam_in_progress'> } }
        404: { content: { 'application/json': Failure<'not_found'> } }
        413: { content: { 'application/json': Failure<'payload_too_large'> } }
        415: { content: { 'application/json': Failure<'unsupported_media_type'> } }
        429: { content: { 'application/json': Failure<'rate_limited'> } }
        500: { content: { 'application/json': Failure<'internal_error'> } }
        503: { content: { 'application/json': Failure<'unavailable'> } }
      }
    }
    /** An exam's regrades, newest first */
    get: {
      parameters: { query?: never; path: { 'exam_id': number }; header?: never; cookie?: never }
      requestBody?: never
      responses: {
        200: { content: { 'application/json': RegradesAnswer } }
        304: { content: {} }
        400: { content: { 'application/json': Failure<'validation_failed' | 'invalid_request'> } }
        401: { content: { 'application/json': Failure<'authentication_required' | 'token_expired_or_invalid'> } }
        403: { content: { 'application/json': Failure<'admin_required' | 'exam_in_progress'> } }
        404: { content: { 'application/json': Failure<'not_found'> } }
        429: { content: { 'application/json': Failure<'rate_limited'> } }
        500: { content: { 'application/json': Failure<'internal_error'> } }
        503: { content: { 'application/json': Failure<'unavailable'> } }
      }
    }
  }
  '/api/v01/admin/regrades/{id}/undo': {
    /** Undo a regrade, in any order */
    post: {
      parameters: { query?: never; path: { 'id': number }; header?: never; cookie?: never }
      requestBody?: never
      responses: {
        200: { content: { 'application/json': RegradeAnswer } }
        400: { content: { 'application/json': Failure<'validation_failed' | 'invalid_request' | 'invalid_json'> } }
        401: { content: { 'application/json': Failure<'authentication_required' | 'token_expired_or_invalid'> } }
        403: { content: { 'application/json': Failure<'cross_site_request' | 'admin_required' | 'exam_in_progress'> } }
        404: { content: { 'application/json': Failure<'not_found'> } }
        409: { content: { 'application/json': Failure<'already_undone'> } }
        413: { content: { 'application/json': Failure<'payload_too_large'> } }
        415: { content: { 'application/json': Failure<'unsupported_media_type'> } }
        429: { content: { 'application/json': Failure<'rate_limited'> } }
        500: { content: { 'application/json': Failure<'internal_error'> } }
        503: { content: { 'application/json': Failure<'unavailable'> } }
      }
    }
  }
  '/api/v01/admin/attempts/{attempt_id}/review': {
    /** A student's attempt, question by question, also before the results are released */
    get: {
      parameters: { query?: never; path: { 'attempt_id': number }; header?: never; cookie?: never }
      requestBody?: never
      responses: {
        200: { content: { 'application/json': AdminReviewAnswer } }
        304: { content: {} }
        400: { content: { 'application/json': Failure<'validation_failed' | 'invalid_request'> } }
        401: { content: { 'application/json': Failure<'authentication_required' | 'token_expired_or_invalid'> } }
        403: { content: { 'application/json': Failure<'admin_required'> } }
        404: { content: { 'application/json': Failure<'not_found'> } }
        429: { content: { 'application/json': Failure<'rate_limited'> } }
        500: { content: { 'application/json': Failure<'internal_error'> } }
        503: { content: { 'application/json': Failure<'unavailable'> } }
      }
    }
  }
  '/api/v01/admin/exams/{exam_id}/results': {
    /** The results of everybody who took an exam, by username */
    get: {
      parameters: { query?: { 'page'?: number }; path: { 'exam_id': number }; header?: never; cookie?: never }
      requestBody?: never
      responses: {
        200: { content: { 'application/json': ExamResultsAnswer } }
        304: { content: {} }
        400: { content: { 'application/json': Failure<'validation_failed' | 'invalid_request'> } }
        401: { content: { 'application/json': Failure<'authentication_required' | 'token_expired_or_invalid'> } }
        403: { content: { 'application/json': Failure<'admin_required'> } }
        404: { content: { 'application/json': Failure<'not_found'> } }
        429: { content: { 'application/json': Failure<'rate_limited'> } }
        500: { content: { 'application/json': Failure<'internal_error'> } }
        503: { content: { 'application/json': Failure<'unavailable'> } }
      }
    }
  }
  '/api/v01/admin/exams/{exam_id}/results.csv': {
    /** The results of an exam as a CSV */
    get: {
      parameters: { query?: never; path: { 'exam_id': number }; header?: never; cookie?: never }
      requestBody?: never
      responses: {
        200: { content: { 'text/csv': string } }
        400: { content: { 'application/json': Failure<'validation_failed' | 'invalid_request'> } }
        401: { content: { 'application/json': Failure<'authentication_required' | 'token_expired_or_invalid'> } }
        403: { content: { 'application/json': Failure<'admin_required'> } }
        404: { content: { 'application/json': Failure<'not_found'> } }
        429: { content: { 'application/json': Failure<'rate_limited'> } }
        500: { content: { 'application/json': Failure<'internal_error'> } }
        503: { content: { 'application/json': Failure<'unavailable'> } }
      }
    }
  }
  '/api/v01/admin/exams/{exam_id}/trial': {
    /** An exam as a student would get it, to be tried before it is published */
    get: {
      parameters: { query?: never; path: { 'exam_id': number }; header?: never; cookie?: never }
      requestBody?: never
      responses: {
        200: { content: { 'application/json': TrialAnswer } }
        304: { content: {} }
        400: { content: { 'application/json': Failure<'validation_failed' | 'invalid_request'> } }
        401: { content: { 'application/json': Failure<'authentication_required' | 'token_expired_or_invalid'> } }
        403: { content: { 'application/json': Failure<'admin_required' | 'exam_in_progress'> } }
        404: { content: { 'application/json': Failure<'not_found'> } }
        409: { content: { 'application/json': Failure<'exam_empty' | 'too_many'> } }
        429: { content: { 'application/json': Failure<'rate_limited'> } }
        500: { content: { 'application/json': Failure<'internal_error'> } }
        503: { content: { 'application/json': Failure<'unavailable'> } }
      }
    }
    /** How the answers of a trial would come out */
    post: {
      parameters: { query?: never; path: { 'exam_id': number }; header?: never; cookie?: never }
      requestBody: { content: { 'application/json': TrialBody } }
      responses: {
        200: { content: { 'application/json': TrialResult } }
        400: { content: { 'application/json': Failure<'validation_failed' | 'invalid_request' | 'invalid_json'> } }
        401: { content: { 'application/json': Failure<'authentication_required' | 'token_expired_or_invalid'> } }
        403: { content: { 'application/json': Failure<'cross_site_request' | 'admin_required' | 'exam_in_progress'> } }
        404: { content: { 'application/json': Failure<'not_found'> } }
        413: { content: { 'application/json': Failure<'payload_too_large'> } }
        415: { content: { 'application/json': Failure<'unsupported_media_type'> } }
        429: { content: { 'application/json': Failure<'rate_limited'> } }
        500: { content: { 'application/json': Failure<'internal_error'> } }
        503: { content: { 'application/json': Failure<'unavailable'> } }
      }
    }
  }
  '/api/v01/admin/exams/{exam_id}/accommodations': {
    /** People who have times of their own */
    get: {
      parameters: { query?: never; path: { 'exam_id': number }; header?: never; cookie?: never }
      requestBody?: never
      responses: {
        200: { content: { 'application/json': AccommodationsAnswer } }
        304: { content: {} }
        400: { content: { 'application/json': Failure<'validation_failed' | 'invalid_request'> } }
        401: { content: { 'application/json': Failure<'authentication_required' | 'token_expired_or_invalid'> } }
        403: { content: { 'application/json': Failure<'admin_required'> } }
        404: { content: { 'application/json': Failure<'not_found'> } }
        429: { content: { 'application/json': Failure<'rate_limited'> } }
        500: { content: { 'application/json': Failure<'internal_error'> } }
        503: { content: { 'application/json': Failure<'unavailable'> } }
      }
    }
  }
  '/api/v01/admin/exams/{exam_id}/accommodations/{user_id}': {
    /** Give somebody more time, or another window */
    put: {
      parameters: { query?: never; path: { 'exam_id': number; 'user_id': number }; header?: never; cookie?: never }
      requestBody?: { content: { 'application/json': AccommodationBody } }
      responses: {
        200: { content: { 'application/json': AccommodationAnswer } }
        400: { content: { 'application/json': Failure<'validation_failed' | 'invalid_request' | 'invalid_json'> } }
        401: { content: { 'application/json': Failure<'authentication_required' | 'token_expired_or_invalid'> } }
        403: { content: { 'application/json': Failure<'cross_site_request' | 'admin_required'> } }
        404: { content: { 'application/json': Failure<'not_found'> } }
        409: { content: { 'application/json': Failure<'ends_attempts' | 'changed'> } }
        413: { content: { 'application/json': Failure<'payload_too_large'> } }
        415: { content: { 'application/json': Failure<'unsupported_media_type'> } }
        429: { content: { 'application/json': Failure<'rate_limited'> } }
        500: { content: { 'application/json': Failure<'internal_error'> } }
        503: { content: { 'application/json': Failure<'unavailable'> } }
      }
    }
    /** Change some of somebody’s own times */
    patch: {
      parameters: { query?: never; path: { 'exam_id': number; 'user_id': number }; header?: never; cookie?: never }
      requestBody?: { content: { 'application/json': AccommodationBody } }
      responses: {
        200: { content: { 'application/json': AccommodationAnswer } }
        400: { content: { 'application/json': Failure<'nothing_to_update' | 'validation_failed' | 'invalid_request' | 'invalid_json'> } }
        401: { content: { 'application/json': Failure<'authentication_required' | 'token_expired_or_invalid'> } }
        403: { content: { 'application/json': Failure<'cross_site_request' | 'admin_required'> } }
        404: { content: { 'application/json': Failure<'not_found'> } }
        409: { content: { 'application/json': Failure<'ends_attempts' | 'changed'> } }
        413: { content: { 'application/json': Failure<'payload_too_large'> } }
        415: { content: { 'application/json': Failure<'unsupported_media_type'> } }
        429: { content: { 'application/json': Failure<'rate_limited'> } }
        500: { content: { 'application/json': Failure<'internal_error'> } }
        503: { content: { 'application/json': Failure<'unavailable'> } }
      }
    }
    /** Remove somebody's own times: those of their class, or the exam's, apply again */
    delete: {
      parameters: { query?: { 'confirm'?: boolean; 'was'?: string }; path: { 'exam_id': number; 'user_id': number }; header?: never; cookie?: never }
      requestBody?: never
      responses: {
        200: { content: { 'application/json': Success } }
        400: { content: { 'application/json': Failure<'validation_failed' | 'invalid_request'> } }
        401: { content: { 'application/json': Failure<'authentication_required' | 'token_expired_or_invalid'> } }
        403: { content: { 'application/json': Failure<'cross_site_request' | 'admin_required'> } }
        404: { content: { 'application/json': Failure<'not_found'> } }
        409: { content: { 'application/json': Failure<'ends_attempts' | 'changed'> } }
        429: { content: { 'application/json': Failure<'rate_limited'> } }
        500: { content: { 'application/json': Failure<'internal_error'> } }
        503: { content: { 'application/json': Failure<'unavailable'> } }
      }
    }
  }
  '/api/v01/admin/exams/{exam_id}/class-accommodations/{class_id}': {
    /** The times of a class, where they differ */
    get: {
      parameters: { query?: never; path: { 'exam_id': number; 'class_id': number }; header?: never; cookie?: never }
      requestBody?: never
      responses: {
        200: { content: { 'application/json': ClassAccommodationAnswer } }
        304: { content: {} }
        400: { content: { 'application/json': Failure<'validation_failed' | 'invalid_request'> } }
        401: { content: { 'application/json': Failure<'authentication_required' | 'token_expired_or_invalid'> } }
        403: { content: { 'application/json': Failure<'admin_required'> } }
        404: { content: { 'application/json': Failure<'not_found'> } }
        429: { content: { 'application/json': Failure<'rate_limited'> } }
        500: { content: { 'application/json': Failure<'internal_error'> } }
        503: { content: { 'application/json': Failure<'unavailable'> } }
      }
    }
    /** Give a class more time, or another window */
    put: {
      parameters: { query?: never; path: { 'exam_id': number; 'class_id': number }; header?: never; cookie?: never }
      requestBody?: { content: { 'application/json': AccommodationBody } }
      responses: {
        200: { content: { 'application/json': ClassAccommodationAnswer } }
        400: { content: { 'application/json': Failure<'validation_failed' | 'invalid_request' | 'invalid_json'> } }
        401: { content: { 'application/json': Failure<'authentication_required' | 'token_expired_or_invalid'> } }
        403: { content: { 'application/json': Failure<'cross_site_request' | 'admin_required'> } }
        404: { content: { 'application/json': Failure<'not_found'> } }
        409: { content: { 'application/json': Failure<'ends_attempts' | 'changed'> } }
        413: { content: { 'application/json': Failure<'payload_too_large'> } }
        415: { content: { 'application/json': Failure<'unsupported_media_type'> } }
        429: { content: { 'application/json': Failure<'rate_limited'> } }
        500: { content: { 'application/json': Failure<'internal_error'> } }
        503: { content: { 'application/json': Failure<'unavailable'> } }
      }
    }
    /** Change some of a class’s own times */
    patch: {
      parameters: { query?: never; path: { 'exam_id': number; 'class_id': number }; header?: never; cookie?: never }
      requestBody?: { content: { 'application/json': AccommodationBody } }
      responses: {
        200: { content: { 'application/json': ClassAccommodationAnswer } }
        400: { content: { 'application/json': Failure<'nothing_to_update' | 'validation_failed' | 'invalid_request' | 'invalid_json'> } }
        401: { content: { 'application/json': Failure<'authentication_required' | 'token_expired_or_invalid'> } }
        403: { content: { 'application/json': Failure<'cross_site_request' | 'admin_required'> } }
        404: { content: { 'application/json': Failure<'not_found'> } }
        409: { content: { 'application/json': Failure<'ends_attempts' | 'changed'> } }
        413: { content: { 'application/json': Failure<'payload_too_large'> } }
        415: { content: { 'application/json': Failure<'unsupported_media_type'> } }
        429: { content: { 'application/json': Failure<'rate_limited'> } }
        500: { content: { 'application/json': Failure<'internal_error'> } }
        503: { content: { 'application/json': Failure<'unavailable'> } }
      }
    }
    /** Remove a class's own times: the exam's apply again */
    delete: {
      parameters: { query?: { 'confirm'?: boolean; 'was'?: string }; path: { 'exam_id': number; 'class_id': number }; header?: never; cookie?: never }
      requestBody?: never
      responses: {
        200: { content: { 'application/json': Success } }
        400: { content: { 'application/json': Failure<'validation_failed' | 'invalid_request'> } }
        401: { content: { 'application/json': Failure<'authentication_required' | 'token_expired_or_invalid'> } }
        403: { content: { 'application/json': Failure<'cross_site_request' | 'admin_required'> } }
        404: { content: { 'application/json': Failure<'not_found'> } }
        409: { content: { 'application/json': Failure<'ends_attempts' | 'changed'> } }
        429: { content: { 'application/json': Failure<'rate_limited'> } }
        500: { content: { 'application/json': Failure<'internal_error'> } }
        503: { content: { 'application/json': Failure<'unavailable'> } }
      }
    }
  }
  '/api/v01/admin/exams/{exam_id}/extend': {
    /** Give attempts under way more minutes */
    post: {
      parameters: { query?: never; path: { 'exam_id': number }; header?: never; cookie?: never }
      requestBody: { content: { 'application/json': ExtendBody } }
      responses: {
        200: { content: { 'application/json': ExtendAnswer } }
        400: { content: { 'application/json': Failure<'validation_failed' | 'invalid_request' | 'invalid_json'> } }
        401: { content: { 'application/json': Failure<'authentication_required' | 'token_expired_or_invalid'> } }
        403: { content: { 'application/json': Failure<'cross_site_request' | 'admin_required'> } }
        404: { content: { 'application/json': Failure<'not_found'> } }
        409: { content: { 'application/json': Failure<'nodes_differ'> } }
        413: { content: { 'application/json': Failure<'payload_too_large'> } }
        415: { content: { 'application/json': Failure<'unsupported_media_type'> } }
        429: { content: { 'application/json': Failure<'rate_limited'> } }
        500: { content: { 'application/json': Failure<'internal_error'> } }
        503: { content: { 'application/json': Failure<'unavailable'> } }
      }
    }
  }
  '/api/v01/admin/exams/{exam_id}/live': {
    /** Who is taking an exam, and how far they are */
    get: {
      parameters: { query?: never; path: { 'exam_id': number }; header?: never; cookie?: never }
      requestBody?: never
      responses: {
        200: { content: { 'application/json': LiveRoomAnswer } }
        304: { content: {} }
        400: { content: { 'application/json': Failure<'validation_failed' | 'invalid_request'> } }
        401: { content: { 'application/json': Failure<'authentication_required' | 'token_expired_or_invalid'> } }
        403: { content: { 'application/json': Failure<'admin_required' | 'exam_in_progress'> } }
        404: { content: { 'application/json': Failure<'not_found'> } }
        429: { content: { 'application/json': Failure<'rate_limited'> } }
        500: { content: { 'application/json': Failure<'internal_error'> } }
        503: { content: { 'application/json': Failure<'unavailable'> } }
      }
    }
  }
  '/api/v01/admin/exams/{exam_id}/live/extend': {
    /** Give everybody, or some, more minutes */
    post: {
      parameters: { query?: never; path: { 'exam_id': number }; header?: never; cookie?: never }
      requestBody: { content: { 'application/json': LiveExtendBody } }
      responses: {
        200: { content: { 'application/json': LiveExtendAnswer } }
        400: { content: { 'application/json': Failure<'validation_failed' | 'invalid_request' | 'invalid_json'> } }
        401: { content: { 'application/json': Failure<'authentication_required' | 'token_expired_or_invalid'> } }
        403: { content: { 'application/json': Failure<'cross_site_request' | 'admin_required' | 'exam_in_progress'> } }
        404: { content: { 'application/json': Failure<'not_found'> } }
        409: { content: { 'application/json': Failure<'nodes_differ'> } }
        413: { content: { 'application/json': Failure<'payload_too_large'> } }
        415: { content: { 'application/json': Failure<'unsupported_media_type'> } }
        429: { content: { 'application/json': Failure<'rate_limited'> } }
        500: { content: { 'application/json': Failure<'internal_error'> } }
        503: { content: { 'application/json': Failure<'unavailable'> } }
      }
    }
  }
  '/api/v01/admin/exams/{exam_id}/live/hand-in': {
    /** Hand in for people whose attempts are under way */
    post: {
      parameters: { query?: never; path: { 'exam_id': number }; header?: never; cookie?: never }
      requestBody: { content: { 'application/json': HandInBody } }
      responses: {
        200: { content: { 'application/json': LiveDoneAnswer } }
        400: { content: { 'application/json': Failure<'validation_failed' | 'invalid_request' | 'invalid_json'> } }
        401: { content: { 'application/json': Failure<'authentication_required' | 'token_expired_or_invalid'> } }
        403: { content: { 'application/json': Failure<'cross_site_request' | 'admin_required' | 'exam_in_progress'> } }
        404: { content: { 'application/json': Failure<'not_found'> } }
        409: { content: { 'application/json': Failure<'nodes_differ' | 'already_submitted' | 'no_active_attempt' | 'not_connected'> } }
        413: { content: { 'application/json': Failure<'payload_too_large'> } }
        415: { content: { 'application/json': Failure<'unsupported_media_type'> } }
        429: { content: { 'application/json': Failure<'rate_limited'> } }
        500: { content: { 'application/json': Failure<'internal_error'> } }
        503: { content: { 'application/json': Failure<'unavailable'> } }
      }
    }
  }
  '/api/v01/admin/exams/{exam_id}/live/message': {
    /** Tell people who are taking the exam something */
    post: {
      parameters: { query?: never; path: { 'exam_id': number }; header?: never; cookie?: never }
      requestBody: { content: { 'application/json': ExamMessageBody } }
      responses: {
        200: { content: { 'application/json': LiveDoneAnswer } }
        400: { content: { 'application/json': Failure<'validation_failed' | 'invalid_request' | 'invalid_json'> } }
        401: { content: { 'application/json': Failure<'authentication_required' | 'token_expired_or_invalid'> } }
        403: { content: { 'application/json': Failure<'cross_site_request' | 'admin_required' | 'exam_in_progress'> } }
        404: { content: { 'application/json': Failure<'not_found'> } }
        413: { content: { 'application/json': Failure<'payload_too_large'> } }
        415: { content: { 'application/json': Failure<'unsupported_media_type'> } }
        429: { content: { 'application/json': Failure<'rate_limited'> } }
        500: { content: { 'application/json': Failure<'internal_error'> } }
        503: { content: { 'application/json': Failure<'unavailable'> } }
      }
    }
  }
  '/api/v01/admin/questions': {
    /** Questions of one exam or of all */
    get: {
      parameters: { query?: { 'exam_id'?: number; 'tag'?: string; 'page'?: number }; path?: never; header?: never; cookie?: never }
      requestBody?: never
      responses: {
        200: { content: { 'application/json': QuestionsAnswer } }
        304: { content: {} }
        400: { content: { 'application/json': Failure<'validation_failed' | 'invalid_request'> } }
        401: { content: { 'application/json': Failure<'authentication_required' | 'token_expired_or_invalid'> } }
        403: { content: { 'application/json': Failure<'admin_required' | 'exam_in_progress'> } }
        429: { content: { 'application/json': Failure<'rate_limited'> } }
        500: { content: { 'application/json': Failure<'internal_error'> } }
        503: { content: { 'application/json': Failure<'unavailable'> } }
      }
    }
    /** Add a question */
    post: {
      parameters: { query?: never; path?: never; header?: never; cookie?: never }
      requestBody: { content: { 'multipart/form-data': FormData } }
      responses: {
        201: { content: { 'application/json': QuestionAdded } }
        400: { content: { 'application/json': Failure<'too_slow' | 'validation_failed' | 'invalid_request' | 'invalid_json'> } }
        401: { content: { 'application/json': Failure<'authentication_required' | 'token_expired_or_invalid'> } }
        403: { content: { 'application/json': Failure<'cross_site_request' | 'admin_required' | 'exam_in_progress'> } }
        404: { content: { 'application/json': Failure<'not_found'> } }
        409: { content: { 'application/json': Failure<'too_many' | 'nodes_differ'> } }
        413: { content: { 'application/json': Failure<'payload_too_large'> } }
        415: { content: { 'application/json': Failure<'unsupported_media_type'> } }
        429: { content: { 'application/json': Failure<'rate_limited'> } }
        500: { content: { 'application/json': Failure<'internal_error'> } }
        503: { content: { 'application/json': Failure<'unavailable'> } }
      }
    }
  }
  '/api/v01/admin/questions/{id}': {
    /** A question */
    get: {
      parameters: { query?: never; path: { 'id': number }; header?: never; cookie?: never }
      requestBody?: never
      responses: {
        200: { content: { 'application/json': QuestionAnswer } }
        304: { content: {} }
        400: { content: { 'application/json': Failure<'validation_failed' | 'invalid_request'> } }
        401: { content: { 'application/json': Failure<'authentication_required' | 'token_expired_or_invalid'> } }
        403: { content: { 'application/json': Failure<'admin_required' | 'exam_in_progress'> } }
        404: { content: { 'application/json': Failure<'not_found'> } }
        429: { content: { 'application/json': Failure<'rate_limited'> } }
        500: { content: { 'application/json': Failure<'internal_error'> } }
        503: { content: { 'application/json': Failure<'unavailable'> } }
      }
    }
    /** Change a question */
    put: {
      parameters: { query?: never; path: { 'id': number }; header?: never; cookie?: never }
      requestBody: { content: { 'multipart/form-data': FormData } }
      responses: {
        200: { content: { 'application/json': SuccessMessage } }
        400: { content: { 'application/json': Failure<'nothing_to_update' | 'too_slow' | 'validation_failed' | 'invalid_request' | 'invalid_json'> } }
        401: { content: { 'application/json': Failure<'authentication_required' | 'token_expired_or_invalid'> } }
        403: { content: { 'application/json': Failure<'cross_site_request' | 'admin_required' | 'exam_in_progress'> } }
        404: { content: { 'application/json': Failure<'not_found'> } }
        409: { content: { 'application/json': Failure<'too_many' | 'changed' | 'nodes_differ'> } }
        413: { content: { 'application/json': Failure<'payload_too_large'> } }
        415: { content: { 'application/json': Failure<'unsupported_media_type'> } }
        429: { content: { 'application/json': Failure<'rate_limited'> } }
        500: { content: { 'application/json': Failure<'internal_error'> } }
        503: { content: { 'application/json': Failure<'unavailable'> } }
      }
    }
    /** Change a question */
    patch: {
      parameters: { query?: never; path: { 'id': number }; header?: never; cookie?: never }
      requestBody: { content: { 'multipart/form-data': FormData } }
      responses: {
        200: { content: { 'application/json': SuccessMessage } }
        400: { content: { 'application/json': Failure<'nothing_to_update' | 'too_slow' | 'validation_failed' | 'invalid_request' | 'invalid_json'> } }
        401: { content: { 'application/json': Failure<'authentication_required' | 'token_expired_or_invalid'> } }
        403: { content: { 'application/json': Failure<'cross_site_request' | 'admin_required' | 'exam_in_progress'> } }
        404: { content: { 'application/json': Failure<'not_found'> } }
        409: { content: { 'application/json': Failure<'too_many' | 'changed' | 'nodes_differ'> } }
        413: { content: { 'application/json': Failure<'payload_too_large'> } }
        415: { content: { 'application/json': Failure<'unsupported_media_type'> } }
        429: { content: { 'application/json': Failure<'rate_limited'> } }
        500: { content: { 'application/json': Failure<'internal_error'> } }
        503: { content: { 'application/json': Failure<'unavailable'> } }
      }
    }
    /** Delete a question with its discussion */
    delete: {
      parameters: { query?: never; path: { 'id': number }; header?: never; cookie?: never }
      requestBody?: never
      responses: {
        200: { content: { 'application/json': Success } }
        400: { content: { 'application/json': Failure<'validation_failed' | 'invalid_request'> } }
        401: { content: { 'application/json': Failure<'authentication_required' | 'token_expired_or_invalid'> } }
        403: { content: { 'application/json': Failure<'cross_site_request' | 'admin_required' | 'exam_in_progress'> } }
        404: { content: { 'application/json': Failure<'not_found'> } }
        429: { content: { 'application/json': Failure<'rate_limited'> } }
        500: { content: { 'application/json': Failure<'internal_error'> } }
        503: { content: { 'application/json': Failure<'unavailable'> } }
      }
    }
  }
  '/api/v01/admin/questions/bulk-delete': {
    /** Delete many questions */
    post: {
      parameters: { query?: never; path?: never; header?: never; cookie?: never }
      requestBody: { content: { 'application/json': BulkDeleteBody } }
      responses: {
        200: { content: { 'application/json': BulkDeleted } }
        400: { content: { 'application/json': Failure<'validation_failed' | 'invalid_request' | 'invalid_json'> } }
        401: { content: { 'application/json': Failure<'authentication_required' | 'token_expired_or_invalid'> } }
        403: { content: { 'application/json': Failure<'cross_site_request' | 'admin_required' | 'exam_in_progress'> } }
        413: { content: { 'application/json': Failure<'payload_too_large'> } }
        415: { content: { 'application/json': Failure<'unsupported_media_type'> } }
        429: { content: { 'application/json': Failure<'rate_limited'> } }
        500: { content: { 'application/json': Failure<'internal_error'> } }
        503: { content: { 'application/json': Failure<'unavailable'> } }
      }
    }
  }
  '/api/v01/admin/questions/bulk-marks': {
    /** Set the marks of all questions of a type in an exam */
    post: {
      parameters: { query?: never; path?: never; header?: never; cookie?: never }
      requestBody: { content: { 'application/json': BulkMarksBody } }
      responses: {
        200: { content: { 'application/json': BulkMarked } }
        400: { content: { 'application/json': Failure<'nothing_to_update' | 'validation_failed' | 'invalid_request' | 'invalid_json'> } }
        401: { content: { 'application/json': Failure<'authentication_required' | 'token_expired_or_invalid'> } }
        403: { content: { 'application/json': Failure<'cross_site_request' | 'admin_required' | 'exam_in_progress'> } }
        404: { content: { 'application/json': Failure<'not_found'> } }
        413: { content: { 'application/json': Failure<'payload_too_large'> } }
        415: { content: { 'application/json': Failure<'unsupported_media_type'> } }
        429: { content: { 'application/json': Failure<'rate_limited'> } }
        500: { content: { 'application/json': Failure<'internal_error'> } }
        503: { content: { 'application/json': Failure<'unavailable'> } }
      }
    }
  }
  '/api/v01/admin/questions/import-csv': {
    /** Import questions from a CSV */
    post: {
      parameters: { query?: { 'key'?: string }; path?: never; header?: never; cookie?: never }
      requestBody: { content: { 'multipart/form-data': FormData } }
      responses: {
        200: { content: { 'application/json': Imported } }
        400: { content: { 'application/json': Failure<'missing_columns' | 'invalid_csv' | 'too_slow' | 'validation_failed' | 'invalid_request' | 'invalid_json'> } }
        401: { content: { 'application/json': Failure<'authentication_required' | 'token_expired_or_invalid'> } }
        403: { content: { 'application/json': Failure<'cross_site_request' | 'admin_required' | 'exam_in_progress'> } }
        409: { content: { 'application/json': Failure<'too_many' | 'nodes_differ'> } }
        413: { content: { 'application/json': Failure<'payload_too_large'> } }
        415: { content: { 'application/json': Failure<'unsupported_media_type'> } }
        429: { content: { 'application/json': Failure<'rate_limited'> } }
        500: { content: { 'application/json': Failure<'internal_error'> } }
        503: { content: { 'application/json': Failure<'unavailable'> } }
      }
    }
  }
  '/api/v01/admin/questions/bulk-add': {
    /** Add many questions to an exam */
    post: {
      parameters: { query?: never; path?: never; header?: never; cookie?: never }
      requestBody: { content: { 'application/json': BulkAddBody } }
      responses: {
        201: { content: { 'application/json': BulkAdded } }
        400: { content: { 'application/json': Failure<'too_slow' | 'validation_failed' | 'invalid_request' | 'invalid_json'> } }
        401: { content: { 'application/json': Failure<'authentication_required' | 'token_expired_or_invalid'> } }
        403: { content: { 'application/json': Failure<'cross_site_request' | 'admin_required' | 'exam_in_progress'> } }
        404: { content: { 'application/json': Failure<'not_found'> } }
        409: { content: { 'application/json': Failure<'too_many' | 'nodes_differ'> } }
        413: { content: { 'application/json': Failure<'payload_too_large'> } }
        415: { content: { 'application/json': Failure<'unsupported_media_type'> } }
        429: { content: { 'application/json': Failure<'rate_limited'> } }
        500: { content: { 'application/json': Failure<'internal_error'> } }
        503: { content: { 'application/json': Failure<'unavailable'> } }
      }
    }
  }
  '/api/v01/admin/questions/preview': {
    /** A question as a student would get it, with values for its variables */
    post: {
      parameters: { query?: never; path?: never; header?: never; cookie?: never }
      requestBody?: { content: { 'application/json': PreviewQuestionBody; 'multipart/form-data': FormData } }
      responses: {
        200: { content: { 'application/json': PreviewQuestionAnswer } }
        400: { content: { 'application/json': Failure<'too_slow' | 'validation_failed' | 'invalid_request' | 'invalid_json'> } }
        401: { content: { 'application/json': Failure<'authentication_required' | 'token_expired_or_invalid'> } }
        403: { content: { 'application/json': Failure<'cross_site_request' | 'admin_required' | 'exam_in_progress'> } }
        413: { content: { 'application/json': Failure<'payload_too_large'> } }
        415: { content: { 'application/json': Failure<'unsupported_media_type'> } }
        429: { content: { 'application/json': Failure<'rate_limited'> } }
        500: { content: { 'application/json': Failure<'internal_error'> } }
        503: { content: { 'application/json': Failure<'unavailable'> } }
      }
    }
  }
  '/api/v01/admin/questions/draws': {
    /** Draws of a question as they come, with what fails */
    post: {
      parameters: { query?: never; path?: never; header?: never; cookie?: never }
      requestBody?: { content: { 'application/json': TryDrawsBody } }
      responses: {
        200: { content: { 'application/json': TryDrawsAnswer } }
        400: { content: { 'application/json': Failure<'too_slow' | 'validation_failed' | 'invalid_request' | 'invalid_json'> } }
        401: { content: { 'application/json': Failure<'authentication_required' | 'token_expired_or_invalid'> } }
        403: { content: { 'application/json': Failure<'cross_site_request' | 'admin_required' | 'exam_in_progress'> } }
        413: { content: { 'application/json': Failure<'payload_too_large'> } }
        415: { content: { 'application/json': Failure<'unsupported_media_type'> } }
        429: { content: { 'application/json': Failure<'rate_limited'> } }
        500: { content: { 'application/json': Failure<'internal_error'> } }
        503: { content: { 'application/json': Failure<'unavailable'> } }
      }
    }
  }
  '/api/v01/admin/questions/{id}/variants': {
    /** Draws of a question with variables */
    get: {
      parameters: { query?: { 'count'?: number }; path: { 'id': number }; header?: never; cookie?: never }
      requestBody?: never
      responses: {
        200: { content: { 'application/json': QuestionVariantsAnswer } }
        304: { content: {} }
        400: { content: { 'application/json': Failure<'validation_failed' | 'invalid_request'> } }
        401: { content: { 'application/json': Failure<'authentication_required' | 'token_expired_or_invalid'> } }
        403: { content: { 'application/json': Failure<'admin_required' | 'exam_in_progress'> } }
        404: { content: { 'application/json': Failure<'not_found'> } }
        429: { content: { 'application/json': Failure<'rate_limited'> } }
        500: { content: { 'application/json': Failure<'internal_error'> } }
        503: { content: { 'application/json': Failure<'unavailable'> } }
      }
    }
  }
  '/api/v01/admin/questions/copy': {
    /** Copy questions into an exam */
    post: {
      parameters: { query?: never; path?: never; header?: never; cookie?: never }
      requestBody: { content: { 'application/json': CopyQuestionsBody } }
      responses: {
        201: { content: { 'application/json': QuestionsCopied } }
        400: { content: { 'application/json': Failure<'validation_failed' | 'invalid_request' | 'invalid_json'> } }
        401: { content: { 'application/json': Failure<'authentication_required' | 'token_expired_or_invalid'> } }
        403: { content: { 'application/json': Failure<'cross_site_request' | 'admin_required'> } }
        404: { content: { 'application/json': Failure<'not_found'> } }
        409: { content: { 'application/json': Failure<'too_many' | 'nodes_differ'> } }
        413: { content: { 'application/json': Failure<'payload_too_large'> } }
        415: { content: { 'application/json': Failure<'unsupported_media_type'> } }
        429: { content: { 'application/json': Failure<'rate_limited'> } }
        500: { content: { 'application/json': Failure<'internal_error'> } }
        503: { content: { 'application/json': Failure<'unavailable'> } }
      }
    }
  }
  '/api/v01/admin/tags': {
    /** All tags of questions */
    get: {
      parameters: { query?: never; path?: never; header?: never; cookie?: never }
      requestBody?: never
      responses: {
        200: { content: { 'application/json': TagsAnswer } }
        304: { content: {} }
        400: { content: { 'application/json': Failure<'validation_failed' | 'invalid_request'> } }
        401: { content: { 'application/json': Failure<'authentication_required' | 'token_expired_or_invalid'> } }
        403: { content: { 'application/json': Failure<'admin_required'> } }
        429: { content: { 'application/json': Failure<'rate_limited'> } }
        500: { content: { 'application/json': Failure<'internal_error'> } }
        503: { content: { 'application/json': Failure<'unavailable'> } }
      }
    }
  }
  '/api/v01/admin/categories': {
    /** All categories, by name */
    get: {
      parameters: { query?: never; path?: never; header?: never; cookie?: never }
      requestBody?: never
      responses: {
        200: { content: { 'application/json': CategoriesAnswer } }
        304: { content: {} }
        400: { content: { 'application/json': Failure<'validation_failed' | 'invalid_request'> } }
        401: { content: { 'application/json': Failure<'authentication_required' | 'token_expired_or_invalid'> } }
        403: { content: { 'application/json': Failure<'admin_required'> } }
        429: { content: { 'application/json': Failure<'rate_limited'> } }
        500: { content: { 'application/json': Failure<'internal_error'> } }
        503: { content: { 'application/json': Failure<'unavailable'> } }
      }
    }
    /** Create a category */
    post: {
      parameters: { query?: never; path?: never; header?: never; cookie?: never }
      requestBody: { content: { 'multipart/form-data': FormData } }
      responses: {
        201: { content: { 'application/json': CategoryAnswer } }
        400: { content: { 'application/json': Failure<'validation_failed' | 'invalid_request' | 'invalid_json'> } }
        401: { content: { 'application/json': Failure<'authentication_required' | 'token_expired_or_invalid'> } }
        403: { content: { 'application/json': Failure<'cross_site_request' | 'admin_required'> } }
        413: { content: { 'application/json': Failure<'payload_too_large'> } }
        415: { content: { 'application/json': Failure<'unsupported_media_type'> } }
        429: { content: { 'application/json': Failure<'rate_limited'> } }
        500: { content: { 'application/json': Failure<'internal_error'> } }
        503: { content: { 'application/json': Failure<'unavailable'> } }
      }
    }
  }
  '/api/v01/admin/categories/{id}': {
    /** Change the name, the image or both */
    put: {
      parameters: { query?: never; path: { 'id': number }; header?: never; cookie?: never }
      requestBody: { content: { 'multipart/form-data': FormData } }
      responses: {
        200: { content: { 'application/json': CategoryAnswer } }
        400: { content: { 'application/json': Failure<'nothing_to_update' | 'validation_failed' | 'invalid_request' | 'invalid_json'> } }
        401: { content: { 'application/json': Failure<'authentication_required' | 'token_expired_or_invalid'> } }
        403: { content: { 'application/json': Failure<'cross_site_request' | 'admin_required'> } }
        404: { content: { 'application/json': Failure<'not_found'> } }
        413: { content: { 'application/json': Failure<'payload_too_large'> } }
        415: { content: { 'application/json': Failure<'unsupported_media_type'> } }
        429: { content: { 'application/json': Failure<'rate_limited'> } }
        500: { content: { 'application/json': Failure<'internal_error'> } }
        503: { content: { 'application/json': Failure<'unavailable'> } }
      }
    }
    /** Change the name, the image or both */
    patch: {
      parameters: { query?: never; path: { 'id': number }; header?: never; cookie?: never }
      requestBody: { content: { 'multipart/form-data': FormData } }
      responses: {
        200: { content: { 'application/json': CategoryAnswer } }
        400: { content: { 'application/json': Failure<'nothing_to_update' | 'validation_failed' | 'invalid_request' | 'invalid_json'> } }
        401: { content: { 'application/json': Failure<'authentication_required' | 'token_expired_or_invalid'> } }
        403: { content: { 'application/json': Failure<'cross_site_request' | 'admin_required'> } }
        404: { content: { 'application/json': Failure<'not_found'> } }
        413: { content: { 'application/json': Failure<'payload_too_large'> } }
        415: { content: { 'application/json': Failure<'unsupported_media_type'> } }
        429: { content: { 'application/json': Failure<'rate_limited'> } }
        500: { content: { 'application/json': Failure<'internal_error'> } }
        503: { content: { 'application/json': Failure<'unavailable'> } }
      }
    }
    /** Delete a category with its image; its exams stay */
    delete: {
      parameters: { query?: never; path: { 'id': number }; header?: never; cookie?: never }
      requestBody?: never
      responses: {
        200: { content: { 'application/json': Success } }
        400: { content: { 'application/json': Failure<'validation_failed' | 'invalid_request'> } }
        401: { content: { 'application/json': Failure<'authentication_required' | 'token_expired_or_invalid'> } }
        403: { content: { 'application/json': Failure<'cross_site_request' | 'admin_required'> } }
        404: { content: { 'application/json': Failure<'not_found'> } }
        429: { content: { 'application/json': Failure<'rate_limited'> } }
        500: { content: { 'application/json': Failure<'internal_error'> } }
        503: { content: { 'application/json': Failure<'unavailable'> } }
      }
    }
  }
  '/api/v01/admin/attempts/active': {
    /** The exams that students are taking now, with some of these students */
    get: {
      parameters: { query?: never; path?: never; header?: never; cookie?: never }
      requestBody?: never
      responses: {
        200: { content: { 'application/json': SittingsAnswer } }
        304: { content: {} }
        400: { content: { 'application/json': Failure<'validation_failed' | 'invalid_request'> } }
        401: { content: { 'application/json': Failure<'authentication_required' | 'token_expired_or_invalid'> } }
        403: { content: { 'application/json': Failure<'admin_required'> } }
        429: { content: { 'application/json': Failure<'rate_limited'> } }
        500: { content: { 'application/json': Failure<'internal_error'> } }
        503: { content: { 'application/json': Failure<'unavailable'> } }
      }
    }
  }
  '/api/v01/admin/attempts': {
    /** Attempts used and left, by student and exam */
    get: {
      parameters: { query?: { 'q'?: string; 'exam_id'?: number; 'class_id'?: number; 'status'?: 'unlimited' | 'available' | 'exhausted'; 'page'?: number }; path?: never; header?: never; cookie?: never }
      requestBody?: never
      responses: {
        200: { content: { 'application/json': AllowancesAnswer } }
        304: { content: {} }
        400: { content: { 'application/json': Failure<'validation_failed' | 'invalid_request'> } }
        401: { content: { 'application/json': Failure<'authentication_required' | 'token_expired_or_invalid'> } }
        403: { content: { 'application/json': Failure<'admin_required'> } }
        429: { content: { 'application/json': Failure<'rate_limited'> } }
        500: { content: { 'application/json': Failure<'internal_error'> } }
        503: { content: { 'application/json': Failure<'unavailable'> } }
      }
    }
  }
  '/api/v01/admin/attempts/modify': {
    /** Add, remove or reset attempts of a student */
    post: {
      parameters: { query?: never; path?: never; header?: never; cookie?: never }
      requestBody: { content: { 'application/json': ModifyBody } }
      responses: {
        200: { content: { 'application/json': Success } }
        400: { content: { 'application/json': Failure<'validation_failed' | 'invalid_request' | 'invalid_json'> } }
        401: { content: { 'application/json': Failure<'authentication_required' | 'token_expired_or_invalid'> } }
        403: { content: { 'application/json': Failure<'cross_site_request' | 'admin_required'> } }
        404: { content: { 'application/json': Failure<'not_found'> } }
        409: { content: { 'application/json': Failure<'too_many'> } }
        413: { content: { 'application/json': Failure<'payload_too_large'> } }
        415: { content: { 'application/json': Failure<'unsupported_media_type'> } }
        429: { content: { 'application/json': Failure<'rate_limited'> } }
        500: { content: { 'application/json': Failure<'internal_error'> } }
        503: { content: { 'application/json': Failure<'unavailable'> } }
      }
    }
  }
  '/api/v01/admin/attempts/bulk-modify': {
    /** The same for many students and exams */
    post: {
      parameters: { query?: never; path?: never; header?: never; cookie?: never }
      requestBody: { content: { 'application/json': BulkModifyBody } }
      responses: {
        200: { content: { 'application/json': BulkModified } }
        400: { content: { 'application/json': Failure<'validation_failed' | 'invalid_request' | 'invalid_json'> } }
        401: { content: { 'application/json': Failure<'authentication_required' | 'token_expired_or_invalid'> } }
        403: { content: { 'application/json': Failure<'cross_site_request' | 'admin_required'> } }
        413: { content: { 'application/json': Failure<'payload_too_large'> } }
        415: { content: { 'application/json': Failure<'unsupported_media_type'> } }
        429: { content: { 'application/json': Failure<'rate_limited'> } }
        500: { content: { 'application/json': Failure<'internal_error'> } }
        503: { content: { 'application/json': Failure<'unavailable'> } }
      }
    }
  }
  '/api/v01/admin/images': {
    /** Upload images into a folder */
    post: {
      parameters: { query?: never; path?: never; header?: never; cookie?: never }
      requestBody: { content: { 'multipart/form-data': FormData } }
      responses: {
        200: { content: { 'application/json': ImagesAnswer } }
        400: { content: { 'application/json': Failure<'validation_failed' | 'invalid_request' | 'invalid_json'> } }
        401: { content: { 'application/json': Failure<'authentication_required' | 'token_expired_or_invalid'> } }
        403: { content: { 'application/json': Failure<'cross_site_request' | 'admin_required'> } }
        413: { content: { 'application/json': Failure<'payload_too_large'> } }
        415: { content: { 'application/json': Failure<'unsupported_media_type'> } }
        429: { content: { 'application/json': Failure<'rate_limited'> } }
        500: { content: { 'application/json': Failure<'internal_error'> } }
        503: { content: { 'application/json': Failure<'unavailable'> } }
      }
    }
  }
  '/api/v01/admin/ai/generate': {
    /** Start generating questions */
    post: {
      parameters: { query?: never; path?: never; header?: never; cookie?: never }
      requestBody: { content: { 'multipart/form-data': FormData } }
      responses: {
        202: { content: { 'application/json': GenerateAnswer } }
        400: { content: { 'application/json': Failure<'validation_failed' | 'invalid_request' | 'invalid_json'> } }
        401: { content: { 'application/json': Failure<'authentication_required' | 'token_expired_or_invalid'> } }
        403: { content: { 'application/json': Failure<'cross_site_request' | 'admin_required'> } }
        404: { content: { 'application/json': Failure<'not_found'> } }
        409: { content: { 'application/json': Failure<'too_many'> } }
        413: { content: { 'application/json': Failure<'payload_too_large'> } }
        415: { content: { 'application/json': Failure<'unsupported_media_type'> } }
        429: { content: { 'application/json': Failure<'rate_limited'> } }
        500: { content: { 'application/json': Failure<'internal_error'> } }
        503: { content: { 'application/json': Failure<'not_configured' | 'unavailable'> } }
      }
    }
  }
  '/api/v01/admin/ai/status/{job_id}': {
    /** A job’s progress and its questions so far */
    get: {
      parameters: { query?: never; path: { 'job_id': string }; header?: never; cookie?: never }
      requestBody?: never
      responses: {
        200: { content: { 'application/json': JobStatus } }
        304: { content: {} }
        400: { content: { 'application/json': Failure<'validation_failed' | 'invalid_request'> } }
        401: { content: { 'application/json': Failure<'authentication_required' | 'token_expired_or_invalid'> } }
        403: { content: { 'application/json': Failure<'admin_required'> } }
        404: { content: { 'application/json': Failure<'not_found'> } }
        429: { content: { 'application/json': Failure<'rate_limited'> } }
        500: { content: { 'application/json': Failure<'internal_error'> } }
        503: { content: { 'application/json': Failure<'unavailable'> } }
      }
    }
  }
  '/api/v01/admin/ai/jobs': {
    /** Jobs, newest first */
    get: {
      parameters: { query?: { 'page'?: number }; path?: never; header?: never; cookie?: never }
      requestBody?: never
      responses: {
        200: { content: { 'application/json': JobList } }
        304: { content: {} }
        400: { content: { 'application/json': Failure<'validation_failed' | 'invalid_request'> } }
        401: { content: { 'application/json': Failure<'authentication_required' | 'token_expired_or_invalid'> } }
        403: { content: { 'application/json': Failure<'admin_required'> } }
        429: { content: { 'application/json': Failure<'rate_limited'> } }
        500: { content: { 'application/json': Failure<'internal_error'> } }
        503: { content: { 'application/json': Failure<'unavailable'> } }
      }
    }
  }
  '/api/v01/admin/ai/jobs/{job_id}/cancel': {
    /** Cancel a running job */
    post: {
      parameters: { query?: never; path: { 'job_id': string }; header?: never; cookie?: never }
      requestBody?: never
      responses: {
        200: { content: { 'application/json': SuccessMessage } }
        400: { content: { 'application/json': Failure<'validation_failed' | 'invalid_request' | 'invalid_json'> } }
        401: { content: { 'application/json': Failure<'authentication_required' | 'token_expired_or_invalid'> } }
        403: { content: { 'application/json': Failure<'cross_site_request' | 'admin_required'> } }
        404: { content: { 'application/json': Failure<'not_found'> } }
        409: { content: { 'application/json': Failure<'already_finished'> } }
        413: { content: { 'application/json': Failure<'payload_too_large'> } }
        415: { content: { 'application/json': Failure<'unsupported_media_type'> } }
        429: { content: { 'application/json': Failure<'rate_limited'> } }
        500: { content: { 'application/json': Failure<'internal_error'> } }
        503: { content: { 'application/json': Failure<'unavailable'> } }
      }
    }
  }
  '/api/v01/admin/ai/usage': {
    /** What the model was used for, by day */
    get: {
      parameters: { query?: { 'days'?: number }; path?: never; header?: never; cookie?: never }
      requestBody?: never
      responses: {
        200: { content: { 'application/json': AiUsage } }
        304: { content: {} }
        400: { content: { 'application/json': Failure<'validation_failed' | 'invalid_request'> } }
        401: { content: { 'application/json': Failure<'authentication_required' | 'token_expired_or_invalid'> } }
        403: { content: { 'application/json': Failure<'admin_required'> } }
        429: { content: { 'application/json': Failure<'rate_limited'> } }
        500: { content: { 'application/json': Failure<'internal_error'> } }
        503: { content: { 'application/json': Failure<'unavailable'> } }
      }
    }
  }
  '/api/v01/admin/reports': {
    /** What people reported, newest first */
    get: {
      parameters: { query?: { 'status'?: ReportStatus; 'page'?: number }; path?: never; header?: never; cookie?: never }
      requestBody?: never
      responses: {
        200: { content: { 'application/json': ReportsAnswer } }
        304: { content: {} }
        400: { content: { 'application/json': Failure<'validation_failed' | 'invalid_request'> } }
        401: { content: { 'application/json': Failure<'authentication_required' | 'token_expired_or_invalid'> } }
        403: { content: { 'application/json': Failure<'admin_required'> } }
        429: { content: { 'application/json': Failure<'rate_limited'> } }
        500: { content: { 'application/json': Failure<'internal_error'> } }
        503: { content: { 'application/json': Failure<'unavailable'> } }
      }
    }
  }
  '/api/v01/admin/reports/{id}/resolve': {
    /** Decide a report: keep the message or comment, or delete it */
    post: {
      parameters: { query?: never; path: { 'id': number }; header?: never; cookie?: never }
      requestBody: { content: { 'application/json': DecisionBody } }
      responses: {
        200: { content: { 'application/json': ReportAnswer } }
        400: { content: { 'application/json': Failure<'validation_failed' | 'invalid_request' | 'invalid_json'> } }
        401: { content: { 'application/json': Failure<'authentication_required' | 'token_expired_or_invalid'> } }
        403: { content: { 'application/json': Failure<'cross_site_request' | 'admin_required'> } }
        404: { content: { 'application/json': Failure<'not_found'> } }
        409: { content: { 'application/json': Failure<'already_processed'> } }
        413: { content: { 'application/json': Failure<'payload_too_large'> } }
        415: { content: { 'application/json': Failure<'unsupported_media_type'> } }
        429: { content: { 'application/json': Failure<'rate_limited'> } }
        500: { content: { 'application/json': Failure<'internal_error'> } }
        503: { content: { 'application/json': Failure<'unavailable'> } }
      }
    }
  }
  '/api/v01/admin/audit': {
    /** The audit log: what administrators, teachers and the command line changed, newest first */
    get: {
      parameters: { query?: { 'actor_id'?: number; 'action'?: string; 'subject'?: string; 'class_id'?: number; 'page'?: number }; path?: never; header?: never; cookie?: never }
      requestBody?: never
      responses: {
        200: { content: { 'application/json': AuditAnswer } }
        304: { content: {} }
        400: { content: { 'application/json': Failure<'validation_failed' | 'invalid_request'> } }
        401: { content: { 'application/json': Failure<'authentication_required' | 'token_expired_or_invalid'> } }
        403: { content: { 'application/json': Failure<'admin_required'> } }
        429: { content: { 'application/json': Failure<'rate_limited'> } }
        500: { content: { 'application/json': Failure<'internal_error'> } }
        503: { content: { 'application/json': Failure<'unavailable'> } }
      }
    }
  }
}
