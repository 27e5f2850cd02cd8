/** Longest folder and file name in UTF-8 bytes: file systems end at 255. */
const LONGEST_NAME = 200

/** Separators, control characters, lone surrogates, and what some file systems take for something else. */
const FORBIDDEN = /[/\\:*?"<>|\p{Cc}\p{Cs}]/u

/** A name that is one folder or file on any storage, and nothing else: `Physics`, `q 1.png`. */
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

/** A storage key as questions carry it: `<SubjectFolder>/<filename>`. */
export function isImageKey(key: string): boolean {
  const [folder, filename, ...more] = key.split('/')
  return (
    folder !== undefined &&
    filename !== undefined &&
    more.length === 0 &&
    isPlainName(folder) &&
    isPlainName(filename)
  )
}
