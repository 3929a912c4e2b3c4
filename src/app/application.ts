import type { LmdbEnvironment } from '../base/lmdb.ts'
import { type Header, headerHash } from '../chain/block/header.ts'
import { blobGasPrice, type ChainConfig } from '../chain/config/chainConfig.ts'
import type { Genesis } from '../chain/genesis/genesis.ts'
import type { WorldChanges } from '../chain/state/world.ts'
import type { RecoveredTransaction } from '../chain/transaction/types.ts'
import type { ValidatorChange } from '../chain/validators/validators.ts'
import { blockEvents, type NativeEvent } from '../cosmos/results/events.ts'
import type { NativeResult } from '../cosmos/results/results.ts'
import type { PreparedState } from '../state/store.ts'
import { type ExecutedBlock, encodeBlockRows } from '../store/blockRows.ts'
import { type BlockInputs, inputsOf } from './blockInputs.ts'
import type { BlockOutcome } from './executeBlock.ts'
import { blockResults } from './nativeResults.ts'
import { type ChainParts, executeNext } from './nextBlock.ts'
import { decodeDecided, type KnownSenders } from './proposal/nativeBlock.ts'
import { processProposal, type Verdict } from './proposal/proposal.ts'
import { nextRules } from './proposal/rules.ts'
import { validatorChanges } from './validatorChanges.ts'

export interface ApplicationDependencies extends ChainParts {
  readonly environment: LmdbEnvironment
}

/** The block that the chain stands at. */
export interface AppHead {
  readonly header: Header
  readonly hash: Uint8Array
}

/** A block that is executed and not yet committed. */
export interface FinalizedBlock extends AppHead {
  readonly outcome: BlockOutcome
}

/** A block as a replicated engine decides it. */
export interface DecidedBlock {
  readonly height: number
  /** Whole seconds of the engine's time. */
  readonly time: bigint
  /** The engine's own hash of the block. */
  readonly engineHash: Uint8Array
  readonly entries: readonly Uint8Array[]
}

/** What a replicated engine is told of a block; the hash is what it commits to. */
export interface DecidedResult extends FinalizedBlock {
  /** One for each entry. */
  readonly results: readonly NativeResult[]
  readonly events: readonly NativeEvent[]
  /** What the block changed in the set of validators. */
  readonly validatorChanges: readonly ValidatorChange[]
}

/** A block that will not be committed. */
export interface PreviewedBlock {
  readonly block: ExecutedBlock
  readonly changes: WorldChanges
}

interface PendingCommit {
  readonly head: AppHead
  readonly state: PreparedState
  /** Writes the block's rows, inside the transaction. */
  readonly writeRows: () => void
}

/**
 * The replicated application: blocks in, state and rows out. Only `commit` writes; a block that was finalized twice
 * gives the same result twice.
 */
export class Application {
  readonly config: ChainConfig
  readonly #dependencies: ApplicationDependencies
  #head: AppHead | undefined
  #pending: PendingCommit | undefined
  /** Of the proposal that was accepted last: most often it is the block that is decided next. */
  #senders: KnownSenders = new Map()

  constructor(config: ChainConfig, dependencies: ApplicationDependencies) {
    this.config = config
    this.#dependencies = dependencies
    this.#head = this.#storedHead()
  }

  /** Undefined before genesis. */
  get head(): AppHead | undefined {
    return this.#head
  }

  /** Writes block 0. */
  async initChain(genesis: Genesis): Promise<AppHead> {
    const state = this.#dependencies.state.prepare(0, genesis.changes)
    const header = genesis.header(state.root)
    const block: ExecutedBlock = {
      header,
      hash: headerHash(header),
      transactions: [],
      ommers: [],
      withdrawals: header.withdrawalsRoot && [],
      blobGasPrice: blobGasPrice(this.config, header),
    }
    const rows = encodeBlockRows(block)
    const config = JSON.stringify(genesis.config.source)
    const writeRows = (): void => this.#dependencies.blocks.initialize(rows, config)
    this.#pending = { head: { header, hash: block.hash }, state, writeRows }
    return this.commit()
  }

