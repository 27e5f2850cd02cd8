import { afterAll } from 'vitest'
import { clockFaults } from './kinds/clock.ts'
import { databaseFaults } from './kinds/database.ts'
import { diskFaults } from './kinds/disk.ts'
import { failoverFaults } from './kinds/failover.ts'
import { leavingFaults } from './kinds/leaving.ts'
import { nodeFaults } from './kinds/nodes.ts'
import { redisFaults } from './kinds/redis.ts'
import { slowReaderFaults } from './kinds/slow-readers.ts'
import { workFaults } from './kinds/work.ts'
import { isWhole } from './load.ts'
import { tableOf, writeReport } from './report.ts'
import { rows } from './show.ts'

nodeFaults()
workFaults()
leavingFaults()
slowReaderFaults()
redisFaults()
databaseFaults()
failoverFaults()
diskFaults()
clockFaults()

afterAll(async () => {
  process.stdout.write(`\n${tableOf(rows)}\n\n`)
  if (isWhole) await writeReport(rows)
})
