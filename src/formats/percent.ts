/** A text that may be percent-encoded; as it is where it can't be. */
export function decodeIfEncoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** A path for use in an address: its slashes stay. */
export function encodePath(path: string): string {
  return path.split('/').map(encodeURIComponent).join('/')
}

/** A value of an extended parameter of a header, such as `filename*` (RFC 8187). */
export function encodeExtended(text: string): string {
  const toHex = (character: string) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`
  return encodeURIComponent(text).replaceAll(/['()*]/g, toHex)
}
