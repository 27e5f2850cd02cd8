import type { Core } from '../../core.ts'
import { DAY_MS } from '../../formats/local-time.ts'
import { type DemoQuestion, insertAccommodation, insertExamWithQuestions } from './demo.store.ts'

const latex = String.raw

const EXAM = {
  name: 'Physics: a first taste',
  description: 'Nine questions of three kinds, in a quarter of an hour. Take it as often as you like.',
  durationMinutes: 15,
  msqScoring: 'partial',
  isPublished: true,
} as const

const QUESTIONS: DemoQuestion[] = [
  {
    questionText: latex`A ball is thrown straight up at $20\ \mathrm{m/s}$. With $g = 10\ \mathrm{m/s^2}$, how high does it rise?`,
    optionA: latex`$10\ \mathrm{m}$`,
    optionB: latex`$20\ \mathrm{m}$`,
    optionC: latex`$40\ \mathrm{m}$`,
    optionD: latex`$200\ \mathrm{m}$`,
    correctAnswer: 'B',
  },
  {
    questionText: 'Which of these is a vector?',
    optionA: 'Energy',
    optionB: 'Temperature',
    optionC: 'Momentum',
    optionD: 'Electric charge',
    correctAnswer: 'C',
  },
  {
    questionText: latex`Two resistors of $6\ \Omega$ and $3\ \Omega$ are connected in parallel. What is their combined resistance?`,
    optionA: latex`$2\ \Omega$`,
    optionB: latex`$4.5\ \Omega$`,
    optionC: latex`$9\ \Omega$`,
    optionD: latex`$18\ \Omega$`,
    correctAnswer: 'A',
  },
  {
    questionText: latex`A mass on a spring oscillates with the period $T = 2\pi\sqrt{\frac{m}{k}}$. What becomes of $T$ when the mass is made four times as large?`,
    optionA: 'It is halved',
    optionB: 'It stays the same',
    optionC: 'It is four times as long',
    optionD: 'It doubles',
    correctAnswer: 'D',
  },
  {
    questionType: 'MSQ',
    questionText: 'Which of these are units of energy?',
    optionA: 'joule',
    optionB: 'watt',
    optionC: 'kilowatt-hour',
    optionD: 'electronvolt',
    correctAnswer: 'A,C,D',
    negativeMarks: 2,
  },
  {
    questionType: 'MSQ',
    questionText: 'A light ray passes from air into glass. Which of these change?',
    optionA: 'its speed',
    optionB: 'its frequency',
    optionC: 'its wavelength',
    optionD: 'the energy of its photons',
    correctAnswer: 'A,C',
    negativeMarks: 2,
  },
  {
    questionType: 'NUMERIC',
    questionText: latex`A car brakes evenly from $30\ \mathrm{m/s}$ to a stop in $6\ \mathrm{s}$. What is its acceleration in $\mathrm{m/s^2}$, sign included?`,
    correctAnswer: '-5',
    positiveMarks: 3,
    negativeMarks: 0,
  },
  {
    questionType: 'NUMERIC',
    questionText: latex`A pendulum is $1\ \mathrm{m}$ long. With $g = 9.81\ \mathrm{m/s^2}$, what is $T = 2\pi\sqrt{\frac{l}{g}}$ in seconds, to two decimals?`,
    correctAnswer: '2.01',
    tolerance: 0.01,
    positiveMarks: 3,
    negativeMarks: 0,
  },
  {
    questionType: 'NUMERIC',
    questionText: latex`Light travels at $3 \times 10^8\ \mathrm{m/s}$. How many seconds does it take for $1.5 \times 10^{11}\ \mathrm{m}$, from the Sun to the Earth?`,
    correctAnswer: '500',
    tolerance: 1,
    positiveMarks: 3,
    negativeMarks: 0,
  },
]

/** Not published: publishing it is the first step of trying an exam day. */
const EXAM_DAY = {
  name: 'Physics: an exam day',
  description:
    'The same questions, with a window, with more time for Bob, and with tutor, chat and discussions shut meanwhile.',
  durationMinutes: 30,
  resultMode: 'on_release',
  msqScoring: 'partial',
  lockHelp: true,
} as const
const OPEN_FOR_MS = 30 * DAY_MS

/** An exam to try, and one for trying an exam day, at which this person has half as much time more. */
export function seedDemoExams(core: Core, slowReaderId: number): Promise<void> {
  const opensAt = new Date(core.clock())
  const closesAt = new Date(core.clock() + OPEN_FOR_MS)
  return core.db.transaction(async (tx) => {
    await insertExamWithQuestions(tx, EXAM, QUESTIONS)
    const examId = await insertExamWithQuestions(tx, { ...EXAM_DAY, opensAt, closesAt }, QUESTIONS)
    await insertAccommodation(tx, { examId, userId: slowReaderId, extraTimePercent: 50 })
  })
}
