import './join-code.css'
import { useEffect, useState } from 'preact/hooks'
import { copyText } from '../../clipboard.ts'
import { Dialog } from '../../components/dialogs/dialog.tsx'
import { Action } from '../../components/forms/button.tsx'
import { QrCode } from '../../components/qr-code.tsx'
import { t } from '../../texts.ts'

interface JoinCodeProps {
  code: string
  /** Where it leads. */
  address: string
  /** The class's. */
  name: string
}

/** A code as it hangs on a wall: to read, to copy, and as large as a projector shows it. */
export function JoinCode({ code, address, name }: JoinCodeProps) {
  const [isLarge, setLarge] = useState(false)
  return (
    <>
      <p class="join-code" translate={false}>
        {code}
      </p>
      <div class="row">
        <Action class="small" act={() => copyText(code).then(() => t('The code is copied'))}>
          Copy the code
        </Action>
        <Action class="small" act={() => copyText(address).then(() => t('The link is copied'))}>
          Copy the link
        </Action>
        <button type="button" class="small" onClick={() => setLarge(true)}>
          Full screen
        </button>
      </div>
      <QrCode text={address} />
      {isLarge && <Projected code={code} address={address} name={name} close={() => setLarge(false)} />}
    </>
  )
}

/** Nothing but the code, in the whole screen where the browser allows that, else in the whole page. */
function Projected({ code, address, name, close }: JoinCodeProps & { close: () => void }) {
  useEffect(() => {
    void document.documentElement.requestFullscreen?.().catch(() => {})
    return () => {
      if (document.fullscreenElement) void document.exitFullscreen().catch(() => {})
    }
  }, [])
  return (
    <Dialog title={name} close={close} class="projected">
      <p class="join-code" translate={false}>
        {code}
      </p>
      <QrCode text={address} />
      <p>
        <code>{address}</code>
      </p>
    </Dialog>
  )
}
