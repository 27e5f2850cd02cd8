import { expect, test } from 'vitest'
import { ConfigError, readConfig } from '../src/config.ts'

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
  ['REDIS_URL', ['redis://one', 'rediss://two:6380/1']],
  ['CORS_ORIGINS', ['none', 'https://one.example.org', 'https://one.example.org, http://two.example.org']],
  ['JWT_SECRET', ['x'.repeat(32), `${'x'.repeat(32)}, ${'y y'.repeat(11)}`]],
  ['GOOGLE_CLIENT_ID', ['one', 'one,two', 'one, two']],
  ['RATE_LIMIT', ['off', '600']],
  ['DATABASE_URL', ['postgres://one,two/exams', 'postgresql:///exams?host=/run']],
])('%s takes every valid form', (name, values) => {
  for (const value of values) expect(accepted({ [name]: value }), value).toBe(true)
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
  ['TRUST_PROXY', ['yes', '-1', '10.0.0.0/33', '::1/129', '1.2.3', '10.0.0.0/8/8', '127.0.0.1,', 'on']],
  // PostgreSQL and JavaScript disagree on the sign of a bare offset, and on what letters mean.
  ['APP_TIMEZONE', ['+02:00', '-05:00', 'Mars/Olympus', 'IST', 'EST', 'AET', 'CET']],
  ['PUBLIC_URL', ['http://', 'https://a b', 'exam.example.org', 'ftp://exam.example.org']],
  ['STORAGE_URL', ['s3://my bucket', 's3://', 'ftp://x', 'file:///a%2Fb']],
  ['CORS_ORIGINS', ['*', 'one.example.org', 'https://one.example.org/', 'none, https://one.example.org']],
  ['RATE_LIMIT', ['0', 'on', '1.5']],
])('%s refuses invalid values', (name, values) => {
  for (const value of values) expect(accepted({ [name]: value }), value).toBe(false)
})
