import { randomBytes } from 'node:crypto'
import { parseArgs } from 'node:util'
import { Value } from 'typebox/value'
import { Email, FullName, Password, Role, Username } from '../schemas/auth.schemas.ts'
import { COMMAND_LINE } from './actor.ts'
import { createFiles } from './adapters/storage.ts'
import { closeDatabase, connectDatabase, type Db } from './db/database-client.ts'
import { translateDatabaseError } from './db/database-errors.ts'
import { learnServer } from './db/database-server.ts'
import { findRunningEmbedded, startEmbedded } from './db/embedded/embedded-server.ts'
import { migrate } from './db/migrate.ts'
import { AppError } from './errors.ts'
import { setPassword } from './features/account/account.service.ts'
import { record } from './features/audit/audit.service.ts'
import { describeRole } from './features/audit/audit-words.ts'
import { createAccount, findAccount } from './features/auth/auth.service.ts'
import { hashPassword } from './features/auth/passwords.ts'
import { BackupError, isEncrypted } from './features/backup/archive.ts'
import {
  checkBackup,
  type Installation,
  isUnused,
  restoreBackup,
  writeBackup,
} from './features/backup/backup.service.ts'
import { setRole } from './features/users/users.service.ts'
import { readLine } from './process/terminal.ts'
import { ConfigError, type PasswordCost, readConfig } from './settings/config.ts'
import { findMisspelt } from './settings/misspelt-settings.ts'

const USAGE = `Usage: npm run admin -- <command>

  create          --username … --email … [--full-name …] [--role user,admin] [--password …]
  set-role        --username … --role <user | admin | user,admin>
  reset-password  --username … [--password …]
  backup          --to FILE [--encrypt]
  restore         --from FILE [--force]
  migrate

Without --password one is made and printed. A username may be given as its e-mail address.
A backup holds the database, with the hashes of passwords, and the stored files, and can be taken while the service runs.
--encrypt asks for a passphrase, or reads it from standard input; so does the restore. The service's own secrets are not in
it: keep JWT_SECRET, or DATA_DIR/jwt-secret, apart. A restore refuses a database that is in use; --force empties it first.
Each command brings the database up to date first, as a node does when it starts; migrate does nothing else.
`

/** An error that the person at the command line can correct. */
class UsageError extends Error {}

const OPTIONS = {
  username: { type: 'string' },
  email: { type: 'string' },
  'full-name': { type: 'string' },
  role: { type: 'string' },
  password: { type: 'string' },
  to: { type: 'string' },
  from: { type: 'string' },
  force: { type: 'boolean' },
  encrypt: { type: 'boolean' },
} as const
type Texts = Exclude<keyof typeof OPTIONS, 'force' | 'encrypt'>
type CommandOptions = Partial<Record<Texts, string>> & { force?: boolean; encrypt?: boolean }

interface Service extends Installation {
  db: Db
  passwordCost: PasswordCost
}

/** Each command answers the text to print. Running nodes notice changed roles and ended sessions by themselves. */
const COMMANDS: Record<string, (service: Service, options: CommandOptions) => Promise<string>> = {
  async create({ db, passwordCost }, options) {
    const username = check(options, 'username', Username)
    const email = check(options, 'email', Email)
    const role = check({ role: 'user,admin', ...options }, 'role', Role)
    const { password, note } = choosePassword(options)
    const name =
      options['full-name'] === undefined ? {} : { full_name: check(options, 'full-name', FullName) }
    const passwordHash = await hashPassword(passwordCost, password)
    const { id } = await db.transaction(async (tx) => {
      const made = await createAccount(tx, { username, email, ...name }, passwordHash, role, {
        byOperator: true,
      })
      const summary = `Created as ${describeRole(role)}`
      await record(tx, COMMAND_LINE, { action: 'user.create', subject: ['user', made.id], summary })
      return made
    })
    return `Created ${username} (id ${id}) with role ${role}.${note}`
  },

  migrate: async () => 'The database is up to date.',

  async 'set-role'({ db }, options) {
    const { id, username } = await requireAccount(db, options)
    const role = check(options, 'role', Role)
    await db.transaction((tx) => setRole(tx, COMMAND_LINE, id, role))
    return `${username} now has role ${role}.`
  },

  async 'reset-password'({ db, passwordCost }, options) {
    const { id, username } = await requireAccount(db, options)
    const { password, note } = choosePassword(options)
    const passwordHash = await hashPassword(passwordCost, password)
    await db.transaction(async (tx) => {
      await setPassword(tx, id, passwordHash)
      const summary = 'The password was replaced'
      await record(tx, COMMAND_LINE, { action: 'user.reset_password', subject: ['user', id], summary })
    })
    return `${username} has a new password and is signed out everywhere.${note}`
  },

  async backup(service, { to, encrypt }) {
    if (to === undefined) throw new UsageError('--to is missing')
    const passphrase = encrypt ? await choosePassphrase() : undefined
    const { tables, files } = await writeBackup(service, { path: to, passphrase }, showProgress)
    const rows = tables.reduce((sum, table) => sum + table.rows, 0)
    return [
      `Wrote ${rows} rows and ${files.length} files to ${to}.`,
      ...(encrypt
        ? []
        : ['Hashes of passwords are in it: keep it as safe as the database, or use --encrypt.']),
      'The service’s own secrets are not: keep JWT_SECRET, or DATA_DIR/jwt-secret, apart.',
    ].join(' ')
  },

  async restore(service, { from, force }) {
    if (from === undefined) throw new UsageError('--from is missing')
    const passphrase = (await isEncrypted(from).catch(() => false))
      ? await readLine('Passphrase: ', { hidden: true })
      : undefined
    const file = { path: from, passphrase }
    const manifest = await checkBackup(file, showProgress)
    if (!(await isUnused(service))) {
      if (!force) throw new BackupError('The database is in use: --force empties it first')
      await confirmEmptying()
    }
    await restoreBackup(service, file, manifest, showProgress)
    return `Restored the service as of ${manifest.taken_at}. Everybody has to sign in again; restart nodes that run.`
  },
}

