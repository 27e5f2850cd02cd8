import { createChat } from '@exam-practice/client/chat'
import { client } from './client.ts'

/** The one set of conversations that every view shows. */
export const chat = createChat(client)
