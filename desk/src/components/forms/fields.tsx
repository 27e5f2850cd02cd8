import type { ComponentChildren, TargetedEvent } from 'preact'
import { useId } from 'preact/hooks'
import { t } from '../../texts.ts'

/** The images that the service takes, for `accept`. */
export const IMAGE_TYPES = 'image/png,image/jpeg,image/gif,image/webp'

interface FieldLabels {
  label: string
  hint?: string | undefined
  name?: string
  required?: boolean
}

interface LabelledProps extends Pick<FieldLabels, 'label' | 'hint'> {
  /** Whether the hint says that something is wrong. */
  isWarning?: boolean
  /** Renders the control; the attributes connect it with its label and its hint. */
  children: (tie: { id: string; 'aria-describedby': string | undefined }) => ComponentChildren
}

/** A control with its label above and its hint below, as all controls of the desk are. */
export function Labelled({ label, hint, isWarning, children }: LabelledProps) {
  const id = useId()
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children({ id, 'aria-describedby': hint ? `${id}-hint` : undefined })}
      {hint && (
        <small id={`${id}-hint`} class={isWarning ? 'warn' : undefined}>
          {hint}
        </small>
      )}
    </div>
  )
}

interface FieldProps extends FieldLabels {
  value?: string | null | undefined
  type?: 'text' | 'email' | 'password' | 'date' | 'file'
  autoComplete?: string
  accept?: string
  maxLength?: number
  /** The only text that is taken. */
  expected?: string
  onChange?: (event: TargetedEvent<HTMLInputElement>) => void
}

export function Field({ label, hint, value, type = 'text', expected, ...input }: FieldProps) {
  return (
    <Labelled label={label} hint={hint}>
      {(tie) => (
        <input
          type={type as 'text'}
          dir="auto"
          defaultValue={value ?? ''}
          onInput={
            expected === undefined
              ? undefined
              : ({ currentTarget }) =>
                  currentTarget.setCustomValidity(
                    currentTarget.value.trim() === expected ? '' : t('Type {text}', { text: expected }),
                  )
          }
          {...tie}
          {...input}
        />
      )}
    </Labelled>
  )
}

interface NumberFieldProps extends FieldLabels {
  value?: number | null | undefined
  least?: number
  most?: number
  /** Whether fractions are allowed, as for marks and percentages. */
  allowsFractions?: boolean
}

export function NumberField({
  label,
  hint,
  value,
  least = 0,
  most,
  allowsFractions = false,
  ...input
}: NumberFieldProps) {
  return (
    <Labelled label={label} hint={hint}>
      {(tie) => (
        <input
          type="number"
          min={least}
          max={most}
          step={allowsFractions ? 'any' : 1}
          defaultValue={value ?? ''}
          {...tie}
          {...input}
        />
      )}
    </Labelled>
  )
}

interface AreaProps extends FieldLabels {
  value?: string | undefined
  rows?: number
  maxLength?: number
}

export function Area({ label, hint, value, rows = 4, ...input }: AreaProps) {
  return (
    <Labelled label={label} hint={hint}>
      {(tie) => <textarea rows={rows} dir="auto" defaultValue={value ?? ''} {...tie} {...input} />}
    </Labelled>
  )
}

interface ChoiceProps extends FieldLabels {
  options: readonly (readonly [value: string | number, text: string])[]
  value?: string | number | null | undefined
  onChange?: (event: TargetedEvent<HTMLSelectElement>) => void
}

export function Choice({ label, options, value, hint, ...select }: ChoiceProps) {
  return (
    <Labelled label={label} hint={hint}>
      {(tie) => (
        <select {...tie} {...select}>
          {options.map(([key, text]) => (
            <option
              key={key}
              value={key}
              selected={String(key) === String(value ?? '')}
              ref={(option) => {
                // What a reset of the form goes back to.
                if (option) option.defaultSelected = String(key) === String(value ?? '')
              }}
            >
              {text}
            </option>
          ))}
        </select>
      )}
    </Labelled>
  )
}

interface CheckProps {
  label: string
  name: string
  checked?: boolean
  value?: string
}

export function Check({ label, checked = false, name, value = 'on' }: CheckProps) {
  return (
    <label class="check">
      <input type="checkbox" name={name} value={value} defaultChecked={checked} />
      <span>{label}</span>
    </label>
  )
}
