import { atom } from 'nanostores'

/** The service forgets a job's document when the job ends: this tab still has the one that its teacher chose. */
export const $document = atom<{ jobId: string; url: string } | undefined>()

/** Keeps a job's document until another one takes its place, or the tab is closed. */
export function holdDocument(jobId: string, file: File): void {
  const before = $document.get()
  if (before) URL.revokeObjectURL(before.url)
  $document.set({ jobId, url: URL.createObjectURL(file) })
}
