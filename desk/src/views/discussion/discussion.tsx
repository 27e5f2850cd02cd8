import './discussion.css'
import type { Comment } from '@exam-practice/client'
import { useStore } from '@nanostores/preact'
import { useState } from 'preact/hooks'
import { ask, client } from '../../client.ts'
import { $beingDeleted, deleteSoon, OUTLIVING } from '../../components/dialogs/toasts.tsx'
import { Action } from '../../components/forms/button.tsx'
import { Area } from '../../components/forms/fields.tsx'
import { Form } from '../../components/forms/form.tsx'
import { Report } from '../../components/forms/report.tsx'
import { Loaded } from '../../components/page/load-states.tsx'
import { useLive } from '../../components/page/use-live.ts'
import { useLoad } from '../../components/page/use-load.ts'
import { RichText } from '../../components/rich-text/rich-text.tsx'
import { lately } from '../../format.ts'
import { isAdministrator } from '../../roles.ts'
import { t } from '../../texts.ts'

interface DiscussionProps {
  questionId: number
  /** The question as all who discuss it see it, where everybody had other numbers. */
  text?: string | undefined
  /** Called when something was written. */
  recount: () => Promise<void>
}

/** The discussion of one question; new comments appear by themselves. */
export function Discussion({ questionId, text, recount }: DiscussionProps) {
  const path = { params: { path: { question_id: questionId } } }
  const thread = useLoad(questionId, () => ask(client.GET('/api/v01/discussions/{question_id}', path)))
  useLive(
    thread.reload,
    (frame) => frame.type === 'comment' && frame.question_id === questionId,
    `question:${questionId}`,
  )
  const reload = async () => void (await Promise.all([thread.reload(), recount()]))
  return (
    <section class="stack tight" aria-label="Discussion">
      {text !== undefined && (
        <div class="notice stack tight">
          <small>Everybody had numbers of their own. Here the question has the same ones for all:</small>
          <RichText text={text} />
        </div>
      )}
      <Loaded of={thread}>
        {({ comments }) => (
          <>
            {comments.length === 0 && <p class="lead">Nobody has written here yet.</p>}
            <ul class="thread">
              {comments.map((comment) => (
                <Entry key={comment.id} comment={comment} depth={1} reload={reload} />
              ))}
            </ul>
            <Write questionId={questionId} label="Your comment" button="Post" reload={reload} />
          </>
        )}
      </Loaded>
    </section>
  )
}

interface EntryProps {
  comment: Comment
  reload: () => Promise<void>
}

type OpenForm = 'reply' | 'edit' | 'report'

/** Replies that are deeper stand below one another: there is no room for them, and drawing nests as they do. */
const DEEPEST = 8

/** Everything below a comment, in its order. */
function listBelow({ replies }: Comment): Comment[] {
  const found: Comment[] = []
  const waiting = replies.toReversed()
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    found.push(next)
    waiting.push(...next.replies.toReversed())
  }
  return found
}

function Entry({ comment, depth, reload }: EntryProps & { depth: number }) {
  const isDeleted = useStore($beingDeleted).has(`comment-${comment.id}`) || comment.is_deleted
  const [open, setOpen] = useState<OpenForm>()
  const close = () => setOpen(undefined)
  const closeAndReload = () => {
    close()
    return reload()
  }
  return (
    <li>
      <article>
        <p class="row">
          <strong>{comment.username}</strong>
          <small>
            {comment.is_edited
              ? t('{time} · edited', { time: lately(comment.created_at) })
              : lately(comment.created_at)}
          </small>
          {comment.is_pinned && <span class="chip">Pinned</span>}
          {comment.is_best_answer && <span class="chip good">Best answer</span>}
        </p>
        {isDeleted ? <p class="lead">This comment was deleted.</p> : <RichText text={comment.message} />}
        {!isDeleted && (
          <EntryActions
            comment={comment}
            reload={reload}
            toggle={(what) => setOpen(open === what ? undefined : what)}
          />
        )}
        {open === 'reply' && (
          <Write
            questionId={comment.question_id}
            parentId={comment.id}
            label={t('Reply to {name}', { name: comment.username })}
            button="Reply"
            reload={closeAndReload}
          />
        )}
        {open === 'edit' && <EditComment comment={comment} reload={closeAndReload} />}
        {open === 'report' && <Report what="comment" id={comment.id} close={close} />}
      </article>
      {depth <= DEEPEST && comment.replies.length > 0 && (
        <ul class="thread">
          {(depth < DEEPEST ? comment.replies : listBelow(comment)).map((reply) => (
            <Entry key={reply.id} comment={reply} depth={depth + 1} reload={reload} />
          ))}
        </ul>
      )}
    </li>
  )
}

