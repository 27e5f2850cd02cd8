import './canvas.css'
import { useEffect, useRef, useState } from 'preact/hooks'
import { ask, client, toFormData } from '../../client.ts'
import { promptForText } from '../../components/dialogs/prompts.tsx'
import { runWithToast } from '../../components/dialogs/toasts.tsx'
import { IMAGE_TYPES } from '../../components/forms/fields.tsx'
import { Loaded } from '../../components/page/load-states.tsx'
import { useLoad } from '../../components/page/use-load.ts'
import { plural } from '../../format.ts'
import { type Asset, Drawing, HEIGHT, type Mark, Stroke, WIDTH } from './drawing.tsx'
import { PageEditor, readPage } from './page-editor.ts'

const COLORS = ['#1d2321', '#1c6b50', '#0b57d0', '#a8241b', '#8a4b00'] as const
const COLOR_NAMES = ['Black', 'Green', 'Blue', 'Red', 'Brown']
const TEXT_SIZE = 36

type Tool = 'pen' | 'text' | 'move' | 'erase'
const TOOLS: [Tool, string][] = [
  ['pen', 'Pen'],
  ['text', 'Text'],
  ['move', 'Move'],
  ['erase', 'Erase'],
]

/** A page to draw on, with pen, text, pictures and undo. It is saved automatically. */
export function Canvas({ page }: { page: { id: number; version: number } }) {
  const found = useLoad(page.id, () => readPage(page.id))
  return (
    <Loaded of={found}>
      {(read) => (
        <Board key={`${page.id} ${read.version}`} pageId={page.id} read={read} reload={found.reload} />
      )}
    </Loaded>
  )
}

type Read = Awaited<ReturnType<typeof readPage>>

