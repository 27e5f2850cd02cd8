import type { Answer } from '../../client.ts'
import type { ViewProps } from '../view-props.ts'

export type OneClass = Answer<'/api/v01/classes/{id}', 'get'>

/** The properties of each tab of a class's page. */
export interface ClassTabProps {
  of: OneClass
  user: ViewProps['user']
  reload: () => Promise<void>
}
