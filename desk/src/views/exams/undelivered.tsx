import { forgetUndelivered, listUndelivered } from '@exam-practice/client/exam'
import { client } from '../../client.ts'
import { Action } from '../../components/forms/button.tsx'
import { useLoad } from '../../components/page/use-load.ts'
import { plural } from '../../format.ts'

/** Tells the person about answers that did not reach the service before their exam ended. */
export function Undelivered() {
  const found = useLoad('undelivered', () => listUndelivered(client))
  if (!found.data?.length) return null
  return (
    <>
      {found.data.map((journal) => (
        <div key={journal.attemptId} class="notice warn">
          <p>
            An exam ended before {plural(Object.keys(journal.unsynced).length, 'answer')} of yours could be
            delivered. They are kept on this machine: tell your teacher (attempt {journal.attemptId}).
          </p>
          <p class="row">
            <a class="button small" href={`/desk/exams/${journal.examId}`}>
              Show the exam
            </a>
            <Action
              class="small"
              act={async () => {
                await forgetUndelivered(client, journal)
                await found.reload()
              }}
              confirm="Forget these answers for good?"
            >
              Forget them
            </Action>
          </p>
        </div>
      ))}
    </>
  )
}
