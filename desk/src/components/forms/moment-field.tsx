import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { momentsOf, toLocalInput, turnName } from '../../moments.ts'
import { t } from '../../texts.ts'
import { Choice, Labelled } from './fields.tsx'

interface MomentFieldProps {
  label: string
  name: string
  hint?: string | undefined
  value?: string | null
}

/** A date and a time in this device's time zone; `momentIn` reads them. */
export function MomentField({ label, name, hint, value = null }: MomentFieldProps) {
  const input = useRef<HTMLInputElement>(null)
  const [text, setText] = useState(() => toLocalInput(value))
  const found = momentsOf(text)
  // Another minute of an hour that comes twice is in the same of both.
  const turn = value ? Math.max(momentsOf(toLocalInput(value)).indexOf(value), 0) : 0
  const isLeftOut = text !== '' && found.length === 0
  const problem = t('There is no such time that day: clocks are set forward.')
  // With the change itself: what can't be saved isn't read either (`isReadable`).
  useLayoutEffect(() => {
    input.current?.setCustomValidity(isLeftOut ? problem : '')
  }, [isLeftOut])
  useEffect(() => {
    const form = input.current?.form
    const follow = () => setText(toLocalInput(value))
    form?.addEventListener('reset', follow)
    return () => form?.removeEventListener('reset', follow)
  }, [value])
  return (
    <>
      <Labelled label={label} hint={isLeftOut ? problem : hint} isWarning={isLeftOut}>
        {(tie) => (
          <input
            ref={input}
            type="datetime-local"
            step="any"
            name={name}
            defaultValue={toLocalInput(value)}
            onInput={({ currentTarget }) => setText(currentTarget.value)}
            {...tie}
          />
        )}
      </Labelled>
      {found.length > 1 && (
        <Choice
          label={t('{label}: this hour comes twice', { label })}
          name={turnName(name)}
          value={turn}
          options={[
            [0, t('The first time, before clocks are set back')],
            [1, t('The second time, after clocks are set back')],
          ]}
        />
      )}
    </>
  )
}
