// The script of the tabs in chromium.test.ts.
import { createChat } from '../../src/chat/index.ts'
import { withProgress } from '../../src/files/index.ts'
import { createClient } from '../../src/index.ts'
import { web } from '../../src/platforms/web.ts'

const baseUrl = new URLSearchParams(location.search).get('service') ?? location.origin
const client = createClient({ baseUrl, platform: web() })
Object.assign(globalThis, { client, chat: createChat(client), withProgress, wasRestored: false })
addEventListener('pageshow', ({ persisted }) => Object.assign(globalThis, { wasRestored: persisted }))
