import type { Values, Variable } from '@exam-practice/expressions'

/**
 * What every format is read into, and written from. Texts are CommonMark with LaTeX (`$x^2$`), in which a line end is one;
 * accepted texts, which are typed, are plain.
 */
export type Question = Asked & Task

/** Its texts, key and tolerance have `{@expression@}` where a value of its variables stands. */
export interface Asked {
  /** May be '': the question is in its picture. Of gaps it holds `[[1]]` … where they are. */
  text: string
  /** Why the right answer is right; '' for none. */
  explanation: string
  tags: string[]
  /** What a right answer brings, as decimal text; undefined where the file doesn't say. */
  marks?: string | undefined
  /** Numbers that are drawn for each student, in order. */
  variables?: readonly Variable[]
  /** Which draws there are. */
  conditions?: readonly string[]
}

/** What is asked, with its key. */
export type Task = Choice | NumberEntry | TextEntry | Matching | Ordering | Gaps

/** Options of which one can be chosen, or several: these bring equal parts, and the marks without a wrong one. */
export interface Choice {
  kind: 'choice'
  multiple: boolean
  /** Without a right one there is no key. */
  options: Option[]
}

export interface Option {
  text: string
  isRight: boolean
  /** It stays at its place when the others are shuffled. */
  isFixed?: true
}

export interface NumberEntry {
  kind: 'number'
  /** Decimal text, or one `{@expression@}`; '' for none. */
  key: string
  /** How far an answer may be from it, as decimal text, or one `{@expression@}`. */
  tolerance: string
}

/** A text that is compared with accepted ones. */
export interface TextEntry {
  kind: 'text'
  /** [] for no key. */
  accepted: Accepted[]
  /** The case of letters counts. */
  exactCase?: true
}

export interface Accepted {
  text: string
  /** Of the marks, as decimal text above 0. */
  percent: string
}

/** Each prompt has one match; equal matches are one choice. */
export interface Matching {
  kind: 'matching'
  pairs: { prompt: string; match: string }[]
  /** Choices that match nothing. */
  distractors: string[]
}

export interface Ordering {
  kind: 'ordering'
  /** In the right order. */
  items: string[]
}

/** Each gap is scored by itself, and brings an equal part of the marks. */
export interface Gaps {
  kind: 'gaps'
  gaps: Gap[]
}

export type Gap = TextEntry | NumberEntry | ChoiceGap

export interface ChoiceGap {
  kind: 'choice'
  choices: string[]
  /** The index of the right one. */
  correct: number
}

export interface Image {
  /** With its folders. */
  name: string
  bytes: Uint8Array
  /** What it shows. */
  alt?: string
}

/** One item of a file. */
export type Item = {
  /** Its name in messages to the person who sent the file: `Question 3 (Pendulum)`. */
  label: string
} & ItemContent

export type ItemContent =
  | {
      question: Question
      image?: Image
      /** What the file says of it that a question can't hold, in words for the person who sent the file. */
      lost?: readonly string[]
    }
  /** Why it can't be one of these questions. */
  | { reason: string }
  /** It asks nothing: no question, and no failure. */
  | { note: string }

/** A question to be written. */
export interface ExportedItem {
  /** Letters, digits and hyphens, the file's own. */
  id: string
  /** A name to find it by in the other tool. */
  name: string
  question: Question
  /** Called when the question is written; answers undefined where there is no image. */
  readImage?: () => Promise<Image | undefined>
  /** Draws of its variables for formats that hold a list of them. */
  draws?: () => readonly Values[]
}
