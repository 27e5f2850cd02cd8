import './practice.css'
import type { CardsAhead, Practice, Wanted } from '@exam-practice/client/practice'
import { useStore } from '@nanostores/preact'
import { useEffect, useState } from 'preact/hooks'
import { ask, client } from '../../client.ts'
import { Failed, Loaded } from '../../components/page/load-states.tsx'
import { Page } from '../../components/page/page.tsx'
import { useLoad } from '../../components/page/use-load.ts'
import { openPractice } from '../../practice.ts'
import { $query } from '../../router.ts'
import { Round } from './round.tsx'

interface OpenedPractice {
  practised: Practice
  ahead: CardsAhead
}

/** Cards one after another: all that are due, or those of `exam`, `tag`, or what wasn't correct in `attempt`. */
export default function PracticeCards() {
  const { exam, tag, attempt } = useStore($query)
  const scope = useLoad(`${exam}/${tag}/${attempt}`, async () => ({
    practised: await openPractice(),
    wanted: await readWanted(exam, tag, attempt),
  }))
  return (
    <Page title="Practice" lead={attempt ? 'What wasn’t correct in your result.' : tag} class="practice">
      <Loaded of={scope}>{({ practised, wanted }) => <Cards practised={practised} wanted={wanted} />}</Loaded>
    </Page>
  )
}

async function readWanted(exam?: string, tag?: string, attempt?: string): Promise<Wanted> {
  if (!attempt) return { examId: exam ? Number(exam) : undefined, tag }
  const params = { path: { attempt_id: Number(attempt) } }
  const { exam_id, review } = await ask(client.GET('/api/v01/attempts/{attempt_id}', { params }))
  return { examId: exam_id, questionIds: review.filter((each) => !each.is_correct).map(({ id }) => id) }
}

function Cards({ practised, wanted }: { practised: Practice; wanted: Wanted }) {
  const [opened, setOpened] = useState<OpenedPractice>()
  useEffect(() => {
    const ahead = practised.cards(wanted)
    setOpened({ practised, ahead })
    return () => ahead.close()
  }, [practised, wanted])
  // What was fetched earlier is asked while the service can't be reached.
  const fetched = useLoad(opened, async () => {
    await opened?.ahead.refresh()
    return opened !== undefined
  })
  const [hasCards, setHasCards] = useState(false)
  useEffect(() => opened?.ahead.$cards.subscribe((cards) => cards.length > 0 && setHasCards(true)), [opened])
  if (opened && (hasCards || fetched.data)) return <Round {...opened} wanted={wanted} />
  if (fetched.error !== undefined) return <Failed error={fetched.error} again={fetched.reload} />
  return (
    <div class="skeleton" aria-busy="true">
      <span class="unseen">Loading</span>
      <i />
      <i />
    </div>
  )
}
