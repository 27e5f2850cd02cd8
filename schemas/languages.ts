/** The languages of the desk, the service's own pages, mails and pushes; their texts are in `languages/`. */
export const LANGUAGES = ['en', 'de', 'es', 'hi', 'ar'] as const
export type Language = (typeof LANGUAGES)[number]
