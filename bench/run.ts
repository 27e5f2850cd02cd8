import { parseArgs } from 'node:util'
import { benchAssistant } from './assistant.ts'
import { benchAttacks } from './attacks.ts'
import { benchClassPages } from './class-pages.ts'
import { benchDirect } from './direct.ts'
import { benchExam } from './exam.ts'
import { benchExamLadder } from './exam-ladder.ts'
import { benchExamMorning } from './exam-morning.ts'
import { benchFanOut } from './fan-out.ts'
import { benchGeneration } from './generation.ts'
import { benchGrowth } from './growth.ts'
import { benchIdle } from './idle.ts'
import { benchLiveRoom } from './live-room.ts'
import { benchMaterials } from './materials.ts'
import { type Ratio, summariseFindings } from './measure.ts'
import { benchNodes } from './nodes.ts'
import { benchNotices } from './notices.ts'
import { benchPractice } from './practice.ts'
import { benchPushes } from './pushes.ts'
import { turnRatchet } from './ratchet.ts'
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
    ratchet: { type: 'boolean', default: false },
  },
})

/**
 * `npm run bench -- [names] [--rounds=5] [--seconds=4]`: a section for each benchmark, then one table of all.
 * `exam-morning` takes `--students=1000,10000 --minutes=2` instead, and runs only when it is named. `start` compares
 * with the checkout in `--against=<folder>`. `--ratchet` runs those that have rows in `ratchet.json`, and fails if one
 * of these has become worse by more than its spread.
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
  generation: benchGeneration,
  pushes: benchPushes,
  notices: benchNotices,
  reads: benchReads,
  search: benchSearch,
  materials: benchMaterials,
  requests: benchRequests,
  exam: benchExam,
  'live-room': benchLiveRoom,
  'exam-ladder': benchExamLadder,
  'exam-morning': () => benchExamMorning(values.students.split(',').map(Number), Number(values.minutes)),
  school: benchSchool,
  'class-pages': benchClassPages,
  practice: benchPractice,
  assistant: benchAssistant,
  attacks: benchAttacks,
  start: (rounds: number) => benchStart(rounds, values.against),
}

/** What a change can make slower for everybody; the values are ratios that a busy machine distorts little. */
const RATCHETED = ['send', 'fan-out', 'idle', 'storm', 'exam']

function isChosen(name: string): boolean {
  if (positionals.length > 0) return positionals.includes(name)
  return values.ratchet ? RATCHETED.includes(name) : name !== 'exam-morning'
}

const findings = []
const ratios: Ratio[] = []
for (const [name, benchmark] of Object.entries(BENCHMARKS))
  if (isChosen(name)) {
    const report = await benchmark(Number(values.rounds), Number(values.seconds))
    console.log(report.text)
    findings.push(...report.findings)
    ratios.push(...(report.ratios ?? []))
  }
console.log(`### All\n\n${summariseFindings(findings)}`)
if (values.ratchet) {
  const { text, worse } = turnRatchet(ratios)
  console.log(`### Ratchet\n\n${text}`)
  if (worse.length > 0) {
    console.error(`worse by more than its spread: ${worse.join(', ')}`)
    process.exitCode = 1
  }
}
