import { parentPort, workerData } from 'node:worker_threads'
import { serveThread } from '../../base/threads/threadRpc.ts'
import { createQuestionService, type QuestionWorkerOptions } from './questionService.ts'

/** The entry point of a worker's thread that runs calls on proven states. */
if (parentPort === null) throw new Error('questionWorker runs as a worker')
serveThread(parentPort, createQuestionService(workerData as QuestionWorkerOptions))
