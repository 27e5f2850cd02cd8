import { type Html, html, layout } from '../../formats/html.ts'
import type { Say } from '../../formats/translations.ts'
import type { Config } from '../../settings/config.ts'

type PrivacySettings = Pick<Config, 'ai' | 'googleClientIds' | 'oidc' | 'push' | 'retention'>

/** What the service keeps about people, for how long, and who sees it, by the settings it runs with. */
export function renderPrivacy(t: Say, settings: PrivacySettings): string {
  const { auditDays, suspendedDays, tutorDays } = settings.retention
  return layout(
    t,
    t('Privacy'),
    html`<p>${t('The school or organisation that gave you the address of this service runs it, and is responsible for it. Ask it whatever this page leaves open.')}</p>
<h2>${t('What is stored')}</h2>
<ul>
${items([
  settings.oidc || settings.googleClientIds.length > 0
    ? t(
        'Your account: username, name, e-mail address, role; of a password only a hash, and who you are at the provider that you sign in by.',
      )
    : t('Your account: username, name, e-mail address, role; of a password only a hash.'),
  t(
    'What you do here: exams that you take with your answers and results, classes, practice, notes and pictures, comments, messages with their files.',
  ),
  settings.ai.apiKey === undefined && settings.ai.baseUrl === undefined
    ? undefined
    : t(
        'Conversations with the tutor. What you ask it, and the question that you ask about, is sent to {host}, without your name.',
        { host: modelHost(settings) },
      ),
  t('While you are signed in: the address and the browser of each device.'),
  settings.push.subject === undefined
    ? undefined
    : t(
        'If you turn notifications on: an address at your browser’s maker, through which they reach you encrypted.',
      ),
  t('Changes that teachers and administrators make, in a log, with the address that they came from.'),
])}
</ul>
<p>${t('There is one cookie, which keeps you signed in, and one with your language, if you choose one; what you have not saved yet stays in your browser. Nothing here tracks you, and no other site is asked for anything.')}</p>
<h2>${t('For how long')}</h2>
<ul>
${items([
  suspendedDays === undefined
    ? t('Your account and what you did here: until you delete it.')
    : t(
        'Your account and what you did here: until you delete it, or {days, plural, one {# day} other {# days}} after an administrator has suspended the account.',
        { days: suspendedDays },
      ),
  tutorDays === undefined
    ? t('Conversations with the tutor: until you delete them.')
    : t(
        'Conversations with the tutor: until you delete them, at most {days, plural, one {# day} other {# days}} after the last question.',
        { days: tutorDays },
      ),
  t('Your devices: until you sign out, at most 30 days after you were last here.'),
  auditDays === undefined
    ? t(
        'The log of changes: as long as the service, without your name and address once your account is deleted.',
      )
    : t(
        'The log of changes: {days, plural, one {# day} other {# days}}, without your name and address once your account is deleted.',
        { days: auditDays },
      ),
  t('A message or comment that was reported, with those around it: for 90 days after the decision.'),
  t('Backups are the operator’s, and so is how long they are kept.'),
])}
</ul>
<h2>${t('Who sees it')}</h2>
<ul>
${items([
  t('You see everything of yours.'),
  t(
    'Teachers of your classes, and administrators, see your name and your results; administrators your e-mail address too.',
  ),
  t(
    'Other students of your classes see your name there if its teachers allow it, or if you write in its chat.',
  ),
  t('Everybody with an account can find your name and see your comments and the notebooks that you publish.'),
  t(
    'Messages are for those in the conversation. Administrators see one that was reported, with a few around it.',
  ),
  t(
    'Your other notes, your practice and your conversations with the tutor are yours alone. Whoever runs the machines could read them in the database.',
  ),
])}
</ul>
<h2>${t('What you can do')}</h2>
<p>${t('In the desk, under your name: correct your name and address, download everything of yours as a file, see and sign out your devices, and delete your account. That erases all of the above; what you wrote to others stays, without your name.')}</p>
<p class="links"><a href="/login">${t('Sign in')}</a></p>`,
    'wide',
  )
}

function items(texts: (string | undefined)[]): Html[] {
  return texts.flatMap((text) => (text === undefined ? [] : [html`<li>${text}</li>\n`]))
}

function modelHost({ ai }: PrivacySettings): string {
  return ai.baseUrl === undefined ? 'Anthropic' : new URL(ai.baseUrl).hostname
}
