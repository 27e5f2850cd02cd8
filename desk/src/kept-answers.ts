import type { KeptAnswers, KeptAnswersSender } from '@exam-practice/client/exam'
import { atom } from 'nanostores'
import { client } from './client.ts'
import { lookForUnderWay } from './under-way.ts'

/** What pages of exams have left on this device, and the service doesn't have yet. */
export const $keptAnswers = atom<readonly KeptAnswers[]>([])

let sender: Promise<KeptAnswersSender> | undefined

/** Sends it from now on, wherever in the desk the person is. */
export function sendKeptAnswers(): void {
  sender ??= import('@exam-practice/client/exam').then((exams) => {
    const made = exams.sendKeptAnswers(client)
    made.$kept.subscribe((kept, before) => {
      $keptAnswers.set(kept)
      // Something was handed in, or has ended meanwhile.
      if (before && kept.length < before.length) void lookForUnderWay()
    })
    return made
  })
  // What a page has left that was closed just now.
  void sender
    .then((made) => made.send())
    .catch(() => {
      sender = undefined
    })
}
