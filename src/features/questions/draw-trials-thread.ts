import { parentPort } from 'node:worker_threads'
import { tryDraws } from './draw-trial.ts'
import type { FromTrialThread, ToTrialThread } from './draw-trials.ts'

const port = parentPort
if (!port) throw new Error('this file is the entry of a worker thread')
port.on('message', (question: ToTrialThread) => port.postMessage(answer(question)))
port.postMessage('ready')

function answer(question: ToTrialThread): FromTrialThread {
  try {
    return { trial: tryDraws(question) }
  } catch (error) {
    return { failure: error instanceof Error ? (error.stack ?? error.message) : String(error) }
  }
}
