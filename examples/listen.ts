// Signs in and prints what the service pushes: npx node examples/listen.ts [username] [password] [address]. Without an
// address it asks this machine, at PORT as the service does.
import { createClient } from '@exam-practice/client'
import { node } from '@exam-practice/client/node'

const { PORT = '3000' } = process.env
const [username = 'bob', password = 'practice-demo', baseUrl = `http://127.0.0.1:${PORT}`] =
  process.argv.slice(2)

const client = createClient({ baseUrl, platform: node() })
const { error } = await client.session.login({ username, password })
if (error) throw new Error(error.message)

// It reconnects by itself, with a new token if necessary.
client.live.$status.listen((status) => console.error(status))
client.live.listen((frame) => console.log(JSON.stringify(frame)))
