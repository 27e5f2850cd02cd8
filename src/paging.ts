/** The fields beside the rows of a page (schemas/common.ts `paging`). */
export function describePage(total: number, page: number, perPage: number) {
  return { total, page, per_page: perPage, total_pages: Math.ceil(total / perPage) }
}

/** How many rows come before a page. */
export function offsetOf(page: number, perPage: number): number {
  return (page - 1) * perPage
}
