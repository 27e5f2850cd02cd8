import type { Client } from '@exam-practice/client'
import { type ExamSession, openExam } from '@exam-practice/client/exam'
import { useEffect, useState } from 'react'

export function useExam(client: Client, id: number): ExamSession | undefined {
  const [exam, setExam] = useState<ExamSession>()
  useEffect(() => {
    let isGone = false
    const opening = openExam(client, id)
    void opening.then(({ exam }) => isGone || setExam(exam))
    return () => {
      isGone = true
      setExam(undefined)
      void opening.then(({ exam }) => exam?.close())
    }
  }, [client, id])
  return exam
}
