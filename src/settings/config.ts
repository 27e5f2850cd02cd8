import path from 'node:path'
import { type Static, Type } from 'typebox'
import { Value } from 'typebox/value'
import { isTimezone } from '../../schemas/time-formats.ts'
import { isLoopback } from '../formats/loopback.ts'
import { readTraceSettings, TRACE_SETTINGS, type TraceSettings } from '../telemetry/trace-settings.ts'
import { OIDC_SETTINGS, type OidcSettings, readOidcSettings } from './oidc-settings.ts'
import { readRedisAddress } from './redis-address.ts'
import { RETENTION_SETTING, type Retention, readRetention } from './retention-settings.ts'
import { readStorageSettings, STORAGE_SETTINGS, type Storage } from './storage-settings.ts'
import { readTrustProxy, TRUST_PROXY_SETTING, type TrustProxy } from './trust-proxy-settings.ts'

const LOOPBACK = '127.0.0.1'
/** Between the items of a list. */
const COMMA = /, ?/
/** Only the scheme is checked; the driver reads the rest, such as a list of several hosts. */
const Url = (...schemes: string[]) =>
  Type.String({
    pattern: `^(${schemes.join('|')})://.`,
    description: `an address such as ${schemes[0]}://…`,
  })
const WebUrl = Type.Refine(
  Type.String({ description: 'an address such as https://app.example.org' }),
  (text) => /^https?:$/.test(URL.parse(text)?.protocol ?? ''),
)

/** What one request of a generation job may write. */
const LEAST_DAILY_TOKENS = 16_000

