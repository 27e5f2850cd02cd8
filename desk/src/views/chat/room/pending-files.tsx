import { useEffect, useState } from 'preact/hooks'
import { showToast } from '../../../components/dialogs/toasts.tsx'
import { bytes } from '../../../format.ts'
import { t } from '../../../texts.ts'

/** Files of one message, and bytes of each. */
const MOST_FILES = 10
const LARGEST_FILE = 25 * 1024 * 1024
/** What the service keeps as it is, with the place that a camera may have written into it. */
const MAY_HOLD_A_PLACE = /^video\/|^image\/hei[cf]|\.(hei[cf]|mov|mp4|m4v)$/i

export interface PendingFiles {
  files: readonly File[]
  add: (more: Iterable<File>) => void
  remove: (file: File) => void
  clear: () => void
}

/** The files that somebody has chosen, pasted or dropped, for the message that they are writing. */
export function usePendingFiles(): PendingFiles {
  const [files, setFiles] = useState<readonly File[]>([])
  return {
    files,
    add(more) {
      const given = [...more]
      const fitting = given.filter(({ size }) => size > 0 && size <= LARGEST_FILE)
      if (fitting.length < given.length)
        showToast(t('A file may have up to 25 MB, and has to have content'), true)
      if (files.length + fitting.length > MOST_FILES) showToast(t('A message takes up to 10 files'), true)
      setFiles([...files, ...fitting].slice(0, MOST_FILES))
    },
    remove: (file) => setFiles(files.filter((each) => each !== file)),
    clear: () => setFiles([]),
  }
}

/** The files of the message that is being written. */
export function PendingFileList({ files, remove }: Pick<PendingFiles, 'files' | 'remove'>) {
  if (files.length === 0) return null
  return (
    <div class="pending-files">
      <ul aria-label="Files">
        {files.map((file) => (
          <li key={`${file.name} ${file.size} ${file.lastModified}`}>
            <LocalPreview file={file} />
            <span class="latest">
              <bdi>{file.name}</bdi> <small>{bytes(file.size)}</small>
            </span>
            <button type="button" class="quiet small" onClick={() => remove(file)}>
              {t('Remove <unseen>{name}</unseen>', {
                name: file.name,
                unseen: (inner) => <span class="unseen">{inner}</span>,
              })}
            </button>
          </li>
        ))}
      </ul>
      {files.some(({ name, type }) => MAY_HOLD_A_PLACE.test(type) || MAY_HOLD_A_PLACE.test(name)) && (
        <p class="notice warn">
          Videos and HEIC pictures are sent as they are: they may say where they were taken.
        </p>
      )}
    </div>
  )
}

/** A picture of this device, before it is sent. */
export function LocalPreview({ file }: { file: File }) {
  const [address, setAddress] = useState<string>()
  useEffect(() => {
    if (!/^image\/(png|jpeg|gif|webp)$/.test(file.type)) return
    const made = URL.createObjectURL(file)
    setAddress(made)
    return () => URL.revokeObjectURL(made)
  }, [file])
  return address ? <img src={address} alt="" /> : null
}
