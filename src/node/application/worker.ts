import { parentPort } from 'node:worker_threads'
import { muteLmdbErrors } from '../../base/lmdb.ts'
import { serveThread } from '../../base/threads/threadRpc.ts'
import { type AppOptions, createAppService } from './service.ts'
import type { AppThreadService } from './thread.ts'

type AppService = Awaited<ReturnType<typeof createAppService>>

/** The entry point of the application thread. Execution, trie and commit happen here; no other thread writes. */
if (parentPort === null) throw new Error('the application runs as a worker')
muteLmdbErrors()
let service: ReturnType<typeof createAppService> | undefined
/** Returns the service of the chain that the first call opened. */
const opened = (): ReturnType<typeof createAppService> => {
  if (service === undefined) throw new Error('the chain is not open')
  return service
}
serveThread(parentPort, {
  /** The first call; it rejects with the reason if the chain cannot be opened. */
  open: async (options: AppOptions) => {
    service = createAppService(options)
    return (await service).opened()
  },
  findForkWarnings: async () => (await opened()).findForkWarnings(),
  makeBlock: async (...args: Parameters<AppService['makeBlock']>) => (await opened()).makeBlock(...args),
  makeEmptyBlocks: async (...args: Parameters<AppService['makeEmptyBlocks']>) =>
    (await opened()).makeEmptyBlocks(...args),
  processProposal: async (...args: Parameters<AppService['processProposal']>) =>
    (await opened()).processProposal(...args),
  finalizeDecided: async (...args: Parameters<AppService['finalizeDecided']>) =>
    (await opened()).finalizeDecided(...args),
  commitDecided: async () => (await opened()).commitDecided(),
  offerSnapshot: async (...args: Parameters<AppService['offerSnapshot']>) =>
    (await opened()).offerSnapshot(...args),
  applyChunk: async (...args: Parameters<AppService['applyChunk']>) => (await opened()).applyChunk(...args),
  rollback: async (...args: Parameters<AppService['rollback']>) => (await opened()).rollback(...args),
  pruneBlocks: async (height: number) => (await opened()).pruneBlocks(height),
  edit: async (...args: Parameters<AppService['edit']>) => (await opened()).edit(...args),
  saveDevSettings: async (settings: string) => (await opened()).saveDevSettings(settings),
  close: async () => (await opened()).close(),
} satisfies Record<keyof AppThreadService, (...args: never[]) => unknown>)
