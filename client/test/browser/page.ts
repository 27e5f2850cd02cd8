// The script of the tabs in the tests of this folder.
import { createChat } from '../../src/chat/chat.ts'
import { type ExamSession, openExam } from '../../src/exam/open-exam.ts'
import { withProgress } from '../../src/files/with-progress.ts'
import { createClient } from '../../src/index.ts'
import { web } from '../../src/platforms/web.ts'

const baseUrl = new URLSearchParams(location.search).get('service') ?? location.origin
const client = createClient({ baseUrl, platform: web() })

/** What was shown instead of what had been answered here. */
const flickers: string[] = []
let given: Record<string, string> = {}
let exam: ExamSession | undefined

async function open(id: number): Promise<void> {
  exam = (await openExam(client, id)).exam
  exam?.$state.subscribe(({ canWrite, answers }) => {
    if (!canWrite) given = {}
    for (const [question, answer] of Object.entries(given))
      if (answers[question] !== answer) flickers.push(`${answer} was given, ${answers[question]} is shown`)
  })
  Object.assign(globalThis, { exam })
}

function answer(question: number, value: string) {
  given[question] = value
  return exam?.answer(question, value)
}

const seen = { freezes: 0, returns: 0 }
addEventListener('pageshow', ({ persisted }) => {
  if (persisted) seen.returns += 1
})
document.addEventListener('freeze', () => {
  seen.freezes += 1
})
Object.assign(globalThis, {
  client,
  chat: createChat(client),
  withProgress,
  takeExam: { open, answer, flickers },
  seen,
})
