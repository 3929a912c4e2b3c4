import { parentPort, workerData } from 'node:worker_threads'
import { muteLmdbErrors } from '../../base/lmdb/lmdb.ts'
import { serveThread } from '../../base/threads/threadRpc.ts'
import { createFollowService, type FollowerOptions } from './followService.ts'
import type { FollowMessage } from './followThread.ts'
import { createThreadLog } from './threadLog.ts'

/** The follower's thread: blocks are fetched, verified, converted and written only here. */
if (parentPort === null) throw new Error('followWorker runs as a worker')
muteLmdbErrors()
const port = parentPort
const send = (message: FollowMessage): void => port.postMessage(message)
const log = createThreadLog((record) => send({ kind: 'log', ...record }))
const service = createFollowService(
  workerData as FollowerOptions,
  {
    onHead: (head) => send({ kind: 'head', head }),
    onTarget: (height) => send({ kind: 'target', height }),
    onQuarantine: (node, reason, isLie) => send({ kind: 'quarantine', node, reason, isLie }),
    onUntaken: (untaken) => send({ kind: 'untaken', untaken }),
    onUndecoded: (count) => send({ kind: 'undecoded', count }),
    onLie: (lie) => send({ kind: 'lie', lie }),
    onFailure: ({ name, message }) => send({ kind: 'failure', name, message }),
  },
  log,
)
service.catch(({ name, message }: Error) => send({ kind: 'failure', name, message }))
serveThread(port, {
  /** The first call; rejects with the reason if the store cannot be opened. */
  open: async () => (await service).head(),
  stats: async () => (await service).stats(),
  close: async () => (await service).close(),
})
