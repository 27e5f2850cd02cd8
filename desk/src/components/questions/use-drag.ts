import { useEffect, useRef, useState } from 'preact/hooks'

/** From here to the upper or lower edge of the window, the page scrolls under what is dragged. */
const EDGE_PX = 56
const SCROLL_PX = 14

interface Drag {
  dragged: string
  /** The place under the pointer. */
  over: string | undefined
}

/**
 * Dragging by mouse, pen and finger. What is dragged has `data-dragged`, where it can be dropped `data-place`. Escape
 * calls it off.
 */
export function useDrag(drop: (dragged: string, place: string) => void) {
  const [drag, setDrag] = useState<Drag>()
  const stop = useRef<() => void>(undefined)
  const latest = useRef(drop)
  latest.current = drop
  useEffect(() => () => stop.current?.(), [])
  function begin(event: PointerEvent) {
    const moved = (event.target as Element).closest<HTMLElement>('[data-dragged]')
    const dragged = moved?.dataset.dragged
    if (event.defaultPrevented || event.button !== 0 || !moved || dragged === undefined) return
    // Nothing is selected meanwhile.
    event.preventDefault()
    const listening = new AbortController()
    const from = { x: event.pageX, y: event.pageY }
    let over: string | undefined
    const end = () => {
      listening.abort()
      moved.style.removeProperty('transform')
      setDrag(undefined)
    }
    stop.current?.()
    stop.current = end
    const on = <K extends keyof WindowEventMap>(type: K, listener: (event: WindowEventMap[K]) => void) =>
      addEventListener(type, listener, { signal: listening.signal })
    on('pointermove', (at) => {
      if (at.pointerId !== event.pointerId) return
      if (at.clientY < EDGE_PX) scrollBy(0, -SCROLL_PX)
      else if (at.clientY > innerHeight - EDGE_PX) scrollBy(0, SCROLL_PX)
      const y = at.clientY + scrollY
      moved.style.transform = `translate(${at.clientX + scrollX - from.x}px, ${y - from.y}px)`
      const places = document.elementsFromPoint(at.clientX, at.clientY)
      over = places
        .map((each) => each.closest<HTMLElement>('[data-place]'))
        .find((each) => each && each !== moved)?.dataset.place
      setDrag({ dragged, over })
    })
    on('pointerup', (at) => {
      if (at.pointerId !== event.pointerId) return
      end()
      if (over !== undefined) latest.current(dragged, over)
    })
    on('pointercancel', end)
    on('keydown', ({ key }) => key === 'Escape' && end())
  }
  return {
    /** For the grip, and for the whole thing where a mouse is used: a finger there scrolls the page. */
    grip: { onPointerDown: begin },
    whole: { onPointerDown: (event: PointerEvent) => event.pointerType === 'mouse' && begin(event) },
    drag,
  }
}
