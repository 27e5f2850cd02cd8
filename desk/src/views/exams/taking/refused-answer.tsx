import { t } from '../../../texts.ts'

/** Why an answer is refused that is too large even when it is sent alone: for all others the service has a sentence. */
const TOO_LARGE = new Set(['payload_too_large', 'invalid_json'])

/** How the service begins what it says of a formula that it has stored as it was typed. */
const UNREADABLE = /^This is no formula yet: /

/** Says that an answer was not taken, or doesn't count, and why. */
export function RefusedAnswer({ reason }: { reason: string }) {
  if (UNREADABLE.test(reason))
    return (
      <p class="notice warn" role="alert">
        {t('Saved as it is, but no formula yet, so it counts as unanswered: {reason}', {
          reason: <span lang="en">{reason.replace(UNREADABLE, '')}</span>,
        })}
      </p>
    )
  return (
    <p class="notice bad" role="alert">
      {TOO_LARGE.has(reason)
        ? t('Not saved: this answer is too large')
        : t('Not saved: {reason}', { reason: <span lang="en">{reason}</span> })}
    </p>
  )
}
