import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { type AddressInfo, connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { TLSSocket } from 'node:tls'
import { onTestFinished } from 'vitest'

/** Adds TLS to the PostgreSQL at that address: a proxy with a certificate from its own authority. */
export async function startTlsServer(
  { hostname, port }: { hostname: string; port: string },
  names = 'DNS:localhost,IP:127.0.0.1',
) {
  const folder = await mkdtemp(path.join(tmpdir(), 'exam-practice-tls-'))
  const file = (name: string) => path.join(folder, name)
  const openssl = (...args: string[]) => execFileSync('openssl', args, { cwd: folder, stdio: 'ignore' })
  for (const name of ['authority', 'stranger'])
    openssl(
      ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2'],
      ...['-subj', `/CN=${name}`, '-keyout', `${name}.key`, '-out', `${name}.pem`],
    )
  openssl(
    ...['req', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-subj', '/CN=localhost'],
    ...['-addext', `subjectAltName=${names}`, '-keyout', 'server.key', '-out', 'server.csr'],
  )
  openssl(
    ...['x509', '-req', '-in', 'server.csr', '-CA', 'authority.pem', '-CAkey', 'authority.key', '-days', '2'],
    ...['-copy_extensions', 'copy', '-out', 'server.pem'],
  )
  const [key, cert] = await Promise.all([readFile(file('server.key')), readFile(file('server.pem'))])

  const server = createServer((client) => {
    client.once('data', () => {
      // Before TLS, clients only send the request for it.
      client.write('S')
      const secured = new TLSSocket(client, { isServer: true, key, cert })
      const upstream = connect(Number(port || 5432), hostname)
      secured.pipe(upstream).pipe(secured)
      for (const socket of [secured, upstream]) {
        socket.on('error', () => {})
        socket.on('close', () => [secured, upstream].map((each) => each.destroy()))
      }
    })
    client.on('error', () => {})
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(async () => {
    server.close()
    await rm(folder, { recursive: true })
  })
  return {
    port: (server.address() as AddressInfo).port,
    authority: file('authority.pem'),
    stranger: file('stranger.pem'),
  }
}
