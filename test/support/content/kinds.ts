import { expect } from 'vitest'
import type { Client } from '../client.ts'

/** A question of each kind, as a teacher writes it; each has an explanation. */
export const OF_EVERY_KIND = [
  {
    question_text: 'Which is **prime**?',
    option_a: '4',
    option_b: '$7$',
    option_c: '9',
    more_options: ['15', '21'],
    correct_answer: 'B',
    explanation: 'Seven has only two divisors: $1$ and $7$.',
  },
  {
    question_type: 'MSQ',
    question_text: 'Which are even?',
    option_a: '1',
    option_b: '2',
    option_c: '3',
    option_d: '5',
    more_options: ['6'],
    correct_answer: 'B,E',
    explanation: 'Two divides them.',
  },
  {
    question_type: 'NUMERIC',
    question_text: 'What is $\\pi$?',
    correct_answer: '3.14',
    tolerance: 0.01,
    explanation: 'Archimedes knew.',
  },
  {
    question_type: 'SHORT',
    question_text: 'What is green and grows?',
    correct_answer: 'grass\n%50%a tree',
    explanation: 'A meadow is full of it.',
  },
  {
    question_type: 'MATCHING',
    question_text: 'Where do they stand?',
    parts: {
      pairs: [
        { prompt: 'Eiffel Tower', match: 'Paris' },
        { prompt: 'Colosseum', match: 'Rome' },
      ],
      distractors: ['Oslo'],
    },
    explanation: 'Both are capitals.',
  },
  {
    question_type: 'ORDERING',
    question_text: 'From small to large',
    parts: { items: ['ant', 'cat', 'cow', 'whale'] },
    explanation: 'By weight.',
  },
  {
    question_type: 'GAPS',
    question_text: 'Roses are [[1]], violets are [[2]]; two and two are [[3]]. Also $x = [[4]]$.',
    parts: {
      gaps: [
        { kind: 'text', accepted: ['red', 'crimson'] },
        { kind: 'choice', choices: ['blue', 'green'], correct: 0 },
        { kind: 'number', key: '4', tolerance: 0 },
        { kind: 'text', accepted: ['y'] },
      ],
    },
    explanation: 'As the song goes.',
  },
  {
    question_type: 'FORMULA',
    question_text: 'How far does it fall in the time $t$?',
    correct_answer: 'g*t^2/2',
    parts: { symbols: [{ name: 'g', from: '9', to: '10' }, { name: 't' }] },
    explanation: 'From $v = gt$.',
  },
]

/** A published exam with a question of each kind. */
export async function createExamOfKinds(
  admin: Client,
  settings: Record<string, unknown> = {},
): Promise<{ examId: number; questionIds: number[] }> {
  const exam = { name: 'Of every kind', is_published: true, msq_scoring: 'partial' as const, ...settings }
  const examId = (await admin.post('/api/v01/admin/exams', exam, 201)).body.exam.id
  const body = { exam_id: examId, questions: OF_EVERY_KIND }
  const { added } = (await admin.post('/api/v01/admin/questions/bulk-add', body, 201)).body
  expect(added).toBe(OF_EVERY_KIND.length)
  const { questions } = (await admin.get(`/api/v01/admin/questions?exam_id=${examId}` as const, 200)).body
  return { examId, questionIds: questions.map(({ id }) => id) }
}
