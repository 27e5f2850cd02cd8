/**
 * Folds usernames, addresses and what is typed at a login, so that case makes no difference: A to Z and nothing else,
 * so that JavaScript and SQL (`foldedCase` in db/text-search.ts) never disagree about other alphabets.
 */
export function foldCase(text: string): string {
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())
}
