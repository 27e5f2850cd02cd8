// A page without a browser, which is there before the frameworks look for one: node --import ./dom.ts
import { Window } from 'happy-dom'

const window = new Window()
for (const name of Object.getOwnPropertyNames(window))
  if (!(name in globalThis)) Object.assign(globalThis, { [name]: Reflect.get(window, name) })
Object.assign(globalThis, { window, document: window.document })
window.document.body.append(window.document.createElement('main'))
