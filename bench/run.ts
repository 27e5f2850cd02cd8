import { parseArgs } from 'node:util'
import { benchAssistant } from './assistant.ts'
import { benchAttacks } from './attacks.ts'
import { benchClassPages } from './class-pages.ts'
import { benchDirect } from './direct.ts'
import { benchExam } from './exam.ts'
import { benchExamLadder } from './exam-ladder.ts'
import { benchExamMorning } from './exam-morning.ts'
import { benchFanOut } from './fan-out.ts'
import { benchGrowth } from './growth.ts'
import { benchIdle } from './idle.ts'
import { summariseFindings } from './measure.ts'
import { benchNodes } from './nodes.ts'
import { benchPractice } from './practice.ts'
import { benchPushes } from './pushes.ts'
import { benchReads } from './reads.ts'
import { benchRequests } from './requests.ts'
import { benchSchool } from './school.ts'
import { benchSearch } from './search.ts'
import { benchSends } from './send.ts'
import { benchSlowReader } from './slow-reader.ts'
import { benchStart } from './start.ts'
import { benchStorm } from './storm.ts'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '4' },
    students: { type: 'string', default: '1000,10000' },
    minutes: { type: 'string', default: '2' },
    against: { type: 'string' },
  },
})

/**
 * `npm run bench -- [names] [--rounds=5] [--seconds=4]`: a section for each benchmark, then one table of all.
 * `exam-morning` takes `--students=1000,10000 --minutes=2` instead, and runs only when it is named. `start` compares
 * with the checkout in `--against=<folder>`.
 */
const BENCHMARKS = {
  send: benchSends,
  'fan-out': benchFanOut,
  direct: benchDirect,
  nodes: benchNodes,
  'slow-reader': benchSlowReader,
  idle: benchIdle,
  storm: benchStorm,
  growth: benchGrowth,
  pushes: benchPushes,
  reads: benchReads,
  search: benchSearch,
  requests: benchRequests,
  exam: benchExam,
  'exam-ladder': benchExamLadder,
  'exam-morning': () => benchExamMorning(values.students.split(',').map(Number), Number(values.minutes)),
  school: benchSchool,
  'class-pages': benchClassPages,
  practice: benchPractice,
  assistant: benchAssistant,
  attacks: benchAttacks,
  start: (rounds: number) => benchStart(rounds, values.against),
}

const findings = []
for (const [name, benchmark] of Object.entries(BENCHMARKS))
  if (positionals.length === 0 ? name !== 'exam-morning' : positionals.includes(name)) {
    const report = await benchmark(Number(values.rounds), Number(values.seconds))
    console.log(report.text)
    findings.push(...report.findings)
  }
console.log(`### All\n\n${summariseFindings(findings)}`)