/** The environment as operators write it (docs/protocol/operations.md#settings): strings, all optional. */
const Environment = Type.Partial(
  Type.Object({
    NODE_ENV: Type.String(),
    HOST: Type.String({ minLength: 1 }),
    PORT: Type.String({ pattern: '^\\d{1,5}$', description: 'a port number' }),
    DATABASE_URL: Type.String({
      pattern: '^(embedded$|postgres(ql)?://.)',
      description: 'embedded, or an address such as postgres://…',
    }),
    DATABASE_READ_URL: Url('postgres', 'postgresql'),
    DATABASE_POOL: Type.String({ pattern: '^[1-9]\\d{0,2}$', description: 'a number from 1 to 999' }),
    REDIS_URL: Type.String(),
    DATA_DIR: Type.String({ minLength: 1 }),
    ...STORAGE_SETTINGS.properties,
    JWT_SECRET: Type.String({
      pattern: '^[^,\\s][^,]{31,}(, ?[^,\\s][^,]{31,})*$',
      description: 'one secret or a comma-separated list, 32 characters or more each',
    }),
    GOOGLE_CLIENT_ID: Type.String({
      pattern: '^[^,\\s]+(, ?[^,\\s]+)*$',
      description: 'a comma-separated list of client ids',
    }),
    GOOGLE_CERTS_URL: WebUrl,
    ...OIDC_SETTINGS.properties,
    REGISTRATION: Type.String({
      pattern: '^(open|closed|[a-z0-9-]+([.][a-z0-9-]+)+(, ?[a-z0-9-]+([.][a-z0-9-]+)+)*)$',
      description: 'open, closed, or a comma-separated list of domains such as school.example.org',
    }),
    RETENTION: RETENTION_SETTING,
    PRIVACY_URL: WebUrl,
    SMTP_URL: Url('smtp', 'smtps'),
    MAIL_FROM: Type.String({ minLength: 3 }),
    VAPID_SUBJECT: Type.String({
      pattern: '^(mailto:[^\\s@]+@[^\\s@]+|https://\\S+)$',
      description: 'mailto: with an address, or an https address',
    }),
    PUSH_ALLOWED_HOSTS: Type.String({
      pattern: '^[^,\\s/]+(, ?[^,\\s/]+)*$',
      description: 'a comma-separated list of hosts, each with or without a port',
    }),
    PUBLIC_URL: Type.Refine(
      Type.String({
        description:
          'an address without a path, such as https://exam.example.org: the service has a host to itself',
      }),
      (text) => /^https?:[/]{2}[^/?#]+[/]*$/i.test(text) && URL.canParse(text),
    ),
    CORS_ORIGINS: Type.String({
      pattern: '^(none|https?://[^,/\\s]+(, ?https?://[^,/\\s]+)*)$',
      description: 'none, or a comma-separated list of origins such as https://app.example.org',
    }),
    TRUST_PROXY: TRUST_PROXY_SETTING,
    ANTHROPIC_API_KEY: Type.String({ minLength: 1 }),
    ANTHROPIC_BASE_URL: WebUrl,
    AI_MODEL: Type.String({ minLength: 1 }),
    AI_CHECK_MODEL: Type.String({ minLength: 1 }),
    AI_DAILY_TOKENS: Type.Refine(
      Type.String({
        pattern: '^[1-9]\\d{0,11}$',
        description: `a number of tokens from ${LEAST_DAILY_TOKENS}: less is not enough for one request`,
      }),
      (text) => Number(text) >= LEAST_DAILY_TOKENS,
    ),
    APP_TIMEZONE: Type.Refine(
      Type.String({ description: 'UTC, or a time zone such as Europe/Berlin' }),
      isTimezone,
    ),
    DEMO: Type.String({ pattern: '^(on|off)$', description: 'on or off' }),
    RATE_LIMIT: Type.String({ pattern: '^(off|[1-9]\\d*)$', description: 'off, or requests per minute' }),
    METRICS_TOKEN: Type.String({ minLength: 1 }),
    DRAIN_DELAY: Type.String({ pattern: '^\\d{1,3}$', description: 'seconds from 0 to 999' }),
    LEGACY_SUNSET: Type.String({ format: 'date', description: 'a date such as 2027-06-30' }),
    LOG_LEVEL: Type.String({
      pattern: '^(fatal|error|warn|info|debug|trace|silent)$',
      description: 'fatal, error, warn, info, debug, trace or silent',
    }),
  }),
)
type Environment = Static<typeof Environment>
/** Every setting's name. */
export const SETTINGS = [...Object.keys(Environment.properties), ...TRACE_SETTINGS]

export interface Config {
  production: boolean
  host: string
  port: number
  /** undefined: the embedded database in `dataDir`. */
  databaseUrl: string | undefined
  /** A standby; undefined: there is none. */
  databaseReadUrl: string | undefined
  databasePool: number
  /** undefined: everything in this process, one node only. */
  redisUrl: string | undefined
  dataDir: string
  storage: Storage
  /** The first one signs, all of them verify. Empty: one is generated in `dataDir`. */
  jwtSecrets: string[]
  /** Audiences that are accepted in the identity provider's tokens. Empty: no sign-in with Google. */
  googleClientIds: string[]
  /** undefined: Google's own. */
  googleCertsUrl: string | undefined
  /** undefined: nobody signs in by an OpenID Connect provider. */
  oidc: OidcSettings | undefined
  /** Who may make an account: everybody, nobody, or people with an address of these domains. */
  registration: 'open' | 'closed' | { domains: string[] }
  retention: Retention
  /** The operator's own words on privacy; undefined: the page that the service has itself. */
  privacyUrl: string | undefined
  /** undefined: mails become files in `dataDir`. */
  smtpUrl: string | undefined
  mailFrom: string
  publicUrl: string | undefined
  push: {
    /** Whom push services may ask about our pushes. undefined: none are sent. */
    subject: string | undefined
    /** Push services that may be in a network of our own, and without TLS: `host` or `host:port`. */
    allowedHosts: string[]
  }
  corsOrigins: string[]
  /**
   * Which proxies' `X-Forwarded-For` counts: none, all, those with these addresses, or this number of nearest
   * hops.
   */
  trustProxy: TrustProxy
  ai: {
    apiKey: string | undefined
    /** undefined: the provider's own. If both the key and the address are missing, there is no model. */
    baseUrl: string | undefined
    model: string
    /** The model that checks generated questions; undefined: the same one. */
    checkModel?: string | undefined
    /** Tokens that all AI parts may take in a day; undefined: as many as they like. */
    dailyTokens?: number | undefined
    /** The longest that the model may say nothing. */
    silenceMs: number
  }
  timezone: string
  /** Whether there are accounts whose password everybody knows (`features/demo`). */
  demo: boolean
  /** Whether only people at this machine can reach the service, as far as the settings tell. */
  isPrivate: boolean
  /** Whether `npm start` runs this, and waits for its end. */
  startedByNpm: boolean
  /** Requests a minute and address; undefined: no overall limit. */
  rateLimit: number | undefined
  /** undefined: none are made. */
  traces: TraceSettings | undefined
  metricsToken: string | undefined
  /**
   * How long a node that was told to end goes on serving, so that a proxy sees it in `/readyz` and
   * sends nobody into a refusal (docs/protocol/operations.md#draining).
   */
  drainDelayMs: number
  legacySunset: Date | undefined
  logLevel: string
  passwordCost: PasswordCost
  /** The longest that a request may take before it is answered 503 (docs/protocol/operations.md#deadlines). */
  requestTimeoutMs: number
  chat: {
    /** Shortest time between two messages of one person (docs/protocol/http.md#limits). */
    sendIntervalMs: number
  }
  discussions: {
    /** Shortest time between two posts of one person (docs/protocol/http.md#limits). */
    postIntervalMs: number
  }
  /** docs/protocol/realtime.md#presence */
  presence: {
    /** How long somebody stays online after their last socket ended. */
    graceMs: number
    /** How often a node reports that it is alive, and looks for dead ones. */
    beatMs: number
    /** How long a node counts as alive after its last report. */
    leaseMs: number
    /** How long somebody counts as active after the last frame that they caused themselves. */
    activeMs: number
  }
  nodes: {
    /** How often a node reports in the database that it is alive, and looks for the others. */
    beatMs: number
  }
}

/** What hashing a password takes; it is stored with each hash. */
export interface PasswordCost {
  /** In KiB. */
  memoryCost: number
  timeCost: number
  parallelism: number
}

export class ConfigError extends Error {
  override readonly name = 'ConfigError'
  readonly problems: string[]
  constructor(problems: string[]) {
    super(`Some settings are not valid:\n${problems.map((problem) => `  ${problem}`).join('\n')}`)
    this.problems = problems
  }
}

/** The sole reader of the environment. Throws a ConfigError that names every problem at once. */
export function readConfig(env: NodeJS.ProcessEnv): Config {
  // An empty variable is an unset one: compose files write `REDIS_URL=`.
  const given = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ''))
  const problems = describeProblems(given)
  const settings = given as Environment
  const production = settings.NODE_ENV === 'production'
  const isEmbedded = (settings.DATABASE_URL ?? 'embedded') === 'embedded'

  for (const name of ADDRESSES) {
    const problem = settings[name] === undefined ? undefined : findUnwritten(settings[name])
    if (problem !== undefined) problems.push(`${name}: ${problem}`)
  }
  if (Number(settings.PORT ?? 0) > 65_535) problems.push('PORT: must be at most 65535')
  if (settings.DATABASE_READ_URL !== undefined && isEmbedded)
    problems.push('DATABASE_READ_URL: needs an external DATABASE_URL, whose standby it is')
  try {
    if (settings.REDIS_URL !== undefined && findUnwritten(settings.REDIS_URL) === undefined)
      readRedisAddress(settings.REDIS_URL)
  } catch (error) {
    problems.push(`REDIS_URL: ${(error as Error).message}`)
  }
  // Left out by mistake, or misspelt, it would mean another database: an empty one.
  if (production && settings.DATABASE_URL === undefined)
    problems.push('DATABASE_URL: required in production; embedded is the database in DATA_DIR')
  if (production && !isEmbedded && settings.JWT_SECRET === undefined)
    problems.push('JWT_SECRET: required in production with an external database (32 characters or more)')
  const dataDir = path.resolve(settings.DATA_DIR ?? '.data')
  const storage = readStorageSettings(settings, dataDir, problems)
  const oidc = readOidcSettings(settings, problems)
  const traces = readTraceSettings(given, problems)
  if (problems.length > 0) throw new ConfigError(problems)

  const publicUrl = settings.PUBLIC_URL?.replace(/\/+$/, '')

  return {
    production,
    host: settings.HOST ?? LOOPBACK,
    port: Number(settings.PORT ?? 3000),
    databaseUrl: isEmbedded ? undefined : settings.DATABASE_URL,
    databaseReadUrl: settings.DATABASE_READ_URL,
    databasePool: Number(settings.DATABASE_POOL ?? 10),
    redisUrl: settings.REDIS_URL,
    dataDir,
    storage,
    jwtSecrets: settings.JWT_SECRET?.split(COMMA) ?? [],
    googleClientIds: settings.GOOGLE_CLIENT_ID?.split(COMMA) ?? [],
    googleCertsUrl: settings.GOOGLE_CERTS_URL,
    oidc,
    registration: readRegistration(settings),
    retention: readRetention(settings.RETENTION),
    privacyUrl: settings.PRIVACY_URL,
    smtpUrl: settings.SMTP_URL,
    mailFrom: settings.MAIL_FROM ?? 'Exam Practice <no-reply@localhost>',
    publicUrl,
    push: {
      subject: settings.VAPID_SUBJECT ?? (publicUrl?.startsWith('https:') ? publicUrl : undefined),
      allowedHosts: settings.PUSH_ALLOWED_HOSTS?.toLowerCase().split(COMMA) ?? [],
    },
    corsOrigins: settings.CORS_ORIGINS?.split(COMMA).filter((origin) => origin !== 'none') ?? [],
    trustProxy: readTrustProxy(settings.TRUST_PROXY),
    ai: {
      apiKey: settings.ANTHROPIC_API_KEY,
      baseUrl: settings.ANTHROPIC_BASE_URL,
      model: settings.AI_MODEL ?? 'claude-sonnet-5-5',
      checkModel: settings.AI_CHECK_MODEL,
      dailyTokens: Number(settings.AI_DAILY_TOKENS) || undefined,
      silenceMs: 30_000,
    },
    timezone: settings.APP_TIMEZONE ?? 'UTC',
    demo: settings.DEMO === undefined ? isEmbedded && isPrivate(settings) : settings.DEMO === 'on',
    isPrivate: isPrivate(settings),
    startedByNpm: env.npm_lifecycle_event === 'start',
    rateLimit: Number(settings.RATE_LIMIT) || undefined,
    metricsToken: settings.METRICS_TOKEN,
    traces,
    drainDelayMs: Number(settings.DRAIN_DELAY ?? 4) * 1_000,
    legacySunset: settings.LEGACY_SUNSET === undefined ? undefined : new Date(settings.LEGACY_SUNSET),
    logLevel: settings.LOG_LEVEL ?? 'info',
    // OWASP's parameters for argon2id.
    passwordCost: { memoryCost: 19_456, timeCost: 2, parallelism: 1 },
    requestTimeoutMs: 10_000,
    chat: { sendIntervalMs: 2_000 },
    discussions: { postIntervalMs: 10_000 },
    presence: { graceMs: 5_000, beatMs: 5_000, leaseMs: 15_000, activeMs: 30_000 },
    nodes: { beatMs: 5_000 },
  }
}

