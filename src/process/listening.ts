import type { Config } from '../settings/config.ts'

/** Why the node can't listen, as one line that names the setting and what to write instead. */
export function explainListening(
  error: NodeJS.ErrnoException,
  { host, port }: Pick<Config, 'host' | 'port'>,
): Error {
  switch (error.code) {
    case 'EADDRINUSE':
      return new Error(
        `another program listens on port ${port}: choose one, as in PORT=${port + 1} npm start`,
      )
    case 'EACCES':
      return new Error(
        `PORT: this user may not listen on ${port}: take one from 1024 on, as PORT=3000, and let a proxy listen on ${port}`,
      )
    case 'EADDRNOTAVAIL':
    case 'EINVAL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return new Error(
        `HOST: ${host} is no address of this machine: 0.0.0.0 takes all that it has, 127.0.0.1 is for this machine alone`,
      )
    default:
      return error
  }
}
