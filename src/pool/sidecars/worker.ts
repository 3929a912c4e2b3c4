import { parentPort } from 'node:worker_threads'
import { serveThread } from '../../base/threads/threadRpc.ts'
import { verifySidecar } from '../../evm/kzg/sidecar.ts'

/** The thread that verifies sidecars. */
if (parentPort === null) throw new Error('sidecarWorker runs as a worker')
serveThread(parentPort, { verify: verifySidecar })
