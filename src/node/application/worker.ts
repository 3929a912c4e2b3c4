import { parentPort, workerData } from 'node:worker_threads'
import { serveThread } from '../../base/threads/threadRpc.ts'
import { type AppOptions, createAppService } from './service.ts'

/** The entry point of the application thread. Execution, trie and commit happen here; no other thread writes. */
if (parentPort === null) throw new Error('the application runs as a worker')
const service = createAppService(workerData as AppOptions)
// The `open` call reports the error. Without this handler an earlier rejection would end the thread without a reason.
service.catch(() => {})
serveThread(parentPort, {
  /** The first call; it rejects with the reason if the chain cannot be opened. */
  open: async () => (await service).opened(),
  makeBlock: async (...args: Parameters<Awaited<typeof service>['makeBlock']>) =>
    (await service).makeBlock(...args),
  processProposal: async (...args: Parameters<Awaited<typeof service>['processProposal']>) =>
    (await service).processProposal(...args),
  finalizeDecided: async (...args: Parameters<Awaited<typeof service>['finalizeDecided']>) =>
    (await service).finalizeDecided(...args),
  commitDecided: async () => (await service).commitDecided(),
  offerSnapshot: async (...args: Parameters<Awaited<typeof service>['offerSnapshot']>) =>
    (await service).offerSnapshot(...args),
  applyChunk: async (...args: Parameters<Awaited<typeof service>['applyChunk']>) =>
    (await service).applyChunk(...args),
  rollback: async (height: number) => (await service).rollback(height),
  close: async () => (await service).close(),
})
