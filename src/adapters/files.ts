import type { Readable } from 'node:stream'

/** What is under a key, without its bytes. */
export interface FoundFile {
  contentType: string
  size: number
  /** Another one after each change. */
  version: string
  /** The bytes from `start` to `end`, both included. 503 if the file has been changed since it was found. */
  read(start: number, end: number): Promise<Readable>
}

/**
 * Where uploaded files live. Keys are `<folder>/<name>`, made by the service, never taken from a client
 * unchecked.
 *
 * Guarantees, for every implementation (test/contracts/files.ts):
 * - `put` replaces what was under the key, wholly or not at all.
 * - `delete` of what isn't there is fine.
 */
export interface Files {
  put(key: string, bytes: Buffer, contentType: string): Promise<void>
  /** undefined where there is nothing. */
  find(key: string): Promise<FoundFile | undefined>
  /** All bytes at once; undefined where there is nothing. */
  get(key: string): Promise<{ bytes: Buffer; contentType: string } | undefined>
  delete(key: string): Promise<void>
  /** Every key that there is, in any order; what is put or deleted meanwhile may be among them or not. */
  list(): AsyncIterable<string>
}
