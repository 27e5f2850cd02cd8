import { t } from '../../../texts.ts'

/** Why an answer is refused that is too large even when it is sent alone: for all others the service has a sentence. */
const TOO_LARGE = new Set(['payload_too_large', 'invalid_json'])

/** Says that an answer was not taken, and why. */
export function RefusedAnswer({ reason }: { reason: string }) {
  return (
    <p class="notice bad" role="alert">
      {TOO_LARGE.has(reason)
        ? t('Not saved: this answer is too large')
        : t('Not saved: {reason}', { reason: <span lang="en">{reason}</span> })}
    </p>
  )
}