/** Writes one line again and again, for somebody who watches. */
function showProgress(what: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${what}`)
}

async function confirmEmptying(): Promise<void> {
  if (!process.stdin.isTTY) return
  const answer = await readLine('\nThis deletes everything in the database. Type yes to go on: ')
  if (answer.trim() !== 'yes') throw new UsageError('nothing was changed')
}

const SHORTEST_PASSPHRASE = 12

async function choosePassphrase(): Promise<string> {
  const passphrase = await readLine('Passphrase: ', { hidden: true })
  if (passphrase.length < SHORTEST_PASSPHRASE)
    throw new UsageError(`the passphrase must have at least ${SHORTEST_PASSPHRASE} characters`)
  if (process.stdin.isTTY && (await readLine('Once more: ', { hidden: true })) !== passphrase)
    throw new UsageError('these were two different passphrases')
  return passphrase
}

async function requireAccount(db: Db, { username }: CommandOptions) {
  if (username === undefined) throw new UsageError('--username is missing')
  const account = await findAccount(db, username)
  if (!account) throw new UsageError(`there is no account ${username}`)
  return account
}

function check<T extends typeof Username | typeof FullName | typeof Role>(
  options: CommandOptions,
  name: Texts,
  schema: T,
) {
  const value = options[name]
  if (value === undefined) throw new UsageError(`--${name} is missing`)
  if (!Value.Check(schema, value)) throw new UsageError(`--${name}: '${value}' is not valid`)
  return value
}

function choosePassword({ password }: CommandOptions): { password: string; note: string } {
  if (password === undefined) {
    const made = randomBytes(12).toString('base64url')
    return { password: made, note: `\nPassword: ${made}` }
  }
  if (!Value.Check(Password, password)) throw new UsageError('--password: must be 8 to 128 characters')
  return { password, note: '' }
}

/** The service's database and files, whether or not the service runs. */
async function withService<T>(work: (service: Service) => Promise<T>): Promise<T> {
  const config = readConfig(process.env)
  const { databaseUrl, databaseReadUrl, dataDir, passwordCost } = config
  const log = { info() {}, warn: console.error, error: console.error }
  for (const line of findMisspelt(process.env)) log.warn(line)
  const running = databaseUrl ?? (await findRunningEmbedded(dataDir))
  const started = running === undefined ? await startEmbedded({ dataDir, log }) : undefined
  const url = running ?? started?.url ?? ''
  try {
    await migrate(url, log)
    const db = connectDatabase({ url, pool: 1, ...(await learnServer(url, log)) })
    try {
      return await work({ db, databaseUrl: url, databaseReadUrl, files: createFiles(config), passwordCost })
    } finally {
      await closeDatabase(db)
    }
  } finally {
    await started?.stop()
  }
}

function explain(error: unknown): string {
  if (error instanceof UsageError) return `${error.message}\n\n${USAGE}`
  if (error instanceof ConfigError || error instanceof AppError || error instanceof BackupError)
    return error.message
  if (error instanceof TypeError && 'code' in error) return `${error.message}\n\n${USAGE}`
  return translateDatabaseError(error)?.message ?? (error instanceof Error ? error.message : String(error))
}

try {
  const { positionals, values } = parseArgs({ options: OPTIONS, allowPositionals: true })
  const [name = ''] = positionals
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined
  if (!command || positionals.length > 1) throw new UsageError('say what to do')
  process.stdout.write(`${await withService((service) => command(service, values))}\n`)
} catch (error) {
  process.stderr.write(`${explain(error)}\n`)
  process.exitCode = 1
}
