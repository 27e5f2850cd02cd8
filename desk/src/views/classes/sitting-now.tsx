import { useStore } from '@nanostores/preact'
import { useEffect } from 'preact/hooks'
import { ask, client, readAllPages } from '../../client.ts'
import { Countdown } from '../../components/countdown.tsx'
import { Loaded } from '../../components/page/load-states.tsx'
import { useLoad } from '../../components/page/use-load.ts'
import { serverNow } from '../../server-time.ts'
import { t } from '../../texts.ts'
import { $taught } from '../../waiting.ts'

const REFRESH_MS = 30_000
/** Exams that are looked at, the newest ones of those that are open: each is asked for by itself. */
const MOST_EXAMS = 8
/** Students that are named of an exam; its page has all. */
const MOST_STUDENTS = 10
/** So long after an exam's end its attempts may still run, since teachers extend them beyond it. */
const EXTENDED_MS = 12 * 3_600_000

/** Who is taking an exam of a class that the person teaches now, how far they are, and how long they have. */
export function SittingNow() {
  const taught = useStore($taught)
  const found = useLoad(taught, async () => {
    const { exams } = await ask(client.GET('/api/v01/admin/exams', {}))
    const now = serverNow()
    const isOpen = ({ opens_at, closes_at }: (typeof exams)[number]) =>
      (!opens_at || Date.parse(opens_at) <= now) && (!closes_at || Date.parse(closes_at) + EXTENDED_MS > now)
    const places = exams
      .filter(isOpen)
      // What is begun goes on when its exam is unpublished; mostly those are drafts.
      .sort((one, other) => Number(other.is_published) - Number(one.is_published))
      .flatMap((exam) => taught.filter(({ id }) => exam.class_ids.includes(id)).map((own) => ({ exam, own })))
    const sittings = await Promise.all(places.slice(0, MOST_EXAMS).map(readSitting))
    return sittings.filter(({ students }) => students.length > 0)
  })
  const { reload } = found
  useEffect(() => {
    const timer = setInterval(() => {
      if (document.visibilityState === 'visible') void reload()
    }, REFRESH_MS)
    return () => clearInterval(timer)
  }, [reload])
  return (
    <section class="sheet" aria-labelledby="sitting">
      <h2 id="sitting">Taking an exam now</h2>
      <Loaded of={found}>
        {(sittings) =>
          sittings.length === 0 ? (
            <p class="lead">Nobody in your classes.</p>
          ) : (
            sittings.map((sitting) => <Sitting key={`${sitting.exam.id} ${sitting.own.id}`} of={sitting} />)
          )
        }
      </Loaded>
    </section>
  )
}

interface Place {
  exam: { id: number; name: string }
  own: { id: number; name: string }
}

async function readSitting({ exam, own }: Place) {
  const pages = await readAllPages((page) =>
    ask(
      client.GET('/api/v01/classes/{id}/results', {
        params: { path: { id: own.id }, query: { exam_id: exam.id, page } },
      }),
    ),
  )
  const students = pages
    .flatMap(({ results }) => results)
    .flatMap(({ active, user_id, username, full_name }) =>
      active ? [{ ...active, user_id, name: full_name || username }] : [],
    )
  return { exam, own, students }
}

function Sitting({ of: { exam, own, students } }: { of: Awaited<ReturnType<typeof readSitting>> }) {
  return (
    <>
      <h3>
        <a href={`/desk/classes/${own.id}/results?exam=${exam.id}`}>
          {t('{exam}, {class}: {count, plural, one {# student} other {# students}}', {
            exam: exam.name,
            class: own.name,
            count: students.length,
          })}
        </a>
      </h3>
      <ul class="list">
        {students.slice(0, MOST_STUDENTS).map(({ attempt_id, user_id, name, answered, ends_at }) => (
          <li key={user_id} class="row spread">
            <a href={`/desk/classes/${own.id}/attempts/${attempt_id}`}>{name}</a>
            <span>
              {ends_at
                ? t('{count, plural, one {# answer} other {# answers}}, {time} left', {
                    count: answered,
                    time: <Countdown to={ends_at} />,
                  })
                : t('{count, plural, one {# answer} other {# answers}}', { count: answered })}
            </span>
          </li>
        ))}
      </ul>
    </>
  )
}
