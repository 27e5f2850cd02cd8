import { SETTINGS } from './config.ts'

/** Shorter names, such as PORT, are within a letter of too many others. */
const SHORTEST = 8

/** A line for each variable that is no setting, but looks like one: such as REDISURL, or DATABASE_ULR. */
export function findMisspelt(env: NodeJS.ProcessEnv): string[] {
  return Object.keys(env)
    .filter((name) => !SETTINGS.includes(name))
    .flatMap((name) => {
      const meant = SETTINGS.find((setting) => looksLike(name, setting))
      if (meant === undefined) return []
      return [`${name} is no setting of the service, and has no effect: ${meant} may be meant`]
    })
}

function looksLike(name: string, setting: string): boolean {
  if (name.length < SHORTEST || setting.length < SHORTEST) return false
  const [one, other] = [lettersOf(name), lettersOf(setting)]
  return one === other || isOneSlip(one, other)
}

const lettersOf = (name: string) => name.toUpperCase().replaceAll(/[^A-Z0-9]/g, '')

/** Whether one letter is missing, too many or another one, or two have changed places. */
function isOneSlip(one: string, other: string): boolean {
  let at = 0
  while (at < one.length && one[at] === other[at]) at += 1
  const [rest, otherRest] = [one.slice(at), other.slice(at)]
  return (
    rest.slice(1) === otherRest.slice(1) ||
    rest.slice(1) === otherRest ||
    rest === otherRest.slice(1) ||
    (rest.slice(2) === otherRest.slice(2) && rest[0] === otherRest[1] && rest[1] === otherRest[0])
  )
}
