import { expect, test } from 'vitest'
import { explainListening } from '../src/process/listening.ts'
import { ConfigError, readConfig } from '../src/settings/config.ts'
import { findMisspelt } from '../src/settings/misspelt-settings.ts'

const accepted = (env: Record<string, string>) => {
  try {
    readConfig(env)
    return true
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError)
    return false
  }
}

test.each([
  ['TRUST_PROXY', ['true', 'false', '0', '2', 'loopback', '10.0.0.0/8, ::1', 'fd00::/8', '192.0.2.1']],
  [
    'APP_TIMEZONE',
    ['UTC', 'utc', 'GMT', 'America/Argentina/Buenos_Aires', 'Europe/Berlin', 'Asia/Kolkata', 'Etc/GMT+2'],
  ],
  ['PUBLIC_URL', ['http://localhost:3000', 'https://exam.example.org/']],
  ['STORAGE_URL', ['file:///srv/files']],
  [
    'REDIS_URL',
    [
      'redis://one',
      'rediss://two:6380/1',
      'redis+cluster://one',
      'redis://one:7000,two:7000,[::1]:7000',
      'rediss+sentinel://user:p%40ss@one,two:26380/1?name=exam',
    ],
  ],
  ['CORS_ORIGINS', ['none', 'https://one.example.org', 'https://one.example.org, http://two.example.org']],
  ['JWT_SECRET', ['x'.repeat(32), `${'x'.repeat(32)}, ${'y y'.repeat(11)}`]],
  ['GOOGLE_CLIENT_ID', ['one', 'one,two', 'one, two']],
  ['RATE_LIMIT', ['off', '600']],
  [
    'DATABASE_URL',
    [
      'embedded',
      'postgres://one,two/exams',
      'postgresql:///exams?host=/run',
      'postgres:///db?user=a@b&host=/run/postgresql',
      'postgres://one:5432,[::1]:5433/db?user=a@b',
      'postgres://exam:secret@db/exam?sslrootcert=/etc/ssl/a#b@c%.pem',
    ],
  ],
  ['SMTP_URL', ['smtp://mail/?name=a@b', 'smtp://mail:25/?name=a@b', 'smtps://me:secret@mail:465?name=a@b']],
])('%s takes every valid form', (name, values) => {
  for (const value of values) expect(accepted({ [name]: value }), value).toBe(true)
})

const PROVIDER = { OIDC_ISSUER: 'https://id.example.org/realms/school', OIDC_CLIENT_ID: 'exams' }

test.each([
  [
    'OIDC_ISSUER',
    [
      'https://id.example.org',
      'https://id.example.org/realms/one/',
      'http://127.0.0.1:9000',
      'http://localhost:1',
    ],
  ],
  ['OIDC_SCOPES', ['openid', 'openid email', 'email openid groups']],
  ['OIDC_ADMINS', ['groups=teachers', 'https://example.org/roles=a=b']],
  [
    'OIDC_REDIRECT_URIS',
    ['https://app.example.org/back', 'org.example.app:/back, http://127.0.0.1:4000/back', 'myapp://back'],
  ],
  ['OIDC_EMAIL_DOMAINS', ['example.org', 'one.example.org, two.example.org']],
  ['OIDC_ONLY', ['true', 'false']],
])('%s takes every valid form', (name, values) => {
  for (const value of values) expect(accepted({ ...PROVIDER, [name]: value }), value).toBe(true)
})

test.each([
  [
    'OIDC_ISSUER',
    ['id.example.org', 'http://id.example.org', 'https://id.example.org?a=b', 'https://a:b@id.example.org'],
  ],
  ['OIDC_SCOPES', ['email profile', 'openidentity', 'openid  email']],
  ['OIDC_ADMINS', ['teachers', '=teachers', 'groups=']],
  [
    'OIDC_REDIRECT_URIS',
    ['back', 'http://app.example.org/back', 'javascript:alert(1)', 'https://one.example.org/#a'],
  ],
  ['OIDC_EMAIL_DOMAINS', ['@example.org', 'org', 'Example.org', '*.example.org']],
  ['OIDC_ONLY', ['yes', '1']],
])('%s refuses invalid values', (name, values) => {
  for (const value of values) expect(accepted({ ...PROVIDER, [name]: value }), value).toBe(false)
})

