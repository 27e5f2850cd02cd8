// What React Native gives its engine beside whatwg-fetch and abort-controller, by what the host has, and what newer
// engines bring. `LACKING` is taken away again.
/* global LACKING, tell */
let count = 0
const toHost = (...message) => tell(JSON.stringify(message))
globalThis.done = (outcome) => toHost('done', outcome)
const timers = new Map()
globalThis.onTimer = (id) => {
  const run = timers.get(id)
  timers.delete(id)
  run?.()
}
globalThis.setTimeout = (run, ms = 0) => {
  count += 1
  timers.set(count, run)
  toHost('hostTimer', count, ms)
  return count
}
globalThis.clearTimeout = (id) => void timers.delete(id)
globalThis.performance = { now: () => Date.now() }
globalThis.console = { assert() {}, warn() {}, error() {}, log() {} }
globalThis.self = globalThis
globalThis.FormData = class {}
// It only puts queries together, as React Native's.
globalThis.URLSearchParams = class {
  parts = []
  append(name, value) {
    this.parts.push(`${encodeURIComponent(name)}=${encodeURIComponent(value)}`)
  }
  toString() {
    return this.parts.join('&')
  }
}
globalThis.WebSocket = class {
  constructor() {
    setTimeout(() => this.onclose?.({ code: 1006 }), 10)
  }
  close() {}
}
const requests = new Map()
globalThis.onAnswer = (id, status, headers, text) => requests.get(id)?.take(status, headers, text)
globalThis.XMLHttpRequest = class {
  headers = {}
  upload = {}
  open(method, url) {
    Object.assign(this, { method, url })
  }
  setRequestHeader(name, value) {
    this.headers[name] = value
  }
  send(body) {
    count += 1
    requests.set(count, this)
    toHost('hostSend', count, this.method, this.url, JSON.stringify(this.headers), body ?? '')
  }
  take(status, headers, text) {
    if (this.isAborted) return
    Object.assign(this, {
      status,
      statusText: '',
      readyState: 4,
      response: text,
      responseText: text,
      sent: headers,
    })
    this.onload?.()
  }
  abort() {
    this.isAborted = true
    this.onabort?.()
  }
  getAllResponseHeaders() {
    return this.sent
  }
}
globalThis.TextEncoder ??= class {
  encode(text) {
    const bytes = encodeURIComponent(text).match(/%..|[^%]/g) ?? []
    return Uint8Array.from(bytes, (each) =>
      each.length > 1 ? Number.parseInt(each.slice(1), 16) : each.charCodeAt(0),
    )
  }
}
globalThis.structuredClone ??= (value) => JSON.parse(JSON.stringify(value))
globalThis.queueMicrotask ??= (run) => void Promise.resolve().then(run)
const random = () => Math.floor(Math.random() * 256)
globalThis.crypto = {
  getRandomValues: (bytes) => bytes.map(random),
  randomUUID: () => `random-${'0'.repeat(30)}-${Math.random()}`,
}

/** Takes away what is not to be there, of what was named as `AbortSignal.prototype.reason`. */
globalThis.takeAway = () => {
  for (const name of LACKING) {
    const path = name.split('.')
    const last = path.pop()
    const owner = path.reduce((one, each) => one?.[each], globalThis)
    if (owner && last in owner) {
      delete owner[last]
      // What can't be deleted is hidden.
      if (last in owner) Object.defineProperty(owner, last, { value: undefined, configurable: true })
    }
  }
}
globalThis.listFound = () =>
  LACKING.filter((name) => {
    const path = name.split('.')
    const last = path.pop()
    const owner = path.reduce((one, each) => one?.[each], globalThis)
    return last === 'reason' ? owner?.hasReason : owner?.[last] !== undefined
  })