  /** Executes the next block. Nothing is written until `commit`. */
  finalizeBlock(inputs: BlockInputs, candidates: readonly RecoveredTransaction[]): FinalizedBlock {
    const { outcome, block, state } = this.#execute(inputs, candidates)
    const { header, hash } = block
    const rows = encodeBlockRows(block)
    const writeRows = (): void => this.#dependencies.blocks.write(rows)
    this.#pending = { head: { header, hash }, state, writeRows }
    return { header, hash, outcome }
  }

  /** Whether the next block may be this one. */
  processProposal({ height, time, entries }: Omit<DecidedBlock, 'engineHash'>): Verdict {
    const { header } = this.#parentOf(height)
    const verdict = processProposal(entries, nextRules(this.config, header, time))
    if (verdict.accepted) this.#senders = verdict.senders
    return verdict
  }

  /** Executes the next block as it was decided. Whatever its entries are, it has a result. */
  finalizeDecided({ height, time, engineHash, entries }: DecidedBlock): DecidedResult {
    const parent = this.#parentOf(height)
    const rules = nextRules(this.config, parent.header, time)
    const decoded = decodeDecided(entries, rules, this.#senders)
    const { beneficiary } = decoded
    const inputs = inputsOf(parent.header, parent.hash, {
      time: Number(rules.timestamp),
      beneficiary,
      engineHash,
      gasLimit: rules.gasLimit,
    })
    const candidates = decoded.entries.flatMap((entry) =>
      entry.kind === 'candidate' ? [entry.candidate] : [],
    )
    const finalized = this.finalizeBlock(inputs, candidates)
    return {
      ...finalized,
      results: blockResults(entries, decoded.entries, finalized, finalized.outcome),
      events: blockEvents(finalized.header),
      validatorChanges: validatorChanges(
        this.#dependencies.state.reader(height - 1),
        finalized.outcome.changes,
      ),
    }
  }

  /** What the next block would be. It takes no part in what is finalized or committed. */
  previewBlock(inputs: BlockInputs, candidates: readonly RecoveredTransaction[]): PreviewedBlock {
    const { outcome, block } = this.#execute(inputs, candidates)
    return { block, changes: outcome.changes }
  }

  /** State, block, receipts, indexes and head: one atomic transaction. */
  async commit(): Promise<AppHead> {
    if (this.#pending === undefined) throw new Error('no block is finalized')
    const { head, state, writeRows } = this.#pending
    await this.#dependencies.environment.transact(() => {
      state.write()
      writeRows()
    })
    this.#pending = undefined
    this.#head = head
    return head
  }

  /** Takes back every block above the height; what they changed is the cost. */
  async rollback(height: number): Promise<AppHead> {
    const { environment, state, blocks } = this.#dependencies
    this.#pending = undefined
    const undoState = state.prepareUndo(height)
    await environment.transact(() => {
      undoState()
      blocks.removeAbove(height)
    })
    return this.reload()
  }

  /** Takes the head from the store, which somebody else has filled. */
  reload(): AppHead {
    const head = this.#storedHead()
    if (head === undefined) throw new Error('the chain has no first block')
    this.#pending = undefined
    this.#head = head
    return head
  }

  #execute(inputs: BlockInputs, candidates: readonly RecoveredTransaction[]) {
    return executeNext(this.#dependencies, this.config, inputs, candidates)
  }

  #parentOf(height: number): AppHead {
    if (this.#head === undefined) throw new Error('the chain has no first block')
    const next = this.#head.header.number + 1n
    if (BigInt(height) !== next) throw new Error(`the next block is ${next}, not ${height}`)
    return this.#head
  }

  #storedHead(): AppHead | undefined {
    const { blocks } = this.#dependencies
    const head = blocks.head()
    if (head === undefined) return undefined
    const header = blocks.header(head.number)
    if (header === undefined) throw new Error(`the header of the head, block ${head.number}, is missing`)
    return { header, hash: head.hash }
  }
}