test('a day’s tokens that are not enough for one request stop the start with a sentence', () => {
  expect(readConfig({ AI_DAILY_TOKENS: '16000' }).ai.dailyTokens).toBe(16_000)
  for (const AI_DAILY_TOKENS of ['15999', '0', 'many'])
    expect(() => readConfig({ AI_DAILY_TOKENS })).toThrow('less is not enough for one request')
})

test('a provider needs its address and a client id', () => {
  expect(readConfig({}).oidc).toBeUndefined()
  expect(() => readConfig({ OIDC_CLIENT_ID: 'exams', OIDC_ONLY: 'true' })).toThrow(
    'OIDC_ISSUER: required with OIDC_CLIENT_ID, OIDC_ONLY',
  )
  expect(() => readConfig({ OIDC_ISSUER: 'https://id.example.org' })).toThrow('OIDC_CLIENT_ID: required')
  expect(readConfig({ ...PROVIDER, OIDC_ADMINS: 'groups=a=b' }).oidc).toEqual({
    issuer: 'https://id.example.org/realms/school',
    clientId: 'exams',
    clientSecret: undefined,
    name: 'your school',
    scopes: 'openid email profile',
    admins: { claim: 'groups', value: 'a=b' },
    redirectUris: [],
    emailDomains: [],
    only: false,
  })
})

test.each([
  ['DATABASE_URL', 'postgres://exam:', '@db/exam'],
  ['DATABASE_READ_URL', 'postgres://exam:', '@replica/exam'],
  ['REDIS_URL', 'redis://:', '@one:6379/0'],
  ['SMTP_URL', 'smtps://exam:', '@mail.example.org'],
])('%s says how signs of a password are written, and shows none of it', (name, before, after) => {
  const given = { DATABASE_URL: 'postgres://db/exam', JWT_SECRET: 'x'.repeat(32) }
  for (const password of ['kept#one', 'kept%one', 'kept/one', 'kept?one', 'kept%2', '#', '100%']) {
    const read = () => readConfig({ ...given, [name]: `${before}${password}${after}` })
    expect(read, password).toThrow(
      `${name}: in a user or password % is written %25, # %23, / %2F, ? %3F and @ %40`,
    )
    expect(read, password).not.toThrow('kept')
  }
  const written = encodeURIComponent('a#b%c/d?e@f:g')
  expect(accepted({ ...given, [name]: `${before}${written}${after}` })).toBe(true)
})

test('variables that look like settings are named, with what may be meant', () => {
  const meant = {
    REDISURL: 'REDIS_URL',
    REDIS_URI: 'REDIS_URL',
    'redis-url': 'REDIS_URL',
    DATABASE_ULR: 'DATABASE_URL',
    JWT_SECRETS: 'JWT_SECRET',
    TRUSTPROXY: 'TRUST_PROXY',
    PUBLICURL: 'PUBLIC_URL',
  }
  for (const [name, setting] of Object.entries(meant))
    expect(findMisspelt({ [name]: 'x' }), name).toEqual([
      `${name} is no setting of the service, and has no effect: ${setting} may be meant`,
    ])
  const others = [
    'REDIS_URL',
    'PORTS',
    'HOSTNAME',
    'PATH',
    'POSTGRES_URL',
    'HOSTS',
    'http_proxy',
    'AWS_PROFILE',
    'PGDATABASE',
  ]
  expect(findMisspelt(Object.fromEntries(others.map((name) => [name, 'x'])))).toEqual([])
})

