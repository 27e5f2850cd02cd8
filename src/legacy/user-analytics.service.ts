import type { UserAnalyticsQuery } from '../../schemas/legacy.schemas.ts'
import type { Core } from '../core.ts'
import { describePage, offsetOf } from '../paging.ts'
import { listUserResults, type UserResults } from './user-analytics.store.ts'

const PER_PAGE = 50

export interface UserResultsPage {
  users: UserResults[]
  total: number
  page: number
  totalPages: number
}

/** The older generation's table: everybody with their results, by name. */
export async function readUserResults(
  core: Core,
  { q, page }: Pick<UserAnalyticsQuery, 'q' | 'page'>,
): Promise<UserResultsPage> {
  const { rows, total } = await listUserResults(core.db, q, PER_PAGE, offsetOf(page, PER_PAGE))
  return { users: rows, total, page, totalPages: describePage(total, page, PER_PAGE).total_pages }
}
