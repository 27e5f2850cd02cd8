import { afterAll } from 'vitest'
import { clockFaults } from './clock.ts'
import { databaseFaults } from './database.ts'
import { diskFaults } from './disk.ts'
import { leavingFaults } from './leaving.ts'
import { isWhole } from './load.ts'
import { nodeFaults } from './nodes.ts'
import { redisFaults } from './redis.ts'
import { tableOf, writeReport } from './report.ts'
import { rows } from './show.ts'
import { slowReaderFaults } from './slow-readers.ts'
import { workFaults } from './work.ts'

nodeFaults()
workFaults()
leavingFaults()
slowReaderFaults()
redisFaults()
databaseFaults()
diskFaults()
clockFaults()

afterAll(async () => {
  process.stdout.write(`\n${tableOf(rows)}\n\n`)
  if (isWhole) await writeReport(rows)
})
