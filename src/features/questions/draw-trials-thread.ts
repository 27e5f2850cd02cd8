import { parentPort } from 'node:worker_threads'
import { listTried, tryDraws } from './draw-trial.ts'
import type { FromTrialThread, ToTrialThread } from './draw-trials.ts'

const port = parentPort
if (!port) throw new Error('this file is the entry of a worker thread')
port.on('message', (task: ToTrialThread) => port.postMessage(answer(task)))
port.postMessage('ready')

function answer(task: ToTrialThread): FromTrialThread {
  const { question } = task
  try {
    return task.does === 'try'
      ? { trial: tryDraws(question) }
      : { listed: listTried(question, task.count, task.seed) }
  } catch (error) {
    return { failure: error instanceof Error ? (error.stack ?? error.message) : String(error) }
  }
}
