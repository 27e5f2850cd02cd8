import { useEffect } from 'preact/hooks'
import { ask, client } from '../../client.ts'
import { Choice } from '../../components/forms/fields.tsx'
import { useLoad } from '../../components/page/use-load.ts'
import { t } from '../../texts.ts'

function useClasses() {
  return useLoad('classes', () => ask(client.GET('/api/v01/classes', {}))).data?.classes
}

/** The class whose materials a conversation leans on. */
export function AboutClass({ id }: { id: number }) {
  const own = useClasses()?.find((each) => each.id === id)
  return own ? <p class="lead">{t('With the materials of {class}', { class: own.name })}</p> : null
}

interface ClassChoiceProps {
  /** null: none; undefined: nothing was chosen. */
  chosen: number | null | undefined
  choose: (id: number | null) => void
}

/** Which class a new conversation is about: at first the only one. Nothing for whoever is in none. */
export function ClassChoice({ chosen, choose }: ClassChoiceProps) {
  const classes = useClasses()?.filter(({ archived }) => !archived)
  const only = classes?.length === 1 ? classes[0]?.id : undefined
  useEffect(() => {
    if (chosen === undefined && only !== undefined) choose(only)
  }, [only])
  if (!classes?.length) return null
  return (
    <Choice
      label="About the class"
      hint="The tutor leans on its materials, and names their pages"
      value={chosen ?? ''}
      options={[['', t('None')], ...classes.map(({ id, name }) => [id, name] as const)]}
      onChange={({ currentTarget: { value } }) => choose(value === '' ? null : Number(value))}
    />
  )
}
