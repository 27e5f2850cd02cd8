import { ask, client, RequestFailed } from './client.ts'
import { readStored, writeStored } from './stored.ts'
import { t } from './texts.ts'

/** The number of this device's registration at the service, while the person wants pushes here. */
const STORED = 'push-device'

/** Whether this browser can take pushes: some only as an installed app. */
export const canTakePushes = 'serviceWorker' in navigator && 'PushManager' in globalThis

export function thisDevice(): number | undefined {
  return readStored(STORED)
}

/** Asks the person's permission, and registers this browser. */
export async function turnOnPushes(publicKey: string): Promise<void> {
  if ((await Notification.requestPermission()) !== 'granted')
    throw new RequestFailed({
      code: 'denied',
      message: t('Notifications are blocked for this site. Allow them in the browser’s settings.'),
    })
  const { pushManager } = await navigator.serviceWorker.ready
  const wanted = { userVisibleOnly: true, applicationServerKey: publicKey }
  const subscription = await pushManager.subscribe(wanted).catch(async () => {
    // One that was made for another key of the service is in the way.
    await (await pushManager.getSubscription())?.unsubscribe()
    return pushManager.subscribe(wanted)
  })
  await register(subscription)
}

export async function turnOffPushes(): Promise<void> {
  const id = thisDevice()
  await forgetDevice()
  if (id !== undefined) await removeDevice(id)
}

/** The person wants no pushes here any more; the service ends what it knows with their session. */
export async function forgetDevice(): Promise<void> {
  writeStored(STORED, undefined)
  await unsubscribe()
}

/** One that is gone already is what was wanted. */
export async function removeDevice(id: number): Promise<void> {
  await ask(client.DELETE('/api/v01/push/subscriptions/{id}', { params: { path: { id } } })).catch(
    (error) => {
      if (!(error instanceof RequestFailed && error.code === 'not_found')) throw error
    },
  )
}

/** Ends this browser's subscription: nothing reaches it any more, whoever signs in next. */
async function unsubscribe(): Promise<void> {
  if (!canTakePushes) return
  const registration = await navigator.serviceWorker.getRegistration()
  await (await registration?.pushManager.getSubscription())?.unsubscribe()
}

/**
 * Registers this browser again if the person wanted it: registrations end with their session, and browsers replace
 * their subscriptions.
 */
export async function keepPushesOn(): Promise<void> {
  if (!canTakePushes) return
  // It may be the subscription of somebody who was signed in before.
  if (thisDevice() === undefined) return unsubscribe()
  if (Notification.permission !== 'granted') return
  const { public_key } = await ask(client.GET('/api/v01/push'))
  if (public_key !== null) await turnOnPushes(public_key)
}

async function register(subscription: PushSubscription): Promise<void> {
  const { endpoint, keys } = subscription.toJSON()
  const body = { endpoint: endpoint ?? '', keys: { p256dh: keys?.p256dh ?? '', auth: keys?.auth ?? '' } }
  const registered = await ask(client.POST('/api/v01/push/subscriptions', { body }))
  writeStored(STORED, registered.subscription.id)
}
