import { ask, client, RequestFailed } from '../../client.ts'
import { readStored, writeStored } from '../../stored.ts'
import { type Asset, type Mark, toMarks } from './drawing.tsx'
import { baseOf, type Clash, type Edits, editsOf, merge } from './merging.ts'

const SAVE_AFTER_MS = 700
const RETRY_MS = 4_000
const PAGE = 500

export interface EditorState {
  marks: readonly Mark[]
  saving: 'saved' | 'waiting' | 'failed'
  /** Marks that another device changed meanwhile, as this one did: nothing is saved until the person decides. */
  clashes: readonly Clash[]
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

interface PageVersion {
  version: number
  marks: readonly Mark[]
}

/** What isn't saved yet, kept in this browser at once, so that neither a reload nor an outage loses it. */
interface EditJournal extends Edits {
  /** Of the page before these. */
  version: number
}

/** A page that is being edited: changes can be undone, and are saved after a pause. */
export class PageEditor {
  state: EditorState
  readonly #pageId: number
  #version: number
  /** The marks as the service had them at that version. */
  #stored: readonly Mark[]
  /** What was sent without an answer since then: it may have arrived. */
  readonly #sent = new Set<readonly Mark[]>()
  /** The page as another device changed it, while there are clashes. */
  #other: PageVersion | undefined
  #past: (readonly Mark[])[] = []
  #future: (readonly Mark[])[] = []
  #tell: (state: EditorState) => void = () => {}
  #timer = 0
  #sending: Promise<void> = Promise.resolve()

  constructor(pageId: number, { version, marks }: PageVersion) {
    this.#pageId = pageId
    this.#version = version
    this.#stored = marks
    this.state = { marks, saving: 'saved', clashes: [], canUndo: false, canRedo: false }
    const journal = readStored<EditJournal>(this.#journalName)
    if (journal?.version === version) {
      const known = new Map([...marks, ...journal.changed].map((mark) => [mark.id, mark]))
      const then = journal.order.flatMap((id) => known.get(id) ?? [])
      this.#goOn({ version, marks }, then)
    } else if (journal) this.#meet(journal, { version, marks })
  }

  /** Goes on with what was done here, on the page as it is now. */
  #meet(edits: Edits, other: PageVersion): void {
    const { marks, clashes } = merge(edits, other.marks)
    this.#rebase(other.marks)
    if (clashes.length === 0) {
      this.#goOn(other, marks)
      return
    }
    this.#stored = baseOf(edits, other.marks)
    this.#other = other
    this.#set({ marks, saving: 'waiting', clashes })
    this.#keep()
  }

  #goOn({ version, marks: stored }: PageVersion, marks: readonly Mark[]): void {
    this.#version = version
    this.#stored = stored
    this.#sent.clear()
    this.#other = undefined
    this.#set({ marks, saving: 'waiting', clashes: [] })
    this.#keep()
    this.#saveIn(0)
  }

  /** What was before can be undone to, with what another device has done since. */
  #rebase(theirs: readonly Mark[], side?: 'mine' | 'theirs'): void {
    const onto = (marks: readonly Mark[]) => merge(editsOf(this.#stored, marks), theirs, side).marks
    this.#past = this.#past.map(onto)
    this.#future = this.#future.map(onto)
  }

  /** Decides which of the marks stay that both have changed. */
  settle(side: 'mine' | 'theirs'): void {
    if (!this.#other) return
    const { marks } = merge(editsOf(this.#stored, this.state.marks), this.#other.marks, side)
    this.#rebase(this.#other.marks, side)
    this.#goOn(this.#other, marks)
  }

  get #journalName(): string {
    return `page-${this.#pageId}`
  }

  #keep(): void {
    const edits = editsOf(this.#stored, this.state.marks)
    const isSame = edits.changed.length + edits.was.length === 0 && !edits.isReordered
    const journal: EditJournal = { version: this.#version, ...edits }
    writeStored(this.#journalName, isSame ? undefined : journal)
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

  #show(marks: readonly Mark[]): void {
    this.#set({ marks, saving: 'waiting' })
    this.#keep()
    this.#saveIn(SAVE_AFTER_MS)
  }

  #saveIn(ms: number): void {
    clearTimeout(this.#timer)
    this.#timer = window.setTimeout(() => void this.save(), ms)
  }

  async #send(): Promise<void> {
    const { marks } = this.state
    if (this.#other) return
    const before = new Map(this.#stored.map((mark, index) => [mark.id, { mark, index }]))
    const kept = new Set(marks.map(({ id }) => id))
    const deleted = this.#stored.filter(({ id }) => !kept.has(id)).map(({ id }) => id)
    // Sends the marks from the first changed or moved one on; those below are the same as before.
    const rest = this.#stored.filter(({ id }) => kept.has(id))
    const from = marks.findIndex(
      (mark, index) => rest[index]?.id !== mark.id || before.get(mark.id)?.mark !== mark,
    )
    const objects = from < 0 ? [] : marks.slice(from)
    if (objects.length + deleted.length === 0) {
      this.#keep()
      return this.#set({ saving: 'saved' })
    }
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
      this.#sent.clear()
      this.#keep()
      if (this.state.marks === marks) this.#set({ saving: 'saved' })
      else this.#saveIn(SAVE_AFTER_MS)
    } catch (error) {
      if (error instanceof RequestFailed && error.code === 'version_conflict') return this.#catchUp()
      this.#sent.add(marks)
      this.#tryAgain()
    }
  }

  /** Another device has changed the page. */
  async #catchUp(): Promise<void> {
    try {
      const other = await readPage(this.#pageId)
      const there = JSON.stringify(other.marks)
      const arrived = [...this.#sent].find((marks) => JSON.stringify(marks) === there)
      this.#stored = arrived ?? this.#stored
      this.#meet(editsOf(this.#stored, this.state.marks), other)
    } catch {
      this.#tryAgain()
    }
  }

  #tryAgain(): void {
    this.#set({ saving: 'failed' })
    this.#saveIn(RETRY_MS)
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
