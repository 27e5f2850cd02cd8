import { number } from '../../format.ts'
import { setQuery } from '../../router.ts'
import { t } from '../../texts.ts'

interface PageCount {
  page: number
  total_pages: number
}

interface PagerProps {
  of: PageCount
  /** How many there are on all pages, in words. */
  total: string
}

/** The number of the first row of a page, from 1. */
export function firstOf({ page, per_page }: { page: number; per_page: number }): number {
  return (page - 1) * per_page + 1
}

/** Links to the previous and the next page. */
export function Pager({ of: { page, total_pages }, total }: PagerProps) {
  if (total_pages <= 1) return null
  return (
    <nav class="pager" aria-label="Pages">
      <button type="button" class="small" disabled={page <= 1} onClick={() => setQuery({ page: page - 1 })}>
        Previous
      </button>
      <span>
        {t('Page {page} of {pages} · {total}', { page: number(page), pages: number(total_pages), total })}
      </span>
      <button
        type="button"
        class="small"
        disabled={page >= total_pages}
        onClick={() => setQuery({ page: page + 1 })}
      >
        Next
      </button>
    </nav>
  )
}
