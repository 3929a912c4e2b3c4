import { parentPort } from 'node:worker_threads'
import { muteLmdbErrors } from '../../base/lmdb/lmdb.ts'
import { serveThread } from '../../base/threads/threadRpc.ts'
import { createThreadService } from './threadService.ts'

/** The entry point of the application thread. Execution, trie and commit happen here; no other thread writes. */
if (parentPort === null) throw new Error('the application runs as a worker')
muteLmdbErrors()
serveThread(parentPort, createThreadService())
// No call has this number: it tells that the code is loaded, so that a thread that nobody needs may be ended.
parentPort.postMessage({ id: 0, result: undefined })
