import { type Practice, practice } from '@exam-practice/client/practice'
import { client } from './client.ts'

let opened: Promise<Practice> | undefined

/** Practice of the signed-in person, shared by all views: it also sends what was answered without a connection. */
export function openPractice(): Promise<Practice> {
  opened ??= practice(client).catch((error) => {
    opened = undefined
    throw error
  })
  return opened
}
