import { readFileSync } from 'node:fs'

/**
 * The statement of a `.sql` file, for `$client.unsafe`. `:name` stands in it for a piece of SQL that other statements
 * have too.
 */
export function readSql(file: URL, pieces: Readonly<Record<string, string>> = {}): string {
  return readFileSync(file, 'utf8').replace(/(?<!:):([a-z_]+)/g, (_, name: string) => {
    const piece = pieces[name]
    if (piece === undefined) throw new Error(`${file.pathname} has :${name}, which nobody gives`)
    return piece
  })
}
