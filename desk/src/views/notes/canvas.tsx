import './canvas.css'
import { useEffect, useRef, useState } from 'preact/hooks'
import { ask, client, toFormData } from '../../client.ts'
import { promptForText } from '../../components/dialogs/prompts.tsx'
import { runWithToast } from '../../components/dialogs/toasts.tsx'
import { IMAGE_TYPES } from '../../components/forms/fields.tsx'
import { Loaded } from '../../components/page/load-states.tsx'
import { useLoad } from '../../components/page/use-load.ts'
import { t } from '../../texts.ts'
import { type Asset, Drawing, HEIGHT, type Mark, Stroke, WIDTH } from './drawing.tsx'
import { boxOf, isAt, isAtCorner, REACH, resized, shifted } from './mark-geometry.ts'
import { MarkTools } from './mark-tools.tsx'
import { PageEditor, readPage } from './page-editor.ts'

const COLORS = ['#1d2321', '#1c6b50', '#0b57d0', '#a8241b', '#8a4b00'] as const
const COLOR_NAMES = [t('Black'), t('Green'), t('Blue'), t('Red'), t('Brown')]
const TEXT_SIZE = 36
/** Where something begins that was placed without a pointer. */
const LEFT_EDGE = 60

type Tool = 'pen' | 'text' | 'move' | 'erase'
const TOOLS: [Tool, string][] = [
  ['pen', t('Pen')],
  ['text', t('Text')],
  ['move', t('Move')],
  ['erase', t('Erase')],
]

/** A page to draw on, with pen, text, pictures and undo. It is saved automatically. */
export function Canvas({ page }: { page: { id: number; version: number } }) {
  const found = useLoad(page.id, () => readPage(page.id))
  return (
    <Loaded of={found}>
      {(read) => <Board key={`${page.id} ${read.version}`} pageId={page.id} read={read} />}
    </Loaded>
  )
}

type LoadedPage = Awaited<ReturnType<typeof readPage>>

