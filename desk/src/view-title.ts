import { atom } from 'nanostores'

/** The title of the current view. */
export const $title = atom('Exam Practice')
