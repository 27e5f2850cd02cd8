/** A file that can't be read to its end: nothing of it can be trusted. The message is for the person who sent it. */
export class FileError extends Error {
  override readonly name = 'FileError'
  readonly code: 'unreadable' | 'too_large'

  constructor(code: FileError['code'], message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}

export function unreadable(message: string, cause?: unknown): FileError {
  return new FileError('unreadable', message, { cause })
}
