import type { Answer } from '../../client.ts'
import type { ViewProps } from '../view-props.ts'

export type DescribedClass = Answer<'/api/v01/classes/{id}', 'get'>
type Member = DescribedClass['members'][number]
/** A class as its teachers and administrators get it. */
export type OneClass = Required<Omit<DescribedClass, 'members'>> & { members: Required<Member>[] }

export function isTaught(one: DescribedClass): one is OneClass {
  return one.invited !== undefined
}

/** The properties of each tab of a class's page. */
export interface ClassTabProps {
  of: OneClass
  user: ViewProps['user']
  reload: () => Promise<void>
}
