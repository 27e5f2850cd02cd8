/** Kept for tests in which several clients are tabs of one browser (tab.ts). */
export const { navigator, BroadcastChannel } = globalThis

/** What a page has and another runtime may lack: the client is tested without any of it. */
const OF_BROWSERS = [
  'window',
  'document',
  'location',
  'navigator',
  'localStorage',
  'sessionStorage',
  'indexedDB',
  'BroadcastChannel',
  'EventSource',
  'CustomEvent',
  'CloseEvent',
  'addEventListener',
]
for (const name of OF_BROWSERS) Reflect.deleteProperty(globalThis, name)
const left = OF_BROWSERS.filter((name) => name in globalThis)
if (left.length > 0) throw new Error(`These could not be taken away: ${left}`)
