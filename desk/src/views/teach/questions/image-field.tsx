import { ask, client, toFormData } from '../../../client.ts'
import { runWithToast } from '../../../components/dialogs/toasts.tsx'
import { Field, IMAGE_TYPES } from '../../../components/forms/fields.tsx'
import type { TeacherQuestion } from '../../../components/questions/kind.ts'
import { t } from '../../../texts.ts'

type Image = Pick<TeacherQuestion, 'image_path' | 'image_url'>

/** Uploads an image at once, chosen, pasted or dropped; saving the question makes it the question's image. */
export function useImageUpload(examId: number, use: (image: Image) => void) {
  const upload = (file: File) =>
    runWithToast(async () => {
      const folder = `exam-${examId}`
      const name = `${client.platform.uuid().slice(0, 8)}-${file.name.replaceAll(/[^\w.-]/g, '_')}`
      const body = toFormData({ subject_folder_id: folder })
      body.append('images', file, name)
      const { failed } = await ask(client.POST('/api/v01/admin/images', { body }))
      if (failed[0]) return t('The image can’t be used: {reason}', { reason: failed[0].error })
      use({ image_path: `${folder}/${name}`, image_url: URL.createObjectURL(file) })
      return t('The image is added when you save')
    })
  return {
    upload,
    /** Takes an image out of what was pasted or dropped. */
    take: (event: Event, data: DataTransfer | null) => {
      const file = [...(data?.files ?? [])].find(({ type }) => IMAGE_TYPES.split(',').includes(type))
      if (!file) return
      event.preventDefault()
      void upload(file)
    },
  }
}

/** Characters of a description. */
const LONGEST_ALT = 500

interface ImageFieldProps {
  path: string | null
  alt: string
  take: (file: File) => void
  remove: () => void
}

/** The image of a question. */
export function ImageField({ path, alt, take, remove }: ImageFieldProps) {
  return (
    <div class="stack tight">
      <Field
        label="Image"
        type="file"
        accept={IMAGE_TYPES}
        hint="Or paste it, or drop it anywhere on this form"
        onChange={({ currentTarget }) => {
          const file = currentTarget.files?.[0]
          if (file) take(file)
        }}
      />
      {path && (
        <Field
          label="What the image shows"
          name="image_alt"
          value={alt}
          maxLength={LONGEST_ALT}
          hint="For students who can’t see it; don’t give the answer away"
        />
      )}
      {path && (
        <p class="stack tight">
          <small>
            {t('To say where it stands, write it into the text or an option: {mark}', {
              mark: <code dir="ltr">{`![${t('what it shows')}](${path})`}</code>,
            })}
          </small>
          <button type="button" class="small" onClick={remove}>
            Remove the image
          </button>
        </p>
      )}
    </div>
  )
}
