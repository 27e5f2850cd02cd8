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
  get(key: string): Promise<{ bytes: Buffer; contentType: string } | undefined>
  delete(key: string): Promise<void>
  /** Every key that there is, in any order; what is put or deleted meanwhile may be among them or not. */
  list(): AsyncIterable<string>
}
