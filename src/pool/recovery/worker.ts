import { parentPort } from 'node:worker_threads'
import { handleRequest } from './signerBatch.ts'

/** The recovery thread, which handles one request after the other. */
parentPort?.on('message', (request: ArrayBuffer) => {
  const response = handleRequest(request)
  parentPort?.postMessage(response, [response])
})
