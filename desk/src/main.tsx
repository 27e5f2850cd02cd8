import './design/tokens.css'
import './design/forms.css'
import './design/shell.css'
import './design/page.css'
import './design/sheets.css'
import './design/table.css'
import './design/texts.css'
import './design/marks.css'
import './design/overlays.css'
import './design/print.css'
import { render } from 'preact'
import { App } from './app.tsx'
import { loadFailures } from './client.ts'
import { ServiceUnreachable } from './components/page/unreachable.tsx'
import { dropOldDrafts } from './drafts.ts'
import { startOffline } from './offline.ts'
import { $router, go } from './router.ts'
import { applyTheme } from './shell/theme.ts'
import { enter, leaveForSignIn } from './sign-in.ts'
import { loadView } from './views/index.tsx'

applyTheme()
startOffline()
const root = document.getElementById('desk') as HTMLElement

async function open(): Promise<void> {
  try {
    // The view is loaded while the session is being read.
    void loadView($router.get()?.route ?? 'home').catch(() => {})
    if (!(await enter())) return leaveForSignIn()
    dropOldDrafts()
    // The pages after a sign-in, for users and for administrators.
    const { pathname } = location
    if (!/^\/(desk\/.|exam\/)/.test(pathname) && pathname !== '/desk')
      go(pathname === '/admin' ? '/desk/teach' : '/desk', 'replace')
    root.replaceChildren()
    render(<App />, root)
    void loadFailures()
  } catch {
    root.replaceChildren()
    render(<ServiceUnreachable again={() => void open()} />, root)
  }
}

void open()
