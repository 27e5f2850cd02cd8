// What React Native gives its engine beside whatwg-fetch and abort-controller, by what the host has.
let count = 0
const timers = new Map()
globalThis.onTimer = (id) => {
  const run = timers.get(id)
  timers.delete(id)
  run?.()
}
globalThis.setTimeout = (run, ms = 0) => {
  count += 1
  timers.set(count, run)
  hostTimer(count, ms)
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
    hostSend(count, this.method, this.url, JSON.stringify(this.headers), body ?? '')
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
