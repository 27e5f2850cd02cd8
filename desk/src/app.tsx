import { useStore } from '@nanostores/preact'
import { useEffect, useRef } from 'preact/hooks'
import { client } from './client.ts'
import { Prompts } from './components/dialogs/prompts.tsx'
import { Toasts } from './components/dialogs/toasts.tsx'
import { Page } from './components/page/page.tsx'
import { watchHelpLock } from './help-lock.ts'
import { sendKeptAnswers } from './kept-answers.ts'
import { watchNotices } from './notices.ts'
import { keepPushesOn } from './push.ts'
import { $router, takeRenaming } from './router.ts'
import { Connection } from './shell/connection.tsx'
import { focusPlace, keepFocus } from './shell/keep-focus.ts'
import { Navigation } from './shell/navigation.tsx'
import { watchTitle } from './shell/tab-title.ts'
import { UnderWayBar } from './shell/under-way-bar.tsx'
import { leaveForSignIn } from './sign-in.ts'
import { lookForUnderWay, watchServerTime, watchUnderWay } from './under-way.ts'
import { View } from './views/index.tsx'

export function App() {
  const page = useStore($router)
  const user = useStore(client.session.$user)
  const main = useRef<HTMLElement>(null)
  const isFirst = useRef(true)
  useEffect(watchServerTime, [])
  useEffect(watchTitle, [])
  useEffect(watchHelpLock, [])
  useEffect(watchNotices, [])
  useEffect(watchUnderWay, [])
  useEffect(sendKeptAnswers, [])
  useEffect(() => void lookForUnderWay(), [])
  useEffect(() => void keepPushesOn().catch(() => {}), [])
  useEffect(() => keepFocus(document.body), [])
  // The person was signed out: here, in another tab, or by the service.
  useEffect(() => {
    if (user === null) leaveForSignIn()
  }, [user])
  // The focus moves to the new view, for people with a keyboard or a screen reader.
  useEffect(() => {
    if (takeRenaming(page?.path)) return
    if (!isFirst.current) main.current?.focus({ preventScroll: true })
    isFirst.current = false
    scrollTo(0, 0)
  }, [page?.path])
  if (!user) return null
  return (
    <div class={`shell at-${page?.route ?? 'nowhere'}`}>
      <button type="button" class="skip" onClick={() => focusPlace(main.current)}>
        Skip to the content
      </button>
      <Navigation user={user} route={page?.route} />
      <div class="body">
        <Connection />
        <UnderWayBar />
        <main id="main" ref={main} tabIndex={-1}>
          {page ? (
            <View page={page} user={user} />
          ) : (
            <Page title="There is no such page">
              <p>
                <a href="/desk/exams">To the exams</a>
              </p>
            </Page>
          )}
        </main>
      </div>
      <Prompts />
      <Toasts />
    </div>
  )
}