interface EntryActionsProps extends EntryProps {
  toggle: (what: OpenForm) => void
}

/** What the person may do with a comment. */
function EntryActions({ comment, reload, toggle }: EntryActionsProps) {
  const user = client.session.$user.get()
  const isAdmin = user != null && isAdministrator(user)
  const path = { params: { path: { id: comment.id } } }
  return (
    <p class="row">
      <button type="button" class="quiet small" onClick={() => toggle('reply')}>
        Reply
      </button>
      {comment.is_own && (
        <button type="button" class="quiet small" onClick={() => toggle('edit')}>
          Edit
        </button>
      )}
      {(comment.is_own || isAdmin) && (
        <button
          type="button"
          class="quiet small"
          onClick={() =>
            deleteSoon(`comment-${comment.id}`, t('Comment deleted'), async () => {
              await ask(client.DELETE('/api/v01/discussions/comments/{id}', { ...path, ...OUTLIVING }))
              await reload()
            })
          }
        >
          Delete
        </button>
      )}
      {!comment.is_own && (
        <button type="button" class="quiet small" onClick={() => toggle('report')}>
          Report
        </button>
      )}
      {isAdmin && (
        <>
          <Action
            class="quiet small"
            act={async () => {
              const body = { is_pinned: !comment.is_pinned }
              await ask(client.POST('/api/v01/discussions/comments/{id}/pin', { ...path, body }))
              await reload()
            }}
          >
            {comment.is_pinned ? 'Unpin' : 'Pin'}
          </Action>
          <Action
            class="quiet small"
            act={async () => {
              const body = { is_best_answer: !comment.is_best_answer }
              await ask(client.POST('/api/v01/discussions/comments/{id}/best-answer', { ...path, body }))
              await reload()
            }}
          >
            {comment.is_best_answer ? 'Not the best answer' : 'Best answer'}
          </Action>
        </>
      )}
    </p>
  )
}

function EditComment({ comment, reload }: EntryProps) {
  return (
    <Form
      button="Save"
      draft={`comment-edit-${comment.id}`}
      send={async ({ message }) => {
        const path = { params: { path: { id: comment.id } } }
        const body = { message: String(message) }
        await ask(client.PATCH('/api/v01/discussions/comments/{id}', { ...path, body }))
        await reload()
      }}
    >
      <Area label="Your comment" name="message" value={comment.message} required maxLength={4000} />
    </Form>
  )
}

interface WriteProps {
  questionId: number
  parentId?: number
  label: string
  button: string
  reload: () => Promise<void>
}

function Write({ questionId, parentId, label, button, reload }: WriteProps) {
  return (
    <Form
      button={button}
      clears
      draft={`comment-${questionId}-${parentId ?? ''}`}
      send={async ({ message }) => {
        await ask(
          client.POST('/api/v01/discussions/{question_id}', {
            params: { path: { question_id: questionId } },
            body: { message: String(message), ...(parentId ? { parent_id: parentId } : {}) },
          }),
        )
        await reload()
      }}
    >
      <Area
        label={label}
        name="message"
        required
        maxLength={4000}
        hint="LaTeX between dollar signs is drawn."
      />
    </Form>
  )
}