function Board({ pageId, read }: { pageId: number; read: LoadedPage }) {
  const editor = useRef<PageEditor>(undefined)
  editor.current ??= new PageEditor(pageId, read)
  const [{ marks, saving, clashes, canUndo, canRedo }, setState] = useState(editor.current.state)
  const [assets, setAssets] = useState<readonly Asset[]>(read.assets)
  const [tool, setTool] = useState<Tool>('pen')
  const [color, setColor] = useState<string>(COLORS[0])
  const [drawn, setDrawn] = useState<Extract<Mark, { kind: 'stroke' }>>()
  /** What is being moved or resized: the mark as it was, where that began, and how it is now. */
  const [held, setHeld] = useState<{ mark: Mark; x: number; y: number; isResize: boolean; now: Mark }>()
  const [selectedId, setSelectedId] = useState<string>()
  /** Once a pen was used, a hand that rests on the screen draws and erases nothing. */
  const hasPen = useRef(false)
  /** What draws or holds a mark now: only this goes on with it and ends it. */
  const atWork = useRef<{ id: number; isPen: boolean }>(undefined)
  const svg = useRef<SVGSVGElement>(null)
  useEffect(() => editor.current?.listen(setState), [])
  useEffect(() => {
    const save = () => void editor.current?.save()
    addEventListener('online', save)
    return () => {
      removeEventListener('online', save)
      save()
    }
  }, [])
  const change = (next: readonly Mark[]) => editor.current?.change(next)
  const selected = marks.find(({ id }) => id === selectedId)
  const replace = (id: string, next: Mark) => change(marks.map((each) => (each.id === id ? next : each)))
  useKeys((event) => {
    const isCommand = event.ctrlKey || event.metaKey
    if (isCommand && event.key.toLowerCase() === 'z') {
      if (event.shiftKey) editor.current?.redo()
      else editor.current?.undo()
      return true
    }
    const step = ARROWS[event.key]
    if (!selected || isCommand || tool !== 'move') return false
    if (step) replace(selected.id, shifted(selected, step[0] * STEP, step[1] * STEP))
    else if (event.key === 'Delete' || event.key === 'Backspace') remove(selected)
    else if (event.key === 'Escape') setSelectedId(undefined)
    else return false
    return true
  })

  function remove(mark: Mark) {
    change(marks.filter((each) => each !== mark))
    setSelectedId(undefined)
  }
  function place(event: PointerEvent): [number, number] {
    const box = svg.current?.getBoundingClientRect()
    if (!box) return [0, 0]
    return [
      Math.round(((event.clientX - box.left) / box.width) * WIDTH),
      Math.round(((event.clientY - box.top) / box.height) * HEIGHT),
    ]
  }
  function down(event: PointerEvent) {
    const isPen = event.pointerType === 'pen'
    if (isPen) hasPen.current = true
    const isHand = event.pointerType === 'touch' && hasPen.current && (tool === 'pen' || tool === 'erase')
    const isTaken = atWork.current && (atWork.current.isPen || !isPen)
    if (!event.isPrimary || isHand || isTaken) return
    // A pen takes over from the hand that came before it.
    stop()
    const [x, y] = place(event)
    if (tool === 'text') return void write(x, y)
    svg.current?.setPointerCapture(event.pointerId)
    atWork.current = { id: event.pointerId, isPen }
    if (tool === 'pen') {
      const pressures = event.pointerType === 'pen' ? { pressures: [event.pressure] } : {}
      return setDrawn({
        id: client.platform.uuid(),
        kind: 'stroke',
        color,
        width: 4,
        points: [x, y],
        ...pressures,
      })
    }
    if (selected && tool === 'move' && isAtCorner(selected, x, y))
      return setHeld({ mark: selected, x, y, isResize: true, now: selected })
    const mark = marks.findLast((each) => isAt(each, x, y))
    if (tool === 'erase') return mark && remove(mark)
    setSelectedId(mark?.id)
    if (mark) setHeld({ mark, x, y, isResize: false, now: mark })
  }
  function move(event: PointerEvent) {
    // Also one that only hovers as yet.
    if (event.pointerType === 'pen') hasPen.current = true
    if (event.pointerId !== atWork.current?.id) return
    if (held) {
      const [x, y] = place(event)
      const now = held.isResize ? resized(held.mark, x) : shifted(held.mark, x - held.x, y - held.y)
      return setHeld({ ...held, now })
    }
    if (!drawn) return
    // Browsers have it in secure contexts alone.
    const events = event.getCoalescedEvents?.() ?? []
    const parts = events.length > 0 ? events : [event]
    setDrawn({
      ...drawn,
      points: [...drawn.points, ...parts.flatMap((each) => place(each))],
      ...(drawn.pressures
        ? { pressures: [...drawn.pressures, ...parts.map(({ pressure }) => pressure)] }
        : {}),
    })
  }
  function up(event: PointerEvent) {
    if (event.pointerId !== atWork.current?.id) return
    if (drawn) change([...marks, drawn])
    if (held && JSON.stringify(held.now) !== JSON.stringify(held.mark)) replace(held.mark.id, held.now)
    stop()
  }
  function stop() {
    atWork.current = undefined
    setDrawn(undefined)
    setHeld(undefined)
  }
  /** How far down a page is free, for something of this height; else near its top. */
  function findRoom(height: number): number {
    const below = Math.max(0, ...(editor.current?.state.marks ?? []).map((mark) => boxOf(mark).bottom)) + 40
    return below + height < HEIGHT ? below : 60
  }
  async function write(x: number, y: number) {
    const text = await promptForText(t('Text'), t('Insert'), {
      label: t('Text to insert'),
      isLong: true,
      draft: `page-text-${pageId}`,
    })
    const { current } = editor
    if (!text || !current) return
    const mark = { id: client.platform.uuid(), kind: 'text' as const, color, x, y, size: TEXT_SIZE, text }
    current.change([...current.state.marks, mark])
  }
  async function rewrite(mark: Extract<Mark, { kind: 'text' }>) {
    const text = await promptForText(t('Text'), t('Save'), {
      label: t('Text'),
      value: mark.text,
      isLong: true,
      draft: `page-text-${mark.id}`,
    })
    if (text) replace(mark.id, { ...mark, text })
  }
  async function addImage(file: File) {
    const body = toFormData({ image: file })
    const { asset } = await ask(
      client.POST('/api/v01/pages/{id}/assets', { params: { path: { id: pageId } }, body }),
    )
    setAssets((before) => [...before, asset])
    const { current } = editor
    if (!current) return
    const scale = Math.min(1, 600 / asset.width)
    const size = { width: Math.round(asset.width * scale), height: Math.round(asset.height * scale) }
    const place = { x: LEFT_EDGE, y: findRoom(size.height) }
    const mark = {
      id: client.platform.uuid(),
      kind: 'image' as const,
      asset_id: asset.id,
      ...place,
      ...size,
    }
    // Below everything else: a picture never covers what was written.
    current.change([mark, ...current.state.marks])
    setTool('move')
    setSelectedId(mark.id)
  }
  const shown = held ? marks.map((each) => (each.id === held.mark.id ? held.now : each)) : marks
  const framed = held?.now ?? selected

  return (
    <section class="board" aria-label="Page">
      <div class="row tools" role="toolbar" aria-label="Tools">
        {TOOLS.map(([key, text]) => (
          <button
            key={key}
            type="button"
            class="small"
            aria-pressed={tool === key}
            onClick={() => {
              setTool(key)
              setSelectedId(undefined)
            }}
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
          {clashes.length === 0 &&
            {
              saved: t('Saved'),
              waiting: t('Saving…'),
              failed: t('Kept on this device; saved as soon as the service can be reached'),
            }[saving]}
        </small>
      </div>
      {tool === 'text' && (
        <div class="row">
          <button
            type="button"
            class="small"
            onClick={() => void write(LEFT_EDGE, findRoom(TEXT_SIZE) + TEXT_SIZE)}
          >
            Insert a text
          </button>
          <small>Or click where it begins</small>
        </div>
      )}
      {tool === 'move' && marks.length > 0 && (
        <MarkTools
          marks={marks}
          selected={selected}
          select={setSelectedId}
          change={change}
          rewrite={rewrite}
          remove={remove}
        />
      )}
      {clashes.length > 0 && (
        <div class="notice warn" role="alert">
          <p>
            {t(
              '{count, plural, one {A mark was changed here and on another device. Theirs is shown pale.} other {# marks were changed here and on another device. Theirs are shown pale.}} All else of both is kept.',
              { count: clashes.length },
            )}
          </p>
          <p class="row">
            <button type="button" class="small" onClick={() => editor.current?.settle('mine')}>
              Keep mine
            </button>
            <button type="button" class="small" onClick={() => editor.current?.settle('theirs')}>
              Keep the other device’s
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
        onLostPointerCapture={({ pointerId }) => pointerId === atWork.current?.id && stop()}
      >
        <Drawing marks={shown} assets={assets} />
        <g class="other">
          <Drawing marks={clashes.flatMap(({ theirs }) => theirs ?? [])} assets={assets} />
        </g>
        {drawn && <Stroke mark={drawn} />}
        {framed && tool === 'move' && <Frame mark={framed} />}
      </svg>
    </section>
  )
}

function describe(marks: readonly Mark[]): string {
  const texts = marks.flatMap((mark) => (mark.kind === 'text' ? [mark.text] : []))
  const count = marks.length
  return texts.length > 0
    ? t('A page with {count, plural, one {# mark} other {# marks}}: {texts}', {
        count,
        texts: texts.join('; '),
      })
    : t('A page with {count, plural, one {# mark} other {# marks}}', { count })
}

/** Calls `press` for keys that are pressed anywhere on the page but in fields and dialogs; `true`: it was for us. */
function useKeys(press: (event: KeyboardEvent) => boolean): void {
  const latest = useRef(press)
  latest.current = press
  useEffect(() => {
    const listen = (event: KeyboardEvent) => {
      const isElsewhere =
        event.target instanceof Element &&
        event.target.closest('input:not([type=file]), textarea, select, dialog')
      if (!isElsewhere && latest.current(event)) event.preventDefault()
    }
    addEventListener('keydown', listen)
    return () => removeEventListener('keydown', listen)
  }, [])
}

const ARROWS: Record<string, readonly [number, number]> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
}
const STEP = 10

/** The frame of what is selected, with the corner by which it is resized. */
function Frame({ mark }: { mark: Mark }) {
  const { left, top, right, bottom } = boxOf(mark)
  return (
    <g class="frame">
      <rect x={left} y={top} width={right - left} height={bottom - top} />
      {mark.kind !== 'stroke' && <circle cx={right} cy={bottom} r={REACH} />}
    </g>
  )
}
