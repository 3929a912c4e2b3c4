import { parentPort } from 'node:worker_threads'
import { handleRequest } from './signerBatch.ts'

/** The recovery thread: one question after the other, answered in order. */
parentPort?.on('message', (question: ArrayBuffer) => {
  const answer = handleRequest(question)
  parentPort?.postMessage(answer, [answer])
})
