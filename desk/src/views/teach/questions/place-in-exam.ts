import { ask, client, readAllPages } from '../../../client.ts'
import { useLoad } from '../../../components/page/use-load.ts'

/** Of an exam with more pages of questions the place of one isn't looked up. */
const MOST_PAGES = 10

/** The place of a question among those of its exam, with the addresses of its neighbours. */
export function usePlaceInExam(examId: number, id: number | undefined) {
  const list = useLoad(`${examId} ${id}`, async () => {
    if (id === undefined) return []
    const page = (number: number) =>
      ask(client.GET('/api/v01/admin/questions', { params: { query: { exam_id: examId, page: number } } }))
    const first = await page(1)
    if (first.total_pages > MOST_PAGES) return []
    const pages = await readAllPages((number) => (number === 1 ? Promise.resolve(first) : page(number)))
    return pages.flatMap(({ questions }) => questions.map((each) => each.id))
  })
  const ids = list.data ?? []
  const at = id === undefined ? -1 : ids.indexOf(id)
  if (at === -1) return undefined
  const link = (other: number | undefined) =>
    other === undefined ? undefined : `/desk/teach/questions/${examId}/${other}`
  return { number: at + 1, total: ids.length, previous: link(ids[at - 1]), next: link(ids[at + 1]) }
}
