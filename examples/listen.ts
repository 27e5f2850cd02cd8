// Signs in and prints what the service pushes: npx node examples/listen.ts [username] [password] [address]
const [username = 'bob', password = 'practice-demo', address = 'http://127.0.0.1:3000'] =
  process.argv.slice(2)

const login = await fetch(`${address}/api/v01/auth/login`, {
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ username, password }),
})
const { data, message } = (await login.json()) as { data?: { access_token: string }; message?: string }
if (!data) throw new Error(message)

// As in a browser, which can't set headers: the token goes in as a subprotocol, never into the address.
const socket = new WebSocket(`${address.replace('http', 'ws')}/api/v01/ws`, [
  'exam-practice.v1',
  `bearer.${data.access_token}`,
])
socket.addEventListener('message', ({ data: frame }) => console.log(String(frame)))
socket.addEventListener('close', ({ code, reason }) => console.log(`closed: ${code} ${reason}`))
