import type { ChatMessage, Reacting, Reaction, ReactionsFrame } from './types.ts'

/** A message after somebody reacted. A frame names only the first people, but also the one who reacted. */
export function withReactions(
  message: ChatMessage,
  { version, reactions, user_id, emoji, added }: ReactionsFrame,
  reader: number | undefined,
): ChatMessage {
  const own = new Set(message.reactions.flatMap((each) => (each.mine ? [each.emoji] : [])))
  const isMine = (each: Omit<Reaction, 'mine'>) =>
    each.emoji === emoji && user_id === reader
      ? added
      : each.user_ids.some((id) => id === reader) ||
        (each.count > each.user_ids.length && own.has(each.emoji))
  return { ...message, version, reactions: reactions.map((each) => ({ ...each, mine: isMine(each) })) }
}

/** The reactions as they will be once these are known. */
export function reactedBy(userId: number, before: Reaction[], pending: readonly Reacting[]): Reaction[] {
  let reactions = before
  for (const { emoji, added } of pending) {
    const known = reactions.find((each) => each.emoji === emoji)
    if ((known?.mine ?? false) === added) continue
    const others = known?.user_ids.filter((id) => id !== userId) ?? []
    const reaction: Reaction = {
      emoji,
      count: (known?.count ?? 0) + (added ? 1 : -1),
      user_ids: added ? [...others, userId] : others,
      mine: added,
    }
    reactions = known
      ? reactions.map((each) => (each === known ? reaction : each)).filter(({ count }) => count > 0)
      : [...reactions, reaction]
  }
  return reactions
}
