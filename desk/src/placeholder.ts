/** Whether an account has no address of its own: somebody else proved that it is theirs (docs/protocol/sign-in.md#who-it-is). */
export function isPlaceholder(email: string): boolean {
  return email.endsWith('@placeholder.invalid')
}
