/**
 * How long a test waits for what has to come: longer than a busy machine stalls, and never a part of what is tested.
 */
export const PATIENCE_MS = 40_000
