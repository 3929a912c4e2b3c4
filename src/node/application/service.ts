import { type AppHead, Application } from '../../app/application.ts'
import { type Decision, inputsOf } from '../../app/blockInputs.ts'
import { type HeadMessage, toHeadMessage } from '../../app/headMessage.ts'
import { isBrokenOff, returnToFirstBlock } from '../../app/snapshot/restore.ts'
import { LmdbEnvironment } from '../../base/lmdb.ts'
import type { GivenChain } from '../../chain/genesis/conflicts.ts'
import { createDevGenesis, type DevGenesisOptions } from '../../chain/genesis/devGenesis.ts'
import { type Genesis, parseGenesis } from '../../chain/genesis/genesis.ts'
import type { WorldChanges } from '../../chain/state/world.ts'
import { decodeTransaction } from '../../chain/transaction/decode.ts'
import type { RecoveredTransaction } from '../../chain/transaction/types.ts'
import { createEngineService } from '../../engine/applicationService.ts'
import { createMachine } from '../../evm/machine.ts'
import { loadModules } from '../../evm/modules.ts'
import { precompilesAt } from '../../evm/precompiles/table.ts'
import type { PruningMode } from '../../state/prune.ts'
import { StateStore } from '../../state/store.ts'
import { receiptTexts } from '../../store/blockRows.ts'
import { BlockStore } from '../../store/blockStore.ts'
import { packParts, unpackTransactions } from './packed.ts'
import { openStoredChain } from './storedChain.ts'

/** Where a chain without blocks begins. */
export type GenesisSource =
  /** geth's genesis JSON. */
  | { readonly kind: 'file'; readonly text: string }
  | { readonly kind: 'dev'; readonly options: DevGenesisOptions }

export interface AppOptions {
  /** The data file. */
  readonly path: string
  readonly pruning: PruningMode
  /** Whether the index from addresses to transactions is kept. */
  readonly appearances: boolean
  readonly genesis: GenesisSource
  /** What the operator says of the chain: one that is stored must be so. */
  readonly given?: GivenChain | undefined
}

/** The first answer: where the chain stands. */
export interface OpenedMessage extends HeadMessage {
  /** It began just now. */
  readonly isNew: boolean
}

export interface MadeMessage extends HeadMessage {
  /** Hashes, packed. */
  readonly included: Uint8Array
  /** Why each of the others has no place in the block. */
  readonly rejected: readonly { readonly hash: Uint8Array; readonly reason: string }[]
  /** Accounts that are not as they were: their addresses, packed. */
  readonly changed: Uint8Array
}

export interface PreviewMessage extends HeadMessage {
  /** Hashes, packed. */
  readonly included: Uint8Array
  /** JSON of each. */
  readonly receipts: readonly string[]
  readonly changes: WorldChanges
}

/** What the application's thread does for the rest of the node; it alone writes. */
export const createAppService = async (options: AppOptions) => {
  const environment = new LmdbEnvironment({ path: options.path })
  try {
    return await serveChain(environment, options)
  } catch (error) {
    await environment.close()
    throw error
  }
}

/** Opens the chain of a data file, or begins one. */
const serveChain = async (environment: LmdbEnvironment, options: AppOptions) => {
  environment.clearStaleReaders()
  const machine = createMachine(await loadModules(), precompilesAt)
  const state = new StateStore(environment, { pruning: options.pruning })
  const blocks = new BlockStore(environment, { appearances: options.appearances })
  const parts = { environment, state, blocks }
  const genesis = blocks.meta.config() === undefined ? readGenesis(options.genesis) : undefined
  const readFile = options.genesis.kind === 'file' ? () => readGenesis(options.genesis) : undefined
  const config = genesis?.config ?? (await openStoredChain(parts, options.given ?? {}, readFile))
  const app = new Application(config, { environment, state, blocks, machine })
  if (genesis !== undefined) await app.initChain(genesis)
  else if (isBrokenOff(parts)) await returnToFirstBlock(parts, readGenesis(options.genesis))

  return {
    opened: (): OpenedMessage => ({ ...toHeadMessage(headOf(app)), isNew: genesis !== undefined }),

    makeBlock: async (decision: Decision, transactions: Uint8Array): Promise<MadeMessage> => {
      const { header, hash } = headOf(app)
      const { outcome } = app.finalizeBlock(inputsOf(header, hash, decision), toCandidates(transactions))
      const head = await app.commit()
      return {
        ...toHeadMessage(head),
        included: hashesOf(outcome.transactions),
        rejected: outcome.rejected.map(({ candidate, reason }) => ({ hash: candidate.hash.slice(), reason })),
        changed: packParts(outcome.changes.accounts.map(({ address }) => address)),
      }
    },

    /** The pending block: executed like any other, then forgotten. */
    previewBlock: (decision: Decision, transactions: Uint8Array): PreviewMessage => {
      const { header, hash } = headOf(app)
      const { block, changes } = app.previewBlock(
        inputsOf(header, hash, decision),
        toCandidates(transactions),
      )
      return {
        ...toHeadMessage(block),
        included: hashesOf(block.transactions),
        receipts: receiptTexts(block).map(({ text }) => text),
        changes,
      }
    },

    ...createEngineService(app, parts, () => readGenesis(options.genesis)),

    rollback: async (height: number): Promise<HeadMessage> => toHeadMessage(await app.rollback(height)),

    close: (): Promise<void> => environment.close(),
  }
}

const readGenesis = (source: GenesisSource): Genesis =>
  source.kind === 'file' ? parseGenesis(source.text) : createDevGenesis(source.options)

const headOf = (app: Application): AppHead => {
  if (app.head === undefined) throw new Error('the chain has no first block')
  return app.head
}

const hashesOf = (transactions: readonly { readonly hash: Uint8Array }[]): Uint8Array =>
  packParts(transactions.map(({ hash }) => hash))

const toCandidates = (packed: Uint8Array): readonly RecoveredTransaction[] =>
  unpackTransactions(packed).map((sent) => ({ ...sent, transaction: decodeTransaction(sent.raw) }))
