import { type AppHead, Application } from '../../app/application.ts'
import { type BlockAttributes, toBlockInputs } from '../../app/blockInputs.ts'
import { type HeadMessage, toHeadMessage } from '../../app/headMessage.ts'
import { isRestoreInterrupted, resetToGenesis } from '../../app/snapshot/restore.ts'
import { LmdbEnvironment } from '../../base/lmdb.ts'
import { GenesisError } from '../../chain/config/gethJson.ts'
import type { GivenChain } from '../../chain/genesis/conflicts.ts'
import { createDevGenesis, type DevGenesisOptions } from '../../chain/genesis/devGenesis.ts'
import { type Genesis, parseGenesis } from '../../chain/genesis/genesis.ts'
import type { StateChanges } from '../../chain/state/evmState.ts'
import { decodeTransaction } from '../../chain/transaction/decode.ts'
import type { RecoveredTransaction } from '../../chain/transaction/types.ts'
import { createEngineService } from '../../engine/applicationService.ts'
import { createEvm } from '../../evm/evm.ts'
import { checkGasLimit } from '../../evm/largestBlockGas.ts'
import { loadEvmModules } from '../../evm/modules.ts'
import { precompilesAt } from '../../evm/precompiles/table.ts'
import type { PruningMode } from '../../state/prune.ts'
import { StateStore } from '../../state/store.ts'
import { toReceiptTexts } from '../../store/blockRows.ts'
import { BlockStore } from '../../store/blockStore.ts'
import { packFixed, unpackTransactions } from './packing.ts'
import { openStoredChain } from './storedChain.ts'

/** The genesis for a home without blocks. */
export type GenesisSource =
  /** The text is a genesis file in geth's format. */
  | { readonly kind: 'file'; readonly text: string }
  | { readonly kind: 'dev'; readonly options: DevGenesisOptions }

export interface AppOptions {
  /** The path of the data file. */
  readonly path: string
  readonly pruning: PruningMode
  /** Whether the index from addresses to transactions is maintained. */
  readonly appearances: boolean
  readonly genesis: GenesisSource
  /** What the operator expects of the chain. A stored chain that differs is not opened. */
  readonly given?: GivenChain | undefined
}

/** The response to the first call, with the head of the chain. */
export interface OpenedMessage extends HeadMessage {
  /** Whether the chain was created by this start. */
  readonly isNew: boolean
}

export interface BlockMessage extends HeadMessage {
  /** The packed hashes of the included transactions. */
  readonly included: Uint8Array
  /** The transactions that were not included, with the reasons. */
  readonly rejected: readonly { readonly hash: Uint8Array; readonly reason: string }[]
  /** The packed addresses of the accounts that changed. */
  readonly changed: Uint8Array
}

export interface PreviewMessage extends HeadMessage {
  /** The packed hashes of the included transactions. */
  readonly included: Uint8Array
  /** The receipts as JSON. */
  readonly receipts: readonly string[]
  readonly changes: StateChanges
}

/** Creates the service of the application thread, the only thread that writes. */
export const createAppService = async (options: AppOptions) => {
  const environment = new LmdbEnvironment({ path: options.path })
  try {
    return await serveChain(environment, options)
  } catch (error) {
    await environment.close()
    throw error
  }
}

/** Opens the chain of a data file, or creates one. */
const serveChain = async (environment: LmdbEnvironment, options: AppOptions) => {
  environment.clearStaleReaders()
  const evm = createEvm(await loadEvmModules(), precompilesAt)
  const state = new StateStore(environment, { pruning: options.pruning })
  const blocks = new BlockStore(environment, { appearances: options.appearances })
  const dependencies = { environment, state, blocks }
  const genesis = blocks.meta.config() === undefined ? readGenesis(options.genesis) : undefined
  const readFile = options.genesis.kind === 'file' ? () => readGenesis(options.genesis) : undefined
  const config = genesis?.config ?? (await openStoredChain(dependencies, options.given ?? {}, readFile))
  const app = new Application(config, { environment, state, blocks, evm: evm })
  if (genesis !== undefined) await app.initChain(requirePossible(genesis))
  else if (isRestoreInterrupted(dependencies))
    await resetToGenesis(dependencies, readGenesis(options.genesis))

  return {
    opened: (): OpenedMessage => ({ ...toHeadMessage(requireHead(app)), isNew: genesis !== undefined }),

    makeBlock: async (decision: BlockAttributes, transactions: Uint8Array): Promise<BlockMessage> => {
      const { header, hash } = requireHead(app)
      const { outcome } = app.finalizeBlock(toBlockInputs(header, hash, decision), toCandidates(transactions))
      const head = await app.commit()
      return {
        ...toHeadMessage(head),
        included: packHashes(outcome.transactions),
        rejected: outcome.rejected.map(({ candidate, reason }) => ({ hash: candidate.hash.slice(), reason })),
        changed: packFixed(outcome.changes.accounts.map(({ address }) => address)),
      }
    },

    /** Executes the pending block like any other and discards it. */
    previewBlock: (decision: BlockAttributes, transactions: Uint8Array): PreviewMessage => {
      const { header, hash } = requireHead(app)
      const { block, changes } = app.previewBlock(
        toBlockInputs(header, hash, decision),
        toCandidates(transactions),
      )
      return {
        ...toHeadMessage(block),
        included: packHashes(block.transactions),
        receipts: toReceiptTexts(block).map(({ text }) => text),
        changes,
      }
    },

    ...createEngineService(app, dependencies, () => readGenesis(options.genesis)),

    rollback: async (height: number): Promise<HeadMessage> => toHeadMessage(await app.rollback(height)),

    close: (): Promise<void> => environment.close(),
  }
}

const readGenesis = (source: GenesisSource): Genesis =>
  source.kind === 'file' ? parseGenesis(source.text) : createDevGenesis(source.options)

/** Throws a GenesisError for a chain whose blocks could be more than the EVM holds. */
const requirePossible = (genesis: Genesis): Genesis => {
  const { gasLimit, timestamp } = genesis.header(new Uint8Array(32))
  const reason = checkGasLimit(genesis.config, gasLimit, timestamp)
  if (reason !== undefined) throw new GenesisError(`genesis: ${reason}`)
  return genesis
}

const requireHead = (app: Application): AppHead => {
  if (app.head === undefined) throw new Error('the chain has no first block')
  return app.head
}

const packHashes = (transactions: readonly { readonly hash: Uint8Array }[]): Uint8Array =>
  packFixed(transactions.map(({ hash }) => hash))

const toCandidates = (packed: Uint8Array): readonly RecoveredTransaction[] =>
  unpackTransactions(packed).map((sent) => ({ ...sent, transaction: decodeTransaction(sent.raw) }))
