import { withProgress } from '@exam-practice/client/files'
import { atom } from 'nanostores'
import { ask, client, explain, toFormData } from '../../../client.ts'
import { t } from '../../../texts.ts'

/** Bytes of a file that the service takes. */
const LARGEST = 30 * 1024 * 1024

/** A file on its way to a class, or one that could not be given. */
export interface MaterialUpload {
  id: string
  classId: number
  file: File
  /** How much of it is sent, from 0 to 1. */
  share: number
  /** Why it could not be given. */
  error?: string
  cancel: () => void
}

/** They go on while other parts of the desk are shown. */
export const $uploads = atom<readonly MaterialUpload[]>([])

const change = (id: string, changes: Partial<MaterialUpload>) =>
  $uploads.set($uploads.get().map((each) => (each.id === id ? { ...each, ...changes } : each)))

const drop = (id: string) => $uploads.set($uploads.get().filter((each) => each.id !== id))

/** One after another: a line that is slow for one file is slower for two. */
let last = Promise.resolve()

/** Gives a class files; `given` is called when one of them is stored. */
export function giveFiles(classId: number, files: Iterable<File>, given: () => Promise<unknown>): void {
  for (const file of files) {
    const aborting = new AbortController()
    const id = client.platform.uuid()
    const cancel = () => {
      aborting.abort()
      drop(id)
    }
    const error = file.size > LARGEST ? t('A file may have up to 30 MB') : undefined
    $uploads.set([...$uploads.get(), { id, classId, file, share: 0, cancel, ...(error ? { error } : {}) }])
    if (error) continue
    last = last.then(async () => {
      if (aborting.signal.aborted) return
      try {
        await ask(
          client.POST('/api/v01/classes/{id}/materials', {
            params: { path: { id: classId } },
            body: toFormData({ file }),
            signal: aborting.signal,
            fetch: withProgress(client, (sent, total) => change(id, { share: total ? sent / total : 0 })),
          }),
        )
        await given()
        drop(id)
      } catch (failure) {
        if (!aborting.signal.aborted) change(id, { error: explain(failure) })
      }
    })
  }
}
