/** Places that somebody recognises when the focus is put there. */
const PLACES = 'dialog, article, section, form, main, nav'

/** What had the focus when a dialog was opened. */
const openers = new WeakMap<Element, HTMLElement>()

/** For a dialog that is about to open. */
export function rememberOpener(dialog: HTMLDialogElement): void {
  if (document.activeElement instanceof HTMLElement) openers.set(dialog, document.activeElement)
}

/**
 * Puts the focus back when the focused element goes away or is disabled: to what opened its dialog, else to the nearest
 * place around it that is still there, so that the next Tab goes on from there instead of from the top of the page.
 * Returns a function that ends this.
 */
export function keepFocus(root: HTMLElement): () => void {
  let path: Element[] = []
  const remember = (event: FocusEvent) => {
    path = event.composedPath().filter((each) => each instanceof Element)
  }
  const restore = () => {
    const [last] = path
    if (document.activeElement !== document.body || !last) return
    // A click on the page's background takes the focus away from an element that is still there: as it should.
    if (last.isConnected && !last.matches(':disabled')) return
    const dialog = path.find((each) => each instanceof HTMLDialogElement)
    const opener = dialog && !dialog.isConnected ? openers.get(dialog) : undefined
    if (opener?.isConnected && opener !== document.body && !opener.matches(':disabled'))
      return opener.focus({ preventScroll: true })
    const place = path.find((each) => each !== last && each.isConnected && each.matches(PLACES))
    focusPlace(place instanceof HTMLElement ? place : document.querySelector('main'))
  }
  const observer = new MutationObserver(restore)
  observer.observe(root, { childList: true, subtree: true, attributes: true, attributeFilter: ['disabled'] })
  root.addEventListener('focusin', remember)
  return () => {
    observer.disconnect()
    root.removeEventListener('focusin', remember)
  }
}

/** Focuses something that people can't normally focus. */
export function focusPlace(place: HTMLElement | null): void {
  if (!place) return
  if (!place.hasAttribute('tabindex')) place.tabIndex = -1
  place.focus({ preventScroll: true })
}
