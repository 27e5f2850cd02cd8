import { createChat } from '@exam-practice/client/chat'
import { client } from './client.ts'

/** The conversations, shared by all views. */
export const chat = createChat(client)
