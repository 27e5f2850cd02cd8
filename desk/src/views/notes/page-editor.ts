import { ask, client, RequestFailed } from '../../client.ts'
import { readStored, writeStored } from '../../stored.ts'
import { type Asset, type Mark, toMarks } from './drawing.tsx'

const SAVE_AFTER_MS = 700
const RETRY_MS = 4_000
const PAGE = 500

export interface EditorState {
  marks: readonly Mark[]
  /** `conflict`: another device changed the page meanwhile. */
  saving: 'saved' | 'waiting' | 'failed' | 'conflict'
  canUndo: boolean
  canRedo: boolean
}

/** A page with its objects and images. */
export async function readPage(id: number): Promise<{ version: number; marks: Mark[]; assets: Asset[] }> {
  const path = { params: { path: { id } } }
  const [{ page }, { assets }] = await Promise.all([
    ask(client.GET('/api/v01/pages/{id}', path)),
    ask(client.GET('/api/v01/pages/{id}/assets', path)),
  ])
  const objects: { id: string; [field: string]: unknown }[] = []
  while (true) {
    const query = { start_index: objects.length, limit: PAGE }
    const part = await ask(client.GET('/api/v01/pages/{id}/objects', { params: { path: { id }, query } }))
    objects.push(...part.objects)
    if (part.objects.length === 0 || objects.length >= part.total) break
  }
  return { version: page.version, marks: toMarks(objects), assets }
}

/** What isn't saved yet, kept in this browser at once, so that neither a reload nor an outage loses it. */
interface Journal {
  version: number
  /** The ids of all marks, from the lowest one up. */
  order: string[]
  /** Those that the service has otherwise, or not at all. */
  changed: Mark[]
}

/** A page that is being edited: changes can be undone, and are saved after a pause. */
export class PageEditor {
  state: EditorState
  readonly #pageId: number
  #version: number
  /** The marks as the service has them. */
  #stored: readonly Mark[]
  readonly #past: (readonly Mark[])[] = []
  #future: (readonly Mark[])[] = []
  #tell: (state: EditorState) => void = () => {}
  #timer = 0
  #sending: Promise<void> = Promise.resolve()

  constructor(pageId: number, { version, marks }: { version: number; marks: Mark[] }) {
    this.#pageId = pageId
    this.#version = version
    this.#stored = marks
    this.state = { marks, saving: 'saved', canUndo: false, canRedo: false }
    this.#takeUp()
  }

  /** Goes on with what was drawn before a reload. If another device has changed the page since, the person decides. */
  #takeUp(): void {
    const journal = readStored<Journal>(this.#journalName)
    if (!journal) return
    const known = new Map([...this.#stored, ...journal.changed].map((mark) => [mark.id, mark]))
    const marks = journal.order.flatMap((id) => known.get(id) ?? [])
    if (JSON.stringify(marks) === JSON.stringify(this.#stored)) {
      this.discard()
      return
    }
    this.state = { ...this.state, marks, saving: journal.version === this.#version ? 'waiting' : 'conflict' }
    if (this.state.saving === 'waiting') this.#saveIn(0)
  }

  get #journalName(): string {
    return `page-${this.#pageId}`
  }

  #keep(): void {
    const { marks } = this.state
    const stored = new Set(this.#stored)
    const journal: Journal = {
      version: this.#version,
      order: marks.map(({ id }) => id),
      changed: marks.filter((mark) => !stored.has(mark)),
    }
    writeStored(this.#journalName, marks === this.#stored ? undefined : journal)
  }

  /** Throws away what was drawn here since another device changed the page. */
  discard(): void {
    writeStored(this.#journalName, undefined)
  }

  listen(tell: (state: EditorState) => void): () => void {
    this.#tell = tell
    return () => {
      this.#tell = () => {}
    }
  }

  change(marks: readonly Mark[]): void {
    this.#past.push(this.state.marks)
    this.#future = []
    this.#show(marks)
  }

  undo(): void {
    const before = this.#past.pop()
    if (!before) return
    this.#future.push(this.state.marks)
    this.#show(before)
  }

  redo(): void {
    const after = this.#future.pop()
    if (!after) return
    this.#past.push(this.state.marks)
    this.#show(after)
  }

  /** Saves now rather than after a pause. */
  async save(): Promise<void> {
    clearTimeout(this.#timer)
    // One save at a time: two would conflict with each other.
    this.#sending = this.#sending.then(() => this.#send())
    await this.#sending
  }

  /** Saves this version over the changes of another device. */
  async overwrite(): Promise<void> {
    const { version, marks } = await readPage(this.#pageId)
    this.#version = version
    this.#stored = marks
    this.#set({ saving: 'waiting' })
    await this.save()
  }

  #show(marks: readonly Mark[]): void {
    const isStuck = this.state.saving === 'conflict'
    this.#set({ marks, saving: isStuck ? 'conflict' : 'waiting' })
    this.#keep()
    if (!isStuck) this.#saveIn(SAVE_AFTER_MS)
  }

  #saveIn(ms: number): void {
    clearTimeout(this.#timer)
    this.#timer = window.setTimeout(() => void this.save(), ms)
  }

  async #send(): Promise<void> {
    const { marks, saving } = this.state
    if (saving === 'conflict') return
    // Everything was undone.
    if (marks === this.#stored) {
      this.#keep()
      return this.#set({ saving: 'saved' })
    }
    const before = new Map(this.#stored.map((mark, index) => [mark.id, { mark, index }]))
    const kept = new Set(marks.map(({ id }) => id))
    const deleted = this.#stored.filter(({ id }) => !kept.has(id)).map(({ id }) => id)
    // Sends the marks from the first changed or moved one on; those below are the same as before.
    const rest = this.#stored.filter(({ id }) => kept.has(id))
    const from = marks.findIndex(
      (mark, index) => rest[index]?.id !== mark.id || before.get(mark.id)?.mark !== mark,
    )
    const objects = from < 0 ? [] : marks.slice(from)
    const body = {
      objects: [...objects],
      deleted_ids: deleted,
      start_index: Math.max(0, from),
      version: this.#version,
    }
    try {
      const { version } = await ask(
        client.POST('/api/v01/pages/{id}/sync', { params: { path: { id: this.#pageId } }, body }),
      )
      this.#version = version
      this.#stored = marks
      this.#keep()
      if (this.state.marks === marks) this.#set({ saving: 'saved' })
      else this.#saveIn(SAVE_AFTER_MS)
    } catch (error) {
      if (error instanceof RequestFailed && error.code === 'version_conflict')
        return this.#set({ saving: 'conflict' })
      this.#set({ saving: 'failed' })
      this.#saveIn(RETRY_MS)
    }
  }

  #set(change: Partial<EditorState>): void {
    this.state = {
      ...this.state,
      ...change,
      canUndo: this.#past.length > 0,
      canRedo: this.#future.length > 0,
    }
    this.#tell(this.state)
  }
}
