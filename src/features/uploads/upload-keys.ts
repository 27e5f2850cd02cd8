/** Longest name of a folder or file in UTF-8 bytes: file systems allow 255. */
const LONGEST_NAME = 200

/** Separators, control characters, lone surrogates, and characters with a meaning in some file systems. */
const FORBIDDEN = /[/\\:*?"<>|\p{Cc}\p{Cs}]/u

/** Whether the name is one folder or file on any storage, and nothing else: `Physics`, `q 1.png`. */
export function isPlainName(name: string): boolean {
  return (
    name !== '' &&
    name === name.trim() &&
    !name.startsWith('.') &&
    !name.endsWith('.') &&
    !FORBIDDEN.test(name) &&
    Buffer.byteLength(name) <= LONGEST_NAME
  )
}

/** Files of messages. */
export const ATTACHMENTS_FOLDER = 'Attachments'

/** Folders that other features use. */
const RESERVED = /^(category|notes|attachments)$/i

/** A folder of question images. */
export function isSubjectFolder(name: string): boolean {
  return isPlainName(name) && !RESERVED.test(name)
}

/** A storage key as questions carry it: `<SubjectFolder>/<filename>`. */
export function isImageKey(key: string): boolean {
  const [folder, filename, ...more] = key.split('/')
  return (
    folder !== undefined &&
    filename !== undefined &&
    more.length === 0 &&
    isSubjectFolder(folder) &&
    isPlainName(filename)
  )
}
