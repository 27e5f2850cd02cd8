import { useLayoutEffect, useRef } from 'preact/hooks'

/**
 * Shortcuts by single keys, named in upper case. In text fields and in combination with others, keys are left alone.
 */
export function useKeys(keys: Readonly<Record<string, () => void>>): void {
  const latest = useRef(keys)
  latest.current = keys
  // Before the next key: they can come faster than the page is painted.
  useLayoutEffect(() => {
    const press = (event: KeyboardEvent) => {
      const isTyping =
        event.target instanceof HTMLElement &&
        event.target.matches('input:not([type=radio], [type=checkbox]), textarea, select')
      const act = latest.current[event.key.toUpperCase()]
      if (!act || isTyping || event.repeat || event.ctrlKey || event.metaKey || event.altKey) return
      event.preventDefault()
      act()
    }
    addEventListener('keydown', press)
    return () => removeEventListener('keydown', press)
  }, [])
}
