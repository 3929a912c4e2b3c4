import { parentPort, workerData } from 'node:worker_threads'
import { serveThread } from '../../base/threads/threadRpc.ts'
import { type CallWorkerOptions, createCallService } from './callService.ts'

/** The entry point of a call worker's thread. */
if (parentPort === null) throw new Error('callWorker runs as a worker')
serveThread(parentPort, createCallService(workerData as CallWorkerOptions))
