/** Why the service closes a socket, and what the client should do then (docs/protocol/realtime.md#close-codes). */
export const CLOSE = {
  restarting: [1012, 'restarting', 'reconnect after a random part of a few seconds, then resume'],
  /** Sent by the WebSocket library itself. */
  tooLarge: [1009, 'frame too large', 'reconnect, without that frame'],
  failed: [1011, 'the connection could not be set up', 'reconnect after a pause'],
  tokenEnded: [
    4001,
    'token expired or revoked',
    'refresh the token, then reconnect; sign in anew if that is 401',
  ],
  malformed: [4002, 'malformed frames', 'do not reconnect: the client has a bug'],
  tooSlow: [4008, 'too slow', 'reconnect, then resume'],
  flood: [4029, 'too many frames', 'reconnect after a pause and send less'],
} as const satisfies Record<string, readonly [code: number, reason: string, advice: string]>

export type CloseReason = keyof typeof CLOSE
