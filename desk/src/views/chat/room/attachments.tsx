import type { ChatMessage } from '@exam-practice/client/chat'
import { useState } from 'preact/hooks'
import { ask, client } from '../../../client.ts'
import { Dialog } from '../../../components/dialogs/dialog.tsx'
import { Action } from '../../../components/forms/button.tsx'
import { bytes } from '../../../format.ts'
import { isMirrored } from '../../../texts.ts'

type Attachment = ChatMessage['attachments'][number]

/** The file with fresh addresses: those in a message end after a time. */
async function freshen({ id }: Attachment): Promise<Attachment> {
  const params = { path: { id } }
  return (await ask(client.GET('/api/v01/chat/attachments/{id}', { params }))).attachment
}

/** The files of a message: previews of images, which open in full, and links to save the others. */
export function Attachments({ files }: { files: readonly Attachment[] }) {
  const [open, setOpen] = useState<number>()
  const images = files.filter(({ thumbnail_url }) => thumbnail_url !== null)
  const others = files.filter(({ thumbnail_url }) => thumbnail_url === null)
  if (files.length === 0) return null
  return (
    <div class="attachments">
      {images.map((image, index) => (
        <button
          key={image.id}
          type="button"
          class="quiet preview"
          aria-haspopup="dialog"
          onClick={() => setOpen(index)}
        >
          <Picture key={image.thumbnail_url} image={image} isPreview />
        </button>
      ))}
      {others.map((file) => (
        <p key={file.id} class="row">
          <bdi>{file.name}</bdi> <small>{bytes(file.size)}</small>
          <Action class="small" act={() => save(file)}>
            Save
          </Action>
        </p>
      ))}
      {open !== undefined && (
        <Lightbox images={images} at={open} go={setOpen} close={() => setOpen(undefined)} />
      )}
    </div>
  )
}

/** An image, by a fresh address if its own has ended. */
function Picture({ image, isPreview = false }: { image: Attachment; isPreview?: boolean }) {
  const [shown, setShown] = useState(image)
  const [isFresh, setFresh] = useState(false)
  const { width, height } = isPreview ? previewSize(shown) : shown
  return (
    <img
      src={(isPreview ? shown.thumbnail_url : null) ?? shown.url}
      alt={shown.name}
      width={width ?? undefined}
      height={height ?? undefined}
      onError={() => {
        if (isFresh) return
        setFresh(true)
        // For others than members there is none; the name stays in its place.
        void freshen(image).then(setShown, () => {})
      }}
    />
  )
}

/** The longer side of a preview, which the service makes no larger than the image. */
const PREVIEW_PX = 400

function previewSize({ width, height }: Attachment) {
  if (width === null || height === null) return { width, height }
  const share = Math.min(1, PREVIEW_PX / Math.max(width, height))
  return { width: Math.max(1, Math.round(width * share)), height: Math.max(1, Math.round(height * share)) }
}

interface LightboxProps {
  images: readonly Attachment[]
  at: number
  go: (at: number) => void
  close: () => void
}

const [FORWARD, BACK] = isMirrored ? ['ArrowLeft', 'ArrowRight'] : ['ArrowRight', 'ArrowLeft']

/** One image as large as the window allows; the arrow keys lead to the others of the message. */
function Lightbox({ images, at, go, close }: LightboxProps) {
  const image = images[at]
  if (!image) return null
  const isThere = (to: number) => to >= 0 && to < images.length
  const move = (to: number) => isThere(to) && go(to)
  return (
    <Dialog title={image.name} close={close} class="lightbox">
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the keys of the buttons in it, for all of it */}
      <div
        class="stack tight"
        onKeyDown={({ key }) => {
          if (key === FORWARD) move(at + 1)
          if (key === BACK) move(at - 1)
        }}
      >
        <Picture key={image.id} image={image} />
        <div class="row">
          {images.length > 1 && (
            <>
              <button
                type="button"
                class="small"
                aria-disabled={!isThere(at - 1)}
                onClick={() => move(at - 1)}
              >
                Previous
              </button>
              <button
                type="button"
                class="small"
                aria-disabled={!isThere(at + 1)}
                onClick={() => move(at + 1)}
              >
                Next
              </button>
            </>
          )}
          <Action class="small" act={() => save(image)}>
            Save
          </Action>
          {'canShare' in navigator && (
            <Action class="small" act={() => share(image)}>
              Share
            </Action>
          )}
          <small>{bytes(image.size)}</small>
        </div>
      </div>
    </Dialog>
  )
}

async function save(file: Attachment): Promise<void> {
  const { url, name } = await freshen(file)
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
}

/** Hands an image to another app of this device. */
async function share(image: Attachment): Promise<void> {
  const { url, name, type } = await freshen(image)
  const content = await (await fetch(url)).blob()
  try {
    await navigator.share({ files: [new File([content], name, { type })] })
  } catch (error) {
    // They thought better of it.
    if (!(error instanceof DOMException && error.name === 'AbortError')) throw error
  }
}
