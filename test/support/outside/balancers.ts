import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { freePort, waitForPort } from './ports.ts'

const SHIPPED = fileURLToPath(new URL('../../../deploy', import.meta.url))

interface Balancer {
  /** In `deploy/`. */
  file: string
  /** Command-line arguments; `folder` is a temporary one, for this process alone. */
  run: (file: string, folder: string) => string[]
  /** Adds what the shipped file needs to run without root and outside of the system's folders. */
  wrap: (text: string, folder: string) => string
}

const BALANCERS: Record<string, Balancer> = {
  nginx: {
    file: 'nginx.conf',
    run: (file, folder) => ['-p', folder, '-c', file, '-g', 'daemon off;'],
    wrap: (text, folder) => `
      pid ${folder}/nginx.pid;
      error_log ${folder}/error.log;
      events { worker_connections 4096; }
      http {
        access_log off;
        ${['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
          .map((name) => `${name}_temp_path ${folder}/${name};`)
          .join('\n')}
        ${text}
      }`,
  },
  haproxy: {
    file: 'haproxy.cfg',
    run: (file) => ['-f', file],
    wrap: (text) => text,
  },
  caddy: {
    file: 'Caddyfile',
    run: (file) => ['run', '--adapter', 'caddyfile', '--config', file],
    wrap: (text) => text.replace(/^\{$/m, '{\n\tadmin off'),
  },
}

/** The balancers that are installed on this machine. */
export const installedBalancers = Object.keys(BALANCERS).filter((name) => {
  try {
    execFileSync('sh', ['-c', `command -v ${name}`], { stdio: 'ignore', env: withSystemFolders() })
    return true
  } catch {
    return false
  }
})

/**
 * Starts a balancer in front of two nodes, with its file from `deploy/`. `connections`: those of one address, instead
 * of the 2,000 of the file.
 */
export async function startBalancer(
  name: string,
  ports: [number, number],
  { connections = 2_000 } = {},
): Promise<{ url: string; stop: () => Promise<void> }> {
  const { file, run, wrap } = BALANCERS[name] as Balancer
  const folder = await mkdtemp(path.join(tmpdir(), `exam-practice-${name}-`))
  const port = await freePort()
  const shipped = await readFile(path.join(SHIPPED, file), 'utf8')
  const text = shipped
    .replaceAll('node-one:3000', `127.0.0.1:${ports[0]}`)
    .replaceAll('node-two:3000', `127.0.0.1:${ports[1]}`)
    .replaceAll(':8080', `:${port}`)
    .replace('listen 8080', `listen ${port}`)
    .replaceAll(' 2000', ` ${connections}`)
  await writeFile(path.join(folder, file), wrap(text, folder))
  const child = spawn(name, run(path.join(folder, file), folder), {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { ...withSystemFolders(), HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder },
  })
  const stop = async () => {
    child.kill('SIGTERM')
    if (child.exitCode === null) await once(child, 'exit')
    await rm(folder, { recursive: true, force: true })
  }
  let output = ''
  child.stderr.on('data', (chunk: Buffer) => {
    output += chunk.toString()
  })
  await Promise.race([
    waitForPort(port),
    once(child, 'exit').then(() => Promise.reject(new Error(`${name} did not start: ${output}`))),
  ])
  return { url: `http://127.0.0.1:${port}`, stop }
}

function withSystemFolders(): NodeJS.ProcessEnv {
  return { ...process.env, PATH: `${process.env.PATH}:/usr/sbin:/usr/local/sbin` }
}
