import type { User } from '@exam-practice/client'
import { useStore } from '@nanostores/preact'
import { useEffect, useMemo } from 'preact/hooks'
import { ask, client, readAllPages } from '../../client.ts'
import { Countdown } from '../../components/countdown.tsx'
import { Loaded } from '../../components/page/load-states.tsx'
import { useLoad } from '../../components/page/use-load.ts'
import { isAdministrator } from '../../roles.ts'
import { serverNow } from '../../server-time.ts'
import { t } from '../../texts.ts'
import { mayBeUnderWay } from '../../under-way.ts'
import { $taught } from '../../waiting.ts'

const REFRESH_MS = 30_000
/** How long the list of exams that may be taken is believed. */
const EXAMS_MS = 5 * 60_000
const EXAM_PAGES = 10
/** Exams of classes that are looked at: each is asked for by itself, so many at once. */
const MOST_PLACES = 60
const AT_ONCE = 4
/** Students that are named of an exam; its page has all. */
const MOST_STUDENTS = 10
/** Pages of an exam's results that are looked through; its page has all. */
const MOST_PAGES = 5

/**
 * Who is taking an exam now, how far they are, and how long they have: in the classes that the person teaches, for
 * administrators everywhere.
 */
export function SittingNow({ user }: { user: User }) {
  const taught = useStore($taught)
  const isOfAll = isAdministrator(user)
  const ids = isOfAll ? 'all' : taught.map(({ id }) => id).join(' ')
  const watch = useMemo(() => (isOfAll ? { look: lookEverywhere } : new Watch(taught)), [ids])
  const found = useLoad(watch, () => watch.look())
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
            <p class="lead">{isOfAll ? 'Nobody.' : 'Nobody in your classes.'}</p>
          ) : (
            sittings.map((sitting) => <Sitting key={`${sitting.exam.id} ${sitting.own?.id}`} of={sitting} />)
          )
        }
      </Loaded>
    </section>
  )
}

interface ExamOfClass {
  exam: { id: number; name: string }
  own: ExamClass
}

/** A class in which an exam is taken. */
interface ExamClass {
  id: number
  name: string
}

interface OneSitting {
  exam: { id: number; name: string }
  /** undefined: it is looked at as a whole. */
  own: ExamClass | undefined
  /** How many take it; some of them are named. */
  count: number
  students: { attempt_id: number; user_id: number; name: string; answered: number; ends_at: string | null }[]
}

async function lookEverywhere(): Promise<OneSitting[]> {
  const { exams } = await ask(client.GET('/api/v01/admin/attempts/active'))
  return exams.map(({ exam_id, exam_name, students, attempts }) => ({
    exam: { id: exam_id, name: exam_name },
    own: undefined,
    count: students,
    students: attempts.map((each) => ({ ...each, name: each.full_name || each.username })),
  }))
}

/**
 * The same in the classes of a teacher. Looks at each exam that may be taken once, and from then on at those that
 * somebody takes, and at a few of the others in turn: the results of a whole class are much for the service to count.
 */
class Watch {
  readonly #taught: readonly ExamClass[]
  #places: ExamOfClass[] = []
  #readAt = Number.NEGATIVE_INFINITY
  #sittings = new Map<ExamOfClass, OneSitting>()

  constructor(taught: readonly ExamClass[]) {
    this.#taught = taught
  }

  async look(): Promise<OneSitting[]> {
    const isDue = performance.now() - this.#readAt > EXAMS_MS
    if (isDue) {
      this.#places = await findPlaces(this.#taught)
      this.#readAt = performance.now()
      this.#sittings.clear()
    }
    const busy = this.#places.filter((place) => this.#sittings.has(place))
    const others = this.#places.filter((place) => !this.#sittings.has(place))
    const turn = isDue ? others : others.slice(0, AT_ONCE)
    this.#places = [...busy, ...others.slice(turn.length), ...turn]
    const asked = [...busy, ...turn]
    let failure: unknown
    let isAnswered = asked.length === 0
    for (let at = 0; at < asked.length; at += AT_ONCE)
      await Promise.all(
        asked.slice(at, at + AT_ONCE).map(async (place) => {
          try {
            const sitting = await readSitting(place)
            isAnswered = true
            if (sitting.students.length > 0) this.#sittings.set(place, sitting)
            else this.#sittings.delete(place)
          } catch (error) {
            // The others are shown; this one as it was, and it is asked for again.
            failure = error
          }
        }),
      )
    if (!isAnswered) throw failure
    return [...this.#sittings.values()]
  }
}

/** Exams that may be taken now in these classes; published ones first. */
async function findPlaces(taught: readonly ExamClass[]): Promise<ExamOfClass[]> {
  const pages = await readAllPages(
    (page) => ask(client.GET('/api/v01/admin/exams', { params: { query: { page } } })),
    EXAM_PAGES,
  )
  return (
    pages
      .flatMap(({ exams }) => exams)
      .filter((exam) => (!exam.opens_at || Date.parse(exam.opens_at) <= serverNow()) && mayBeUnderWay(exam))
      // What is begun goes on when its exam is unpublished; mostly those are drafts.
      .sort((one, other) => Number(other.is_published) - Number(one.is_published))
      .flatMap((exam): ExamOfClass[] =>
        taught.filter(({ id }) => exam.class_ids.includes(id)).map((own) => ({ exam, own })),
      )
      .slice(0, MOST_PLACES)
  )
}

async function readSitting({ exam, own }: ExamOfClass): Promise<OneSitting> {
  const pages = await readAllPages(
    (page) =>
      ask(
        client.GET('/api/v01/classes/{id}/results', {
          params: { path: { id: own.id }, query: { exam_id: exam.id, page } },
        }),
      ),
    MOST_PAGES,
  )
  const students = pages
    .flatMap(({ results }) => results)
    .flatMap(({ active, user_id, username, full_name }) =>
      active ? [{ ...active, user_id, name: full_name || username }] : [],
    )
  return { exam, own, count: students.length, students }
}

function Sitting({ of: { exam, own, count, students } }: { of: OneSitting }) {
  return (
    <>
      <h3>
        {own ? (
          <a href={`/desk/classes/${own.id}/results?exam=${exam.id}`}>
            {t('{exam}, {class}: {count, plural, one {# student} other {# students}}', {
              exam: exam.name,
              class: own.name,
              count,
            })}
          </a>
        ) : (
          <a href={`/desk/teach/exams/${exam.id}/results`}>
            {t('{exam}: {count, plural, one {# student} other {# students}}', {
              exam: exam.name,
              count,
            })}
          </a>
        )}
      </h3>
      <ul class="list">
        {students.slice(0, MOST_STUDENTS).map(({ attempt_id, user_id, name, answered, ends_at }) => (
          <li key={user_id} class="row spread">
            <a
              href={
                own ? `/desk/classes/${own.id}/attempts/${attempt_id}` : `/desk/teach/attempts/${attempt_id}`
              }
            >
              {name}
            </a>
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
