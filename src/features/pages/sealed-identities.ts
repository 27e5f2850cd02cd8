import type { ProviderIdentity } from '../../adapters/oidc.ts'
import type { Core } from '../../core.ts'
import { perNode } from '../../per-node.ts'
import { deriveKeys } from '../../tokens/secrets.ts'
import { fitName } from '../auth/new-names.ts'

/** How long somebody may take to say whose account it is. */
export const IDENTITY_SECONDS = 600
export const IDENTITY_COOKIE = 'oidc_identity'
const TYPE = 'provider-identity+jwt'
/** Of what the provider calls somebody. */
const LONGEST_NAME = 64
/** Browsers drop a cookie that is larger than 4 KiB with its name and attributes, without a word. */
const LARGEST = 3_900

/** Somebody whom the provider has identified, and the page that they wanted. */
export interface IdentifiedVisitor {
  identity: ProviderIdentity
  next: string
}

const keysOf = perNode(({ jwtSecrets }) => deriveKeys(jwtSecrets, 'provider identities'))

/**
 * What the provider said, as a cookie that nobody else can read or make. If there is no room in it for both, the page
 * that they wanted is left out.
 */
export async function sealIdentity(core: Core, arrival: IdentifiedVisitor): Promise<string> {
  const sealed = await seal(core, arrival)
  return sealed.length <= LARGEST ? sealed : seal(core, { ...arrival, next: '/' })
}

async function seal(core: Core, { identity, next }: IdentifiedVisitor): Promise<string> {
  const { EncryptJWT } = await import('jose')
  const [key] = keysOf(core)
  const username = identity.username?.slice(0, LONGEST_NAME)
  const sealed = { ...identity, name: fitName(identity.name)?.slice(0, LONGEST_NAME), username }
  return new EncryptJWT({ identity: sealed, next })
    .setProtectedHeader({ alg: 'dir', enc: 'A256GCM', typ: TYPE })
    .setExpirationTime(Math.floor(core.clock() / 1_000) + IDENTITY_SECONDS)
    .encrypt(key)
}

/** undefined: this browser has none, or it is too old. */
export async function openIdentity(
  core: Core,
  cookies: Readonly<Record<string, string | undefined>>,
): Promise<IdentifiedVisitor | undefined> {
  const value = cookies[IDENTITY_COOKIE]
  if (value === undefined) return undefined
  const { jwtDecrypt } = await import('jose')
  const currentDate = new Date(core.clock())
  for (const key of keysOf(core))
    try {
      const { payload } = await jwtDecrypt<IdentifiedVisitor>(value, key, {
        keyManagementAlgorithms: ['dir'],
        contentEncryptionAlgorithms: ['A256GCM'],
        typ: TYPE,
        requiredClaims: ['exp'],
        currentDate,
      })
      return payload
    } catch {
      // Sealed with another secret, by somebody else, or too old.
    }
  return undefined
}
