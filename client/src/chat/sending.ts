import type { WritableAtom } from 'nanostores'
import type { WriteRequest } from '../http/exchange.ts'
import type { Client } from '../index.ts'
import { Outbox, type OutboxEntry } from '../outbox/outbox.ts'
import type { Owner } from '../session/session.ts'
import type { StorageState } from '../storage/storage.ts'
import type { Room } from './room.ts'
import type { ChatMessage, Draft, Outgoing, Reacting, Upload } from './types.ts'

interface OpenStorage {
  id: string
  storage: StorageState
}

/** `uploaded`: the ids of those of its files that are uploaded already. */
type Message = Draft & { conversationId: number; uploaded?: number[] }

/** Where the things that one person sends are shown. */
interface SendingState {
  $outgoing: WritableAtom<readonly Outgoing[]>
  $reacting: WritableAtom<readonly Reacting[]>
  $upload: WritableAtom<Upload | undefined>
}

/** What one person has written, attached and reacted with, until the service has it and the rooms show it. */
export class Sending {
  #tellUpload: (upload: Upload | undefined) => void
  readonly #messages: Outbox<Message>
  /** Messages with files: while these are uploaded, others are sent. */
  readonly #uploads: Outbox<Message>
  readonly #reactions: Outbox<Reacting>

  constructor(client: Client, owner: Owner, rooms: ReadonlyMap<number, Room>, shown: SendingState) {
    this.#tellUpload = (upload) => shown.$upload.set(upload)
    const messages = {
      lane: ({ conversationId }: Message) => `${conversationId}`,
      refusals: ['not_connected', 'invalid_reply', 'invalid_attachment', 'attachment_gone'],
      isAnswer: (answer: object) => 'message' in answer || 'attachment' in answer,
      change: (item: Message, clientId: string) => this.#toChange(item, clientId),
      rest: (item: Message, { attachment }: { attachment?: { id: number } }) =>
        attachment && { ...item, uploaded: [...(item.uploaded ?? []), attachment.id] },
      // Until its room shows it as stored, it is shown as sent.
      isSettled: (entry: OutboxEntry<Message>) => {
        const { conversationId, stored } = toOutgoing(entry)
        return rooms.get(conversationId)?.has(stored?.seq ?? 0) ?? true
      },
      whenKnown: ({ conversationId }: Message) => rooms.get(conversationId)?.read(),
    }
    this.#messages = new Outbox(client, owner, { name: 'messages', ...messages })
    this.#uploads = new Outbox(client, owner, { name: 'uploads', ...messages })
    this.#reactions = new Outbox(client, owner, {
      name: 'reactions',
      lane: ({ messageId }) => `${messageId}`,
      refusals: ['not_connected', 'deleted'],
      isAnswer: (answer) => 'version' in answer,
      change: ({ conversationId, messageId, emoji, added }) => ({
        method: added ? 'PUT' : 'DELETE',
        path: `chat/conversations/${conversationId}/messages/${messageId}/reactions/${encodeURIComponent(emoji)}`,
        body: {},
      }),
      isSettled: ({ item, answer }) => {
        const { version } = answer as { version: number }
        return rooms.get(item.conversationId)?.hasVersion(item.messageId, version) ?? true
      },
      whenKnown: ({ conversationId }) => rooms.get(conversationId)?.read(),
    })
    // In the order in which they are sent, as far as can be told.
    const list = () =>
      shown.$outgoing.set([...this.#messages.$entries.get(), ...this.#uploads.$entries.get()].map(toOutgoing))
    this.#messages.$entries.listen(list)
    this.#uploads.$entries.listen(list)
    this.#reactions.$entries.listen((entries) => {
      for (const { id, state } of entries) if (state === 'failed') void this.#reactions.discard(id)
      shown.$reacting.set(entries.map(({ item }) => item))
    })
  }

  send(conversationId: number, draft: Draft): Promise<OpenStorage> {
    const outbox = draft.files?.length ? this.#uploads : this.#messages
    return outbox.add({ ...draft, conversationId })
  }

  async retry(clientId: string): Promise<void> {
    await this.#messages.retry(clientId)
    await this.#uploads.retry(clientId, (item) => ({ ...item, uploaded: [] }))
  }

  discard(clientId: string): Promise<StorageState> {
    const isUpload = this.#uploads.$entries.get().some(({ id }) => id === clientId)
    return (isUpload ? this.#uploads : this.#messages).discard(clientId)
  }

  react(reacting: Reacting): Promise<OpenStorage> {
    return this.#reactions.add(reacting)
  }

  /** Sends at once what waits for another try. */
  flush(): void {
    for (const each of this.#all) each.flush()
  }

  /** Lets go of what the rooms show as stored by now. */
  settle(): void {
    for (const each of this.#all) each.settle()
  }

  close(): void {
    for (const each of this.#all) each.close()
    this.#tellUpload(undefined)
    // An upload under way goes on, unseen by whoever signs in next.
    this.#tellUpload = () => {}
  }

  get #all() {
    return [this.#messages, this.#uploads, this.#reactions]
  }

  /** The next request of a message: the upload of a file, or the message itself. */
  #toChange(
    { conversationId, files = [], uploaded = [], ...draft }: Message,
    client_id: string,
  ): WriteRequest {
    const path = `chat/conversations/${conversationId}`
    const file = files[uploaded.length]
    if (!file) {
      const attachments = uploaded.length > 0 ? { attachment_ids: uploaded } : {}
      return { method: 'POST', path: `${path}/messages`, body: { ...draft, ...attachments, client_id } }
    }
    const body = new FormData()
    // Throws where the store could not keep the file itself.
    body.append('file', file, file.name)
    const sizeOf = (some: readonly File[]) => some.reduce((sum, { size }) => sum + size, 0)
    const before = sizeOf(files.slice(0, uploaded.length))
    const tell = (sent: number) =>
      this.#tellUpload({
        clientId: client_id,
        share: (before + Math.min(sent, file.size)) / sizeOf(files),
      })
    return { method: 'POST', path: `${path}/attachments`, body, tell }
  }
}

function toOutgoing({ id, item, createdAt, state, error, answer }: OutboxEntry<Message>): Outgoing {
  const { uploaded: _, ...draft } = item
  const stored = (answer as { message: ChatMessage } | undefined)?.message
  return { ...draft, clientId: id, createdAt, state, error, stored }
}