test('the defaults may be written out, and lists with spaces', () => {
  const [newer, older] = ['n'.repeat(32), 'o'.repeat(32)]
  const settings = {
    CORS_ORIGINS: 'none',
    RATE_LIMIT: 'off',
    GOOGLE_CLIENT_ID: 'one, two',
    JWT_SECRET: `${newer}, ${older}`,
  }
  expect(readConfig(settings)).toMatchObject({
    corsOrigins: [],
    googleClientIds: ['one', 'two'],
    jwtSecrets: [newer, older],
  })
  expect(readConfig(settings).rateLimit).toBeUndefined()
})

test.each([
  ['DATABASE_URL', ['mysql://one', 'postgres://', 'embedded://', 'Embedded']],
  ['TRUST_PROXY', ['yes', '-1', '10.0.0.0/33', '::1/129', '1.2.3', '10.0.0.0/8/8', '127.0.0.1,', 'on']],
  // PostgreSQL and JavaScript disagree on the sign of a bare offset, and on what letters mean.
  ['APP_TIMEZONE', ['+02:00', '-05:00', 'Mars/Olympus', 'IST', 'EST', 'AET', 'CET']],
  [
    'PUBLIC_URL',
    ['http://', 'https://a b', 'exam.example.org', 'ftp://exam.example.org', 'https://example.org/exam/'],
  ],
  ['STORAGE_URL', ['s3://my bucket', 's3://', 'ftp://x', 'file:///a%2Fb']],
  ['CORS_ORIGINS', ['*', 'one.example.org', 'https://one.example.org/', 'none, https://one.example.org']],
  ['RATE_LIMIT', ['0', 'on', '1.5']],
  // Beside the embedded database there is no standby.
  ['DATABASE_READ_URL', ['mysql://one', 'postgres://one/exam']],
  [
    'REDIS_URL',
    [
      'localhost:6379',
      'http://one',
      'redis://',
      'redis+cluster://one/1',
      'redis://one,two:99999',
      'redis://one,',
      'redis+sentinel://one',
    ],
  ],
])('%s refuses invalid values', (name, values) => {
  for (const value of values) expect(accepted({ [name]: value }), value).toBe(false)
})

test('in production the embedded database has to be asked for', () => {
  expect(accepted({ NODE_ENV: 'production' })).toBe(false)
  expect(accepted({ NODE_ENV: 'production', DATABSE_URL: 'postgres://one/exams' })).toBe(false)
  expect(readConfig({ NODE_ENV: 'production', DATABASE_URL: 'embedded' })).toMatchObject({
    databaseUrl: undefined,
    demo: false,
  })
})

test.each<[boolean, Record<string, string>]>([
  [true, {}],
  [true, { HOST: '::1', PUBLIC_URL: 'http://[::1]:3000', TRUST_PROXY: 'false' }],
  [true, { HOST: '0.0.0.0', DEMO: 'on' }],
  [false, { DEMO: 'off' }],
  [false, { HOST: '0.0.0.0' }],
  [false, { HOST: '127.0.0.1.example.org' }],
  [false, { PUBLIC_URL: 'https://exam.example.org' }],
  [false, { TRUST_PROXY: '1' }],
  [false, { NODE_ENV: 'production', DATABASE_URL: 'embedded' }],
  [false, { DATABASE_URL: 'postgres://one/exams' }],
])('demo accounts: %s with %j', (demo, settings) => {
  expect(readConfig(settings).demo).toBe(demo)
})

test.each([
  ['EACCES', 'PORT: this user may not listen on 80: take one from 1024 on'],
  ['EADDRNOTAVAIL', 'HOST: 192.0.2.1 is no address of this machine: 0.0.0.0 takes all'],
  ['ENOTFOUND', 'HOST: 192.0.2.1 is no address of this machine'],
  ['EADDRINUSE', 'another program listens on port 80: choose one, as in PORT=81 npm start'],
])('what keeps a node from listening is said with the setting: %s', (code, said) => {
  const error = Object.assign(new Error('listen'), { code })
  expect(explainListening(error, { host: '192.0.2.1', port: 80 }).message).toContain(said)
})
