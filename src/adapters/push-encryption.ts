import { createCipheriv, createECDH, createPrivateKey, hkdfSync, randomBytes, sign } from 'node:crypto'

/** What a browser gives for messages to it, as base64url: its point of P-256 and a secret of 16 bytes. */
export interface ReceiverKeys {
  p256dh: string
  auth: string
}

/** A key pair on P-256, as base64url: an uncompressed point, and its scalar. */
export interface KeyPair {
  publicKey: string
  privateKey: string
}

const CURVE = 'prime256v1'
const POINT_BYTES = 65
const SCALAR_BYTES = 32
const AUTH_BYTES = 16
const SALT_BYTES = 16
const RECORD_BYTES = 4_096
/** Follows the text of the last record. */
const LAST_RECORD = 2
const JWT_SECONDS = 12 * 3_600

export function createKeyPair(): KeyPair {
  const pair = createECDH(CURVE)
  const publicKey = pair.generateKeys('base64url')
  return { publicKey, privateKey: pad(pair.getPrivateKey()).toString('base64url') }
}

/** Whether a browser can have given these keys. */
export function areReceiverKeys({ p256dh, auth }: ReceiverKeys): boolean {
  const point = decode(p256dh)
  if (point?.length !== POINT_BYTES || decode(auth)?.length !== AUTH_BYTES) return false
  try {
    const pair = createECDH(CURVE)
    pair.generateKeys()
    pair.computeSecret(point)
    return true
  } catch {
    // It is no point of the curve.
    return false
  }
}

/** The body of a push (RFC 8291, in one record of RFC 8188). `privateKey` and `salt` are given by tests alone. */
export function encryptPush(
  text: string,
  receiver: ReceiverKeys,
  privateKey?: Buffer,
  salt: Buffer = randomBytes(SALT_BYTES),
): Buffer {
  const own = createECDH(CURVE)
  if (privateKey) own.setPrivateKey(privateKey)
  else own.generateKeys()
  const ownPoint = own.getPublicKey()
  const point = Buffer.from(receiver.p256dh, 'base64url')
  const shared = derive(
    own.computeSecret(point),
    Buffer.from(receiver.auth, 'base64url'),
    Buffer.concat([Buffer.from('WebPush: info\0'), point, ownPoint]),
    32,
  )
  const key = derive(shared, salt, 'Content-Encoding: aes128gcm\0', 16)
  const nonce = derive(shared, salt, 'Content-Encoding: nonce\0', 12)
  const cipher = createCipheriv('aes-128-gcm', key, nonce)
  const header = Buffer.alloc(5)
  header.writeUInt32BE(RECORD_BYTES)
  header.writeUInt8(ownPoint.length, 4)
  return Buffer.concat([
    salt,
    header,
    ownPoint,
    cipher.update(text),
    cipher.update(Buffer.of(LAST_RECORD)),
    cipher.final(),
    cipher.getAuthTag(),
  ])
}

/** What tells a push service who sends (RFC 8292): the value of `Authorization`, for pushes to this origin. */
export function authorizePush(origin: string, subject: string, key: KeyPair, now: number): string {
  const point = Buffer.from(key.publicKey, 'base64url')
  const [x, y] = [point.subarray(1, 33), point.subarray(33)].map((part) => part.toString('base64url'))
  const signing = createPrivateKey({
    key: { kty: 'EC', crv: 'P-256', d: key.privateKey, x: x as string, y: y as string },
    format: 'jwk',
  })
  const claims = { aud: origin, exp: Math.floor(now / 1_000) + JWT_SECONDS, sub: subject }
  const signed = [{ typ: 'JWT', alg: 'ES256' }, claims].map(toPart).join('.')
  const signature = sign('sha256', Buffer.from(signed), { key: signing, dsaEncoding: 'ieee-p1363' })
  return `vapid t=${signed}.${signature.toString('base64url')}, k=${key.publicKey}`
}

function derive(secret: Buffer, salt: Buffer, info: string | Buffer, bytes: number): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, salt, info, bytes))
}

function toPart(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url')
}

/** Scalars that begin with zeros come without them. */
function pad(scalar: Buffer): Buffer {
  return Buffer.concat([Buffer.alloc(SCALAR_BYTES - scalar.length), scalar])
}

/** undefined if it is not base64, with or without padding and in either alphabet. */
function decode(text: string): Buffer | undefined {
  return /^[\w+/-]+={0,2}$/.test(text) ? Buffer.from(text, 'base64url') : undefined
}
