/**
 * Tries the model that is set (docs/ai.md) and says how well it does, so that models can be compared:
 * `npm run eval -- tutor --out FILE`, which `tutor` may be left out of, and `npm run eval -- generation --pdf FILE`,
 * which writes about a `--topic` without a file. It needs no data of the service: its database is its own.
 */
import { writeFile } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import { createWorld } from '../bench/world.ts'
import { evaluateGeneration } from './eval/generation.ts'
import { evaluateTutor } from './eval/tutor.ts'

const USAGE = `npm run eval -- [tutor] [--out FILE]
npm run eval -- generation [--pdf FILE | --topic TEXT] [--questions 20] [--out FILE]
`

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    pdf: { type: 'string' },
    topic: { type: 'string', default: 'Newton’s laws of motion' },
    questions: { type: 'string', default: '20' },
    out: { type: 'string' },
  },
})
const [subject = 'tutor', ...others] = positionals
if (others.length > 0 || !['tutor', 'generation'].includes(subject)) {
  process.stderr.write(USAGE)
  process.exit(2)
}
const settings = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => /^(ANTHROPIC|AI)_/.test(name)),
) as Record<string, string>
if (!settings.ANTHROPIC_API_KEY && !settings.ANTHROPIC_BASE_URL) {
  process.stdout.write('There is no model: set ANTHROPIC_API_KEY, or ANTHROPIC_BASE_URL (docs/ai.md).\n')
  process.exit(0)
}

const world = await createWorld()
try {
  const { url } = await world.start('service', settings)
  const { pdf, topic, questions } = values
  const report =
    subject === 'tutor'
      ? await evaluateTutor(world, url)
      : await evaluateGeneration(world, url, { pdf, topic, questions: Number(questions) })
  process.stdout.write(report)
  if (values.out) await writeFile(values.out, report)
} finally {
  await world.close()
}
