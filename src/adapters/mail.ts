import { randomUUID } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { FastifyBaseLogger } from 'fastify'
import type { Transporter } from 'nodemailer'
import type { Config } from '../settings/config.ts'
import { accounts as measured } from '../telemetry/metrics.ts'

export interface Letter {
  to: string
  subject: string
  text: string
  headers?: Record<string, string>
}

export interface Mail {
  /** Resolves when the mail server took it, or the file is written. */
  send(letter: Letter): Promise<void>
}

/** How long a mail server may be silent. */
const TIMEOUT_MS = 8_000

/** Sends by SMTP_URL's server. Without one, each mail becomes a file in `<dataDir>/mail`, and the log names it. */
export function createMail(config: Config, log: FastifyBaseLogger): Mail {
  const { smtpUrl, mailFrom: from } = config
  if (smtpUrl === undefined) return createMailFiles(path.join(config.dataDir, 'mail'), from, log)
  let transport: Promise<Transporter> | undefined
  // Loaded for the first mail: most nodes are told to send one long after their start, if ever.
  const connect = async () => {
    const { createTransport } = await import('nodemailer')
    return createTransport({
      url: smtpUrl,
      connectionTimeout: TIMEOUT_MS,
      greetingTimeout: TIMEOUT_MS,
      socketTimeout: TIMEOUT_MS,
    })
  }
  return {
    send: (letter) =>
      countOutcome(async () => {
        transport ??= connect()
        await (await transport).sendMail(toMessage(from, letter))
      }),
  }
}

async function countOutcome(send: () => Promise<void>): Promise<void> {
  try {
    await send()
    measured.mails.inc({ outcome: 'sent' })
  } catch (error) {
    measured.mails.inc({ outcome: 'failed' })
    throw error
  }
}

/**
 * The address as an object: a text could be read as a list of several. The header says that the mail is automatic, so
 * that no other machine answers it.
 */
function toMessage(from: string, { to, headers, ...letter }: Letter) {
  return {
    from,
    to: { name: '', address: to },
    headers: { 'Auto-Submitted': 'auto-generated', ...headers },
    ...letter,
  }
}

function createMailFiles(folder: string, from: string, log: FastifyBaseLogger): Mail {
  return {
    async send(letter) {
      const { createTransport } = await import('nodemailer')
      const composer = createTransport({ streamTransport: true, buffer: true })
      const { message } = await composer.sendMail(toMessage(from, letter))
      const file = path.join(folder, `${new Date().toISOString().replaceAll(':', '-')}-${randomUUID()}.eml`)
      await mkdir(folder, { recursive: true, mode: 0o700 })
      // A mail may contain a link into an account: only the service's own user may read it.
      await writeFile(file, message as Buffer, { mode: 0o600 })
      measured.mails.inc({ outcome: 'sent' })
      log.info({ file }, 'no SMTP_URL: a mail was written to a file')
    },
  }
}
