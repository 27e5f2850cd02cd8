import { randomBytes } from 'node:crypto'
import { parseArgs } from 'node:util'
import { Value } from 'typebox/value'
import { Email, FullName, Password, Role, Username } from '../schemas/auth.ts'
import { ConfigError, readConfig } from './config.ts'
import { closeDatabase, connectDatabase, type Db } from './db/client.ts'
import { findRunningEmbedded, startEmbedded } from './db/embedded.ts'
import { translateDatabaseError } from './db/errors.ts'
import { migrate } from './db/migrate.ts'
import { AppError } from './errors.ts'
import { setPassword } from './features/account/service.ts'
import { hashPassword } from './features/auth/passwords.ts'
import { createAccount, findAccount } from './features/auth/service.ts'
import { setRole } from './features/users/service.ts'

const USAGE = `Usage: npm run admin -- <command>

  create          --username … --email … [--full-name …] [--role user,admin] [--password …]
  set-role        --username … --role <user | admin | user,admin>
  reset-password  --username … [--password …]

Without --password one is made and printed. A username may be given as its e-mail address.
`

/** Something that the person at the command line can mend. */
class UsageError extends Error {}

const OPTIONS = {
  username: { type: 'string' },
  email: { type: 'string' },
  'full-name': { type: 'string' },
  role: { type: 'string' },
  password: { type: 'string' },
} as const
type Options = Partial<Record<keyof typeof OPTIONS, string>>

/** Each answers what to tell. Running nodes find changed roles and ended sessions by themselves. */
const COMMANDS: Record<string, (db: Db, options: Options) => Promise<string>> = {
  async create(db, options) {
    const username = check(options, 'username', Username)
    const email = check(options, 'email', Email)
    const role = check({ role: 'user,admin', ...options }, 'role', Role)
    const { password, note } = choosePassword(options)
    const name =
      options['full-name'] === undefined ? {} : { full_name: check(options, 'full-name', FullName) }
    const { id } = await createAccount(db, { username, email, ...name }, await hashPassword(password), role)
    return `Created ${username} (id ${id}) with role ${role}.${note}`
  },

  async 'set-role'(db, options) {
    const { id, username } = await requireAccount(db, options)
    const role = check(options, 'role', Role)
    await db.transaction((tx) => setRole(tx, id, role))
    return `${username} now has role ${role}.`
  },

  async 'reset-password'(db, options) {
    const { id, username } = await requireAccount(db, options)
    const { password, note } = choosePassword(options)
    const passwordHash = await hashPassword(password)
    await db.transaction((tx) => setPassword(tx, id, passwordHash))
    return `${username} has a new password and is signed out everywhere.${note}`
  },
}

async function requireAccount(db: Db, { username }: Options) {
  if (username === undefined) throw new UsageError('--username is missing')
  const account = await findAccount(db, username)
  if (!account || account.id < 0) throw new UsageError(`there is no account ${username}`)
  return account
}

function check<T extends typeof Username | typeof FullName | typeof Role>(
  options: Options,
  name: keyof Options,
  schema: T,
) {
  const value = options[name]
  if (value === undefined) throw new UsageError(`--${name} is missing`)
  if (!Value.Check(schema, value)) throw new UsageError(`--${name}: '${value}' is not valid`)
  return value
}

function choosePassword({ password }: Options): { password: string; note: string } {
  if (password === undefined) {
    const made = randomBytes(12).toString('base64url')
    return { password: made, note: `\nPassword: ${made}` }
  }
  if (!Value.Check(Password, password)) throw new UsageError('--password: must be 8 to 128 characters')
  return { password, note: '' }
}

/** The service's database, whether or not the service runs. */
async function withDatabase<T>(work: (db: Db) => Promise<T>): Promise<T> {
  const { databaseUrl, dataDir } = readConfig(process.env)
  const log = { info() {}, warn: console.error, error: console.error }
  const running = databaseUrl ?? (await findRunningEmbedded(dataDir))
  const started = running === undefined ? await startEmbedded({ dataDir, log }) : undefined
  const url = running ?? started?.url ?? ''
  try {
    await migrate(url)
    const db = connectDatabase({ url, pool: 1 })
    try {
      return await work(db)
    } finally {
      await closeDatabase(db)
    }
  } finally {
    await started?.stop()
  }
}

function explain(error: unknown): string {
  if (error instanceof UsageError) return `${error.message}\n\n${USAGE}`
  if (error instanceof ConfigError || error instanceof AppError) return error.message
  if (error instanceof TypeError && 'code' in error) return `${error.message}\n\n${USAGE}`
  return translateDatabaseError(error)?.message ?? (error instanceof Error ? error.message : String(error))
}

try {
  const { positionals, values } = parseArgs({ options: OPTIONS, allowPositionals: true })
  const [name = ''] = positionals
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined
  if (!command || positionals.length > 1) throw new UsageError('say what to do')
  process.stdout.write(`${await withDatabase((db) => command(db, values))}\n`)
} catch (error) {
  process.stderr.write(`${explain(error)}\n`)
  process.exitCode = 1
}
