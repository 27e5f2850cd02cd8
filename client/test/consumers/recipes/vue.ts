import type { Client } from '@exam-practice/client'
import { type ExamSession, openExam } from '@exam-practice/client/exam'
import { useStore } from '@nanostores/vue'
import { createApp, defineComponent, h, onScopeDispose, shallowRef } from 'vue'
import { openApp, tryPage } from './service.ts'

const root = document.querySelector('main') as HTMLElement

function useExam(client: Client, id: number) {
  const exam = shallowRef<ExamSession>()
  const opening = openExam(client, id)
  void opening.then((opened) => {
    exam.value = opened.exam
  })
  onScopeDispose(() => void opening.then((opened) => opened.exam?.close()))
  return exam
}

const Exam = defineComponent({
  props: { exam: { type: Object as () => ExamSession, required: true } },
  setup({ exam }) {
    const state = useStore(exam.$state)
    return () => {
      const { questions, answers, canWrite } = state.value
      const text = `${questions[0]?.question_text} (${questions.length} question, ${canWrite ? 'writable' : 'read only'})`
      return h('button', { onClick: () => exam.answer(1, 'B') }, `${text} ${answers[1]}`)
    }
  },
})

const client = await openApp()
const app = createApp({
  setup() {
    const exam = useExam(client, 7)
    return () => (exam.value ? h(Exam, { exam: exam.value }) : '…')
  },
})
app.mount(root)
await tryPage()
app.unmount()
client.close()
