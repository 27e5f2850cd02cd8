import { randomUUID } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { FastifyBaseLogger } from 'fastify'
import nodemailer from 'nodemailer'
import type { Config } from '../config.ts'

export interface Letter {
  to: string
  subject: string
  text: string
}

export interface Mail {
  /** Resolves when the mail server took it, or the file is written. */
  send(letter: Letter): Promise<void>
}

/** Milliseconds that a mail server may be silent. */
const TIMEOUT_MS = 8_000

/** By SMTP_URL's server; without one each mail is a file in `<dataDir>/mail`, and the log names it. */
export function createMail(config: Config, log: FastifyBaseLogger): Mail {
  const { smtpUrl, mailFrom: from } = config
  if (smtpUrl === undefined) return createMailFiles(path.join(config.dataDir, 'mail'), from, log)
  const transport = nodemailer.createTransport({
    url: smtpUrl,
    connectionTimeout: TIMEOUT_MS,
    greetingTimeout: TIMEOUT_MS,
    socketTimeout: TIMEOUT_MS,
  })
  return {
    async send(letter) {
      await transport.sendMail({ from, ...letter })
    },
  }
}

function createMailFiles(folder: string, from: string, log: FastifyBaseLogger): Mail {
  const composer = nodemailer.createTransport({ streamTransport: true, buffer: true })
  return {
    async send(letter) {
      const { message } = await composer.sendMail({ from, ...letter })
      const file = path.join(folder, `${new Date().toISOString().replaceAll(':', '-')}-${randomUUID()}.eml`)
      await mkdir(folder, { recursive: true })
      // A mail may hold a way into an account: for the service's own user alone.
      await writeFile(file, message as Buffer, { mode: 0o600 })
      log.info({ file }, 'no SMTP_URL: a mail was written to a file')
    },
  }
}