function Board({ pageId, read, reload }: { pageId: number; read: Read; reload: () => Promise<void> }) {
  const editor = useRef<PageEditor>(undefined)
  editor.current ??= new PageEditor(pageId, read)
  const [{ marks, saving, canUndo, canRedo }, setState] = useState(editor.current.state)
  const [assets, setAssets] = useState<readonly Asset[]>(read.assets)
  const [tool, setTool] = useState<Tool>('pen')
  const [color, setColor] = useState<string>(COLORS[0])
  const [drawn, setDrawn] = useState<Extract<Mark, { kind: 'stroke' }>>()
  const held = useRef<{ mark: Mark; x: number; y: number } | undefined>(undefined)
  const svg = useRef<SVGSVGElement>(null)
  useEffect(() => editor.current?.listen(setState), [])
  useEffect(() => () => void editor.current?.save(), [])
  const change = (next: readonly Mark[]) => editor.current?.change(next)

  function place(event: PointerEvent): [number, number] {
    const box = svg.current?.getBoundingClientRect()
    if (!box) return [0, 0]
    return [
      Math.round(((event.clientX - box.left) / box.width) * WIDTH),
      Math.round(((event.clientY - box.top) / box.height) * HEIGHT),
    ]
  }
  function down(event: PointerEvent) {
    const [x, y] = place(event)
    if (tool === 'pen') {
      svg.current?.setPointerCapture(event.pointerId)
      setDrawn({ id: client.platform.uuid(), kind: 'stroke', color, width: 4, points: [x, y] })
    } else if (tool === 'text') {
      void write(x, y)
    } else {
      const mark = marks.findLast((each) => isAt(each, x, y))
      if (mark && tool === 'erase') change(marks.filter((each) => each !== mark))
      if (mark && tool === 'move') held.current = { mark, x, y }
    }
  }
  function move(event: PointerEvent) {
    if (!drawn) return
    const points = event.getCoalescedEvents().flatMap((each) => place(each))
    setDrawn({ ...drawn, points: [...drawn.points, ...points] })
  }
  function up(event: PointerEvent) {
    if (drawn) {
      change([
        ...marks,
        drawn.points.length > 2 ? drawn : { ...drawn, points: [...drawn.points, ...drawn.points] },
      ])
      setDrawn(undefined)
    }
    const { current } = held
    held.current = undefined
    if (!current) return
    const [x, y] = place(event)
    change(marks.map((each) => (each === current.mark ? shifted(each, x - current.x, y - current.y) : each)))
  }
  async function write(x: number, y: number) {
    const text = await promptForText('Text', 'Put it here', { label: 'What shall stand here?', isLong: true })
    const { current } = editor
    if (!text || !current) return
    const mark = { id: client.platform.uuid(), kind: 'text' as const, color, x, y, size: TEXT_SIZE, text }
    current.change([...current.state.marks, mark])
  }
  async function addImage(file: File) {
    const body = toFormData({ image: file })
    const { asset } = await ask(
      client.POST('/api/v01/pages/{id}/assets', { params: { path: { id: pageId } }, body }),
    )
    setAssets((before) => [...before, asset])
    const scale = Math.min(1, 600 / asset.width)
    const size = { width: Math.round(asset.width * scale), height: Math.round(asset.height * scale) }
    change([
      ...marks,
      { id: client.platform.uuid(), kind: 'image', asset_id: asset.id, x: 60, y: 60, ...size },
    ])
  }

  return (
    <section
      class="board"
      aria-label="Page"
      onKeyDown={(event) => {
        if (!(event.ctrlKey || event.metaKey) || event.key.toLowerCase() !== 'z') return
        event.preventDefault()
        if (event.shiftKey) editor.current?.redo()
        else editor.current?.undo()
      }}
    >
      <div class="row tools" role="toolbar" aria-label="Tools">
        {TOOLS.map(([key, text]) => (
          <button
            key={key}
            type="button"
            class="small"
            aria-pressed={tool === key}
            onClick={() => setTool(key)}
          >
            {text}
          </button>
        ))}
        <fieldset class="row" aria-label="Colour">
          {COLORS.map((each, index) => (
            <button
              key={each}
              type="button"
              class={`small color c${index}`}
              aria-label={COLOR_NAMES[index]}
              aria-pressed={color === each}
              onClick={() => setColor(each)}
            />
          ))}
        </fieldset>
        <label class="button small">
          Picture
          <input
            class="unseen"
            type="file"
            accept={IMAGE_TYPES}
            onChange={({ currentTarget }) => {
              const file = currentTarget.files?.[0]
              currentTarget.value = ''
              if (file) void runWithToast(() => addImage(file))
            }}
          />
        </label>
        <button type="button" class="small" disabled={!canUndo} onClick={() => editor.current?.undo()}>
          Undo
        </button>
        <button type="button" class="small" disabled={!canRedo} onClick={() => editor.current?.redo()}>
          Redo
        </button>
        <small role="status">
          {
            { saved: 'Saved', waiting: 'Saving…', failed: 'Not saved yet: trying again', conflict: '' }[
              saving
            ]
          }
        </small>
      </div>
      {saving === 'conflict' && (
        <div class="notice warn" role="alert">
          <p>This page was changed on another device. What you drew here since isn’t saved.</p>
          <p class="row">
            <button type="button" class="small" onClick={() => void reload()}>
              Show the other version
            </button>
            <button
              type="button"
              class="small"
              onClick={() => void runWithToast(async () => editor.current?.overwrite())}
            >
              Keep mine
            </button>
          </p>
        </div>
      )}
      <svg
        ref={svg}
        class={`paper ${tool}`}
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        role="img"
        aria-label={describe(marks)}
        onPointerDown={down}
        onPointerMove={move}
        onPointerUp={up}
        onPointerCancel={() => setDrawn(undefined)}
      >
        <Drawing marks={marks} assets={assets} />
        {drawn && <Stroke mark={drawn} />}
      </svg>
    </section>
  )
}

function describe(marks: readonly Mark[]): string {
  const texts = marks.flatMap((mark) => (mark.kind === 'text' ? [mark.text] : []))
  return `A page with ${plural(marks.length, 'mark')}${texts.length > 0 ? `: ${texts.join('; ')}` : ''}`
}

const REACH = 14

function isAt(mark: Mark, x: number, y: number): boolean {
  if (mark.kind === 'image')
    return x >= mark.x && x <= mark.x + mark.width && y >= mark.y && y <= mark.y + mark.height
  if (mark.kind === 'text') {
    const lines = mark.text.split('\n')
    const width = Math.max(...lines.map(({ length }) => length)) * mark.size * 0.6
    return (
      x >= mark.x - REACH &&
      x <= mark.x + width &&
      y >= mark.y - mark.size &&
      y <= mark.y + (lines.length - 1) * mark.size * 1.3 + REACH
    )
  }
  for (let at = 0; at + 1 < mark.points.length; at += 2)
    if (Math.hypot((mark.points[at] ?? 0) - x, (mark.points[at + 1] ?? 0) - y) < REACH * 2) return true
  return false
}

function shifted(mark: Mark, dx: number, dy: number): Mark {
  if (mark.kind !== 'stroke') return { ...mark, x: mark.x + dx, y: mark.y + dy }
  return { ...mark, points: mark.points.map((value, index) => value + (index % 2 === 0 ? dx : dy)) }
}
