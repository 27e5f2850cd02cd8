import { atom } from 'nanostores'

export type Theme = 'auto' | 'light' | 'dark'
const KEY = 'exam-practice:theme'

export const $theme = atom<Theme>('auto')

export function applyTheme(): void {
  // Browsers can deny pages all storage.
  try {
    $theme.set((localStorage.getItem(KEY) as Theme | null) ?? 'auto')
  } catch {}
  $theme.subscribe((theme) => {
    document.documentElement.dataset.theme = theme
  })
}

export function setTheme(theme: Theme): void {
  $theme.set(theme)
  try {
    localStorage.setItem(KEY, theme)
  } catch {}
}
