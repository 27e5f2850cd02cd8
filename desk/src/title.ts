import { atom } from 'nanostores'

/** What the view in front is called. */
export const $title = atom('Exam Practice')
