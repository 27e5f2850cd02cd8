import { setQuery } from '../../router.ts'

interface Paged {
  page: number
  total_pages: number
  total: number
}

/** Links to the previous and the next page. */
export function Pager({ of: { page, total_pages, total }, what }: { of: Paged; what: string }) {
  if (total_pages <= 1) return null
  return (
    <nav class="pager" aria-label={`Pages of ${what}`}>
      <button type="button" class="small" disabled={page <= 1} onClick={() => setQuery({ page: page - 1 })}>
        Previous
      </button>
      <span>
        Page {page} of {total_pages} · {total} {what}
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
