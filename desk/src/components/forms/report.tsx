import { ask, client } from '../../client.ts'
import { t } from '../../texts.ts'
import { Area } from './fields.tsx'
import { Form } from './form.tsx'

interface ReportProps {
  what: 'comment' | 'message'
  id: number
  close: () => void
}

/** Reports a message or a comment to the administrators. */
export function Report({ what, id, close }: ReportProps) {
  return (
    <Form
      button="Report"
      draft={`report-${what}-${id}`}
      aside={
        <button type="button" class="quiet" onClick={close}>
          Cancel
        </button>
      }
      send={async ({ reason }) => {
        const given = { params: { path: { id } }, body: { reason: String(reason) } }
        if (what === 'comment') await ask(client.POST('/api/v01/discussions/comments/{id}/report', given))
        else await ask(client.POST('/api/v01/chat/messages/{id}/report', given))
        close()
        return t('Reported. An administrator looks at it.')
      }}
    >
      <Area
        label={what === 'comment' ? 'What is wrong with this comment?' : 'What is wrong with this message?'}
        name="reason"
        required
        maxLength={1000}
      />
    </Form>
  )
}
