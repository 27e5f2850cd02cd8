import { useStore } from '@nanostores/preact'
import { ask, client, toQuery } from '../../client.ts'
import { Choice } from '../../components/forms/fields.tsx'
import { ListSearch } from '../../components/forms/search.tsx'
import { Empty, Loaded } from '../../components/page/load-states.tsx'
import { Page } from '../../components/page/page.tsx'
import { Pager } from '../../components/page/pager.tsx'
import { useLoad } from '../../components/page/use-load.ts'
import { $query, setQuery } from '../../router.ts'
import { t } from '../../texts.ts'

/** The public notebooks. */
export default function Library() {
  const { q, sort, page } = useStore($query)
  const found = useLoad(`${q} ${sort} ${page}`, () =>
    ask(
      client.GET('/api/v01/library', {
        params: {
          query: toQuery<'/api/v01/library'>({ q, sort, page }),
        },
      }),
    ),
  )
  return (
    <Page title="Library" lead="Notebooks that people share.">
      <div class="filters">
        <ListSearch label="Search the library" />
        <Choice
          label="First"
          value={sort ?? 'recent'}
          options={[
            ['recent', t('The latest')],
            ['popular', t('The most liked')],
          ]}
          onChange={({ currentTarget }) => setQuery({ sort: currentTarget.value, page: undefined })}
        />
      </div>
      <Loaded of={found}>
        {(list) =>
          list.notebooks.length === 0 ? (
            <Empty title={q ? 'Nothing matches' : 'Nobody shares anything yet'}>
              <p>Share one of your own notebooks, and it stands here.</p>
            </Empty>
          ) : (
            <>
              <ul class="cards">
                {list.notebooks.map((each) => (
                  <li key={each.id} class="card">
                    <h2>
                      <a href={`/desk/library/${each.id}`}>{each.title}</a>
                    </h2>
                    <small>{t('by {name}', { name: each.author })}</small>
                    {each.description && (
                      <p class="clamp" dir="auto">
                        {each.description}
                      </p>
                    )}
                    <p class="row">
                      <span class="chip">
                        {t('{count, plural, one {# page} other {# pages}}', { count: each.page_count })}
                      </span>
                      <span class="chip">
                        {t('{count, plural, one {# like} other {# likes}}', { count: each.likes })}
                      </span>
                      {each.bookmarked && <span class="chip good">Bookmarked</span>}
                    </p>
                  </li>
                ))}
              </ul>
              <Pager
                of={list}
                total={t('{count, plural, one {# notebook} other {# notebooks}}', { count: list.total })}
              />
            </>
          )
        }
      </Loaded>
    </Page>
  )
}