/** Addresses that a password may be part of. */
const ADDRESSES = ['DATABASE_URL', 'DATABASE_READ_URL', 'REDIS_URL', 'SMTP_URL'] as const

/**
 * Characters of a user or password that have to be percent-encoded. The message doesn't say which one it is, or where,
 * since that would show a part of the password.
 */
function findUnwritten(address: string): string | undefined {
  const [, beforePath = '', path = '', query = ''] = /^[^:]*:[/]{2}([^/?#]*)([^?]*)(.*)$/s.exec(address) ?? []
  // A query may have any sign, unless it is the rest of a password: then what is before it ends in no port.
  const isPassword = /:(?!\d*(,|$))/.test(beforePath.replaceAll(/\[[^\]]*\]/g, ''))
  const rest = isPassword ? `${path}${query}` : path
  const isSplit = !beforePath.includes('@') && rest.includes('@')
  return isSplit || /#|%(?![\da-f]{2})/i.test(`${beforePath}${path}`)
    ? 'in a user or password % is written %25, # %23, / %2F, ? %3F and @ %40'
    : undefined
}

function describeProblems(given: Record<string, unknown>): string[] {
  // One by one: of a whole object TypeBox names eight errors at most.
  return Object.entries(Environment.properties).flatMap(([name, schema]) => {
    const [error] = given[name] === undefined ? [] : Value.Errors(schema, given[name])
    if (!error) return []
    const wanted = 'description' in schema ? `must be ${String(schema.description)}` : error.message
    return [`${name}: ${wanted}`]
  })
}

function readRegistration({ REGISTRATION = 'open' }: Environment): Config['registration'] {
  const isWord = REGISTRATION === 'open' || REGISTRATION === 'closed'
  return isWord ? REGISTRATION : { domains: REGISTRATION.split(COMMA) }
}

/** Whether nothing suggests that anybody but the people at this machine can reach the service. */
function isPrivate({ NODE_ENV, HOST = LOOPBACK, PUBLIC_URL, TRUST_PROXY = 'false' }: Environment): boolean {
  return (
    NODE_ENV !== 'production' &&
    isLoopback(HOST) &&
    (PUBLIC_URL === undefined || isLoopback(new URL(PUBLIC_URL).hostname)) &&
    TRUST_PROXY === 'false'
  )
}
