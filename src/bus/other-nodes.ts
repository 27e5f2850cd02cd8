/** The other nodes of the service, as this one sees them in the database. */
export interface OtherNodes {
  /** Whether there are some that this node’s events don’t reach, since they share no Redis with it. */
  readonly areApart: boolean
  close(): Promise<void>
}
