import type { Evm } from '../../evm/evm.ts'
import type { DevRecord } from '../../store/tables/chainMeta.ts'
import { type AppOptions, createAppService } from './service.ts'

type AppService = Awaited<ReturnType<typeof createAppService>>

/** Returns the functions of the application, whichever thread they run on; the first call opens the chain. */
export const createThreadService = (loadEvm?: () => Promise<Evm>) => {
  let service: ReturnType<typeof createAppService> | undefined
  /** Returns the service of the chain that the first call opened. */
  const opened = (): ReturnType<typeof createAppService> => {
    if (service === undefined) throw new Error('the chain is not open')
    return service
  }
  return {
    /** The first call; it rejects with the reason if the chain cannot be opened. */
    open: async (options: AppOptions) => {
      service = createAppService(options, loadEvm)
      return (await service).opened()
    },
    findForkWarnings: async () => (await opened()).findForkWarnings(),
    produceBlock: async (...args: Parameters<AppService['produceBlock']>) =>
      (await opened()).produceBlock(...args),
    produceEmptyBlocks: async (...args: Parameters<AppService['produceEmptyBlocks']>) =>
      (await opened()).produceEmptyBlocks(...args),
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
    reset: async (...args: Parameters<AppService['reset']>) => (await opened()).reset(...args),
    setChainId: async (chainId: bigint) => (await opened()).setChainId(chainId),
    edit: async (...args: Parameters<AppService['edit']>) => (await opened()).edit(...args),
    saveDev: async (record: DevRecord) => (await opened()).saveDev(record),
    close: async () => (await opened()).close(),
  }
}
