/** Why the service closes a socket, and so whether the client should come back (contract/realtime.md). */
export const CLOSE = {
  restarting: [1012, 'restarting'],
  failed: [1011, 'the connection could not be set up'],
  tokenEnded: [4001, 'token expired or revoked'],
  malformed: [4002, 'malformed frames'],
  tooSlow: [4008, 'too slow'],
  flood: [4029, 'too many frames'],
} as const satisfies Record<string, readonly [code: number, reason: string]>

export type CloseReason = keyof typeof CLOSE
