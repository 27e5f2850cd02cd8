import { parseArgs } from 'node:util'
import { benchAssistant } from './assistant.ts'
import { benchExam } from './exam.ts'
import { benchFanOut } from './fan-out.ts'
import { benchSends } from './send.ts'
import { benchSlowReader } from './slow-reader.ts'

/** `npm run bench -- [send] [fan-out] … [--rounds=5] [--seconds=4]`: tables for docs/benchmarks.md. */
const BENCHMARKS = {
  send: benchSends,
  'fan-out': benchFanOut,
  'slow-reader': benchSlowReader,
  exam: benchExam,
  assistant: benchAssistant,
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '4' },
  },
})
for (const [name, benchmark] of Object.entries(BENCHMARKS))
  if (positionals.length === 0 || positionals.includes(name))
    console.log(await benchmark(Number(values.rounds), Number(values.seconds)))
