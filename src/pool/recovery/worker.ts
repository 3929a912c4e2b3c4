import { parentPort } from 'node:worker_threads'
import { answerQuestion } from './signerBatch.ts'

/** The recovery thread: one question after the other, answered in order. */
parentPort?.on('message', (question: ArrayBuffer) => {
  const answer = answerQuestion(question)
  parentPort?.postMessage(answer, [answer])
})
