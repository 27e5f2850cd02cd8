/** What this desk was built from; `build.ts` puts it in. */
declare const __VERSION__: string

export const SHELLS = 'desk-shell-'

/**
 * Names the cache with the files of this version in a language, and the lock that each tab of both holds: the files
 * stay until the last of these tabs is closed.
 */
export function shellIn(language: string): string {
  return `${SHELLS}${__VERSION__}-${language}`
}

export const IMAGES = 'exam-images-'

/** Names the cache with the images of exams that somebody has under way. */
export function imagesOf({ stay }: { stay: string }): string {
  return IMAGES + stay
}

/** The cache with what another app has shared, until the chat takes it. */
export const SHARED = 'shared-files'

/** The pages of the desk. At the two last ones the service decides whether somebody has to sign in first. */
export function isDesk(pathname: string): boolean {
  return /^\/(desk|exam)(\/|$)/.test(pathname) || pathname === '/'
}
