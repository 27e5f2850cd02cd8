import type { Client } from '@exam-practice/client'
import type { ExamSession } from '@exam-practice/client/exam'
import { useStore } from '@nanostores/react'
import { createElement, StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { openApp, tryPage, until } from './service.ts'
import { useExam } from './use-exam.ts'

const root = document.querySelector('main') as HTMLElement

function Page({ client }: { client: Client }) {
  const user = useStore(client.session.$user)
  const exam = useExam(client, 7)
  if (user === undefined || !exam) return '…'
  return createElement(Exam, { exam })
}

function Exam({ exam }: { exam: ExamSession }) {
  const { questions, answers, canWrite } = useStore(exam.$state)
  return createElement(
    'button',
    { type: 'button', onClick: () => exam.answer(1, 'B') },
    `${questions[0]?.question_text} (${questions.length} question, ${canWrite ? 'writable' : 'read only'}) ${answers[1]}`,
  )
}

const client = await openApp()
const react = createRoot(root)
react.render(createElement(StrictMode, null, createElement(Page, { client })))
await tryPage()
react.unmount()
await until(() => root.textContent === '')
client.close()
