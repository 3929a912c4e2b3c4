import { equalBytes } from '../base/encoding/bytes.ts'
import type { LmdbEnvironment } from '../base/lmdb/lmdb.ts'
import { beginStage, endStage, hasStageListener } from '../base/profiling/stages.ts'
import { version } from '../base/version.ts'
import { type Header, headerHash } from '../chain/block/header.ts'
import type { ChainConfig } from '../chain/config/chainConfig.ts'
import {
  createLiveConfig,
  type LiveChainConfig,
  requireKnownRules,
  withChainId,
} from '../chain/config/liveConfig.ts'
import { blobGasPrice } from '../chain/fees/blobGas.ts'
import type { Genesis } from '../chain/genesis/genesis.ts'
import { type AccountEdit, toStateChanges } from '../chain/state/accountEdit.ts'
import type { StateChanges } from '../chain/state/evmState.ts'
import { isImpersonated } from '../chain/transaction/impersonation.ts'
import type { RecoveredTransaction } from '../chain/transaction/transaction.ts'
import { followSchedule } from '../chain/validators/schedule.ts'
import { pruneStep } from '../store/blockPruner.ts'
import { type ExecutedBlock, encodeBlockRows } from '../store/blockRows.ts'
import type { DevRecord } from '../store/tables/chainMeta.ts'
import type { AppHead, ExecutedHead } from './appHead.ts'
import { type BlockInputs, soloEngineHash, toBlockInputs } from './blockInputs.ts'
import type { BlockBudget, BlockOutcome } from './executeBlock.ts'
import { systemCallKeys } from './forkKeys.ts'
import { type BlockExecutionDependencies, executeNextBlock } from './nextBlock.ts'
import { type PendingCommit, withStages } from './pendingCommit.ts'
import type { DecidedBlock, FinalizeResult } from './proposal/decidedBlock.ts'
import { DecidedBlocks } from './proposal/decidedBlocks.ts'
import type { ProposalResult } from './proposal/proposal.ts'

export interface ApplicationDependencies extends BlockExecutionDependencies {
  readonly environment: LmdbEnvironment
}

/** The first block of a chain that is forked from a remote one. */
export interface ForkStart extends AppHead {
  readonly changes: StateChanges
  /** What is kept to find the remote again, as JSON. */
  readonly description: string
}

export interface RollbackOptions {
  /** The number of the newest change from outside a block that stays. */
  readonly edit?: number
  /** What dev methods set, to be stored with it. */
  readonly dev?: DevRecord
}

/** Returns whether a block has what no rule of Ethereum gives. */
const isModified = (
  { baseFee, gasLimit, parent }: BlockInputs,
  { transactions }: Pick<BlockOutcome, 'transactions'>,
): boolean =>
  baseFee !== undefined ||
  gasLimit !== parent.gasLimit ||
  transactions.some(({ transaction }) => isImpersonated(transaction))

/**
 * The replicated application, which turns blocks into state and rows. Only `commit` writes; executing a block twice
 * gives the same result twice.
 */
export class Application {
  readonly config: LiveChainConfig
  readonly #dependencies: ApplicationDependencies
  #head: AppHead | undefined
  #pending: PendingCommit | undefined
  readonly #decided: DecidedBlocks

  constructor(config: ChainConfig, dependencies: ApplicationDependencies) {
    this.config = createLiveConfig(config)
    this.#dependencies = dependencies
    this.#decided = new DecidedBlocks({
      config: this.config,
      state: dependencies.state,
      requireParent: (height) => this.#requireParent(height),
      execute: (...args) => this.#execute(...args),
    })
    this.#moveTo(this.#storedHead())
  }

  /** The head; undefined before genesis. */
  get head(): AppHead | undefined {
    return this.#head
  }

  /** Writes block 0; `beforeCommit` is called with its hash when nothing is written yet. */
  async initChain(genesis: Genesis, beforeCommit: (hash: Uint8Array) => void = () => {}): Promise<AppHead> {
    const pending = this.#prepareGenesis(genesis)
    beforeCommit(pending.head.hash)
    this.#pending = pending
    return this.commit()
  }

  /** Writes the block of a remote chain that this one is forked from, and what differs from the remote's state there. */
  async initFork(start: ForkStart): Promise<AppHead> {
    this.#pending = this.#prepareFork(start)
    return this.commit()
  }

  /** Writes the first block inside a transaction that has emptied the store; `reload` makes it the head after that. */
  writeFirst(first: Genesis | ForkStart): void {
    const pending = 'description' in first ? this.#prepareFork(first) : this.#prepareGenesis(first)
    pending.state.write()
    pending.writeRows()
  }

  #prepareGenesis(genesis: Genesis): PendingCommit {
    const { blocks } = this.#dependencies
    const state = this.#dependencies.state.prepare(0, genesis.changes)
    const header = genesis.header(state.root)
    const hash = headerHash(header)
    const rows = encodeBlockRows(this.#firstBlock({ header, hash }))
    const config = JSON.stringify(genesis.config.source)
    return { head: { header, hash }, state, writeRows: () => blocks.initialize(rows, config) }
  }

  #prepareFork({ header, hash, changes, description }: ForkStart): PendingCommit {
    const { state, blocks } = this.#dependencies
    const prepared = state.prepare(Number(header.number), changes)
    const rows = encodeBlockRows(this.#firstBlock({ header, hash }))
    const config = JSON.stringify(this.config.source)
    const hasNativeHashes = !equalBytes(headerHash(header), hash)
    const writeRows = (): void => {
      blocks.initialize(rows, config, { hasNativeHashes })
      blocks.meta.setFork(description)
    }
    return { head: { header, hash }, state: prepared, writeRows }
  }

  #firstBlock({ header, hash }: AppHead): ExecutedBlock {
    return {
      header,
      hash,
      transactions: [],
      ommers: [],
      withdrawals: header.withdrawalsRoot && [],
      blobGasPrice: blobGasPrice(this.config, header),
    }
  }

  /** Executes the next block. Nothing is written until `commit`. */
  executeBlock(inputs: BlockInputs, candidates: readonly RecoveredTransaction[]): ExecutedHead {
    const { executed, pending } = this.#execute(inputs, candidates)
    this.#pending = isModified(inputs, executed.outcome) ? this.#marked(pending) : pending
    return executed
  }

  /** Adds the mark of a chain with blocks that do not follow by the rules. */
  #marked(pending: PendingCommit): PendingCommit {
    return {
      ...pending,
      writeRows: () => {
        pending.writeRows()
        this.#markModified(Number(pending.head.header.number))
      },
    }
  }

  #markModified(number: number): void {
    const { meta } = this.#dependencies.blocks
    const first = meta.modifiedFrom()
    if (first === undefined || first > number) meta.setModifiedFrom(number)
  }

  /** Executes and writes empty blocks at these times, one on top of the other, in one transaction. */
  async commitEmptyBlocks(times: readonly number[], beneficiary: Uint8Array): Promise<AppHead> {
    let head = this.#requireHead()
    this.#pending = undefined
    this.#decided.forgetAhead()
    this.#prefetchForEmptyBlocks(head.header, times, beneficiary)
    await this.#dependencies.environment.transact(() => {
      for (const time of times) {
        const { header, hash } = head
        const engineHash = soloEngineHash(hash, time)
        const { gasLimit } = header
        const inputs = toBlockInputs(header, hash, { time, beneficiary, engineHash, gasLimit })
        const { pending } = this.#execute(inputs, [])
        pending.state.write()
        pending.writeRows()
        head = pending.head
      }
    })
    this.#moveTo(head)
    return head
  }

  /** Has a forked chain read what the system calls of many blocks need, once for all of them. */
  #prefetchForEmptyBlocks(head: Header, times: readonly number[], beneficiary: Uint8Array): void {
    const { state } = this.#dependencies
    if (state.fork === undefined) return
    const keys = times.flatMap((time, index) =>
      systemCallKeys(head.number + BigInt(index) + 1n, BigInt(time)),
    )
    state.reader(Number(head.number)).prefetch([...keys, { kind: 'account', address: beneficiary }])
  }

  /** Changes accounts of the head from outside a block, and marks the chain. */
  async edit(edits: readonly AccountEdit[]): Promise<void> {
    const { environment, state } = this.#dependencies
    const height = Number(this.#requireHead().header.number)
    state.reader(height).prefetch(edits.map(({ address }) => ({ kind: 'account', address })))
    const writeEdit = state.prepareEdit(toStateChanges(state.parentState(height), edits))
    this.#pending = undefined
    this.#decided.forgetAhead()
    await environment.transact(() => {
      writeEdit()
      this.#markModified(height + 1)
    })
  }

  /** Gives a chain for development another chain id, from the next block on; returns its configuration as JSON. */
  async setChainId(chainId: bigint): Promise<string> {
    const { environment, blocks } = this.#dependencies
    const config = withChainId(this.config, chainId)
    const text = JSON.stringify(config.source)
    await environment.transact(() => blocks.meta.setConfig(text))
    this.config.replace(config)
    this.reload()
    return text
  }

  /** Stores what dev methods set. */
  async saveDev(record: DevRecord): Promise<void> {
    const { environment, blocks } = this.#dependencies
    await environment.transact(() => blocks.meta.setDev(record))
  }

  /** Checks whether the proposal may become the next block. */
  processProposal(proposal: Omit<DecidedBlock, 'engineHash'>): ProposalResult {
    return this.#decided.processProposal(proposal)
  }

  /**
   * Executes the next block as it was decided. Every entry gets a result, whatever it is. If the very same block was
   * executed ahead, its result is returned.
   */
  finalizeDecided(decided: DecidedBlock): FinalizeResult {
    const { result, pending } = this.#decided.finalize(decided)
    this.#pending = pending
    return result
  }

  /**
   * Executes a block that may be decided next and keeps the outcome until another is executed ahead or the head moves.
   * Nothing that can be observed changes. Throws an `InterruptedError` as soon as `isWanted` returns false.
   */
  executeAhead(decided: DecidedBlock, isWanted: () => boolean): FinalizeResult {
    return this.#decided.executeAhead(decided, isWanted)
  }

  /** Returns whether the outcome of this very block is kept. */
  isExecutedAhead(decided: DecidedBlock): boolean {
    return this.#decided.isExecutedAhead(decided)
  }

  /** Writes state, block, receipts, indexes and head in one atomic transaction. */
  async commit(): Promise<AppHead> {
    if (this.#pending === undefined) throw new Error('no block is executed')
    const staged = hasStageListener() ? withStages(this.#pending) : undefined
    const { head, state, writeRows } = staged ?? this.#pending
    await this.#dependencies.environment.transact(() => {
      state.write()
      writeRows()
    })
    staged?.end()
    return this.#goOnFrom(head)
  }

  /**
   * Reverts every block above the height; the cost depends on what they changed. Of the changes that were made to its state
   * from outside a block those up to the number `edit` stay, by default none.
   */
  async rollback(height: number, { edit = 0, dev }: RollbackOptions = {}): Promise<AppHead> {
    const { environment, state, blocks } = this.#dependencies
    this.#pending = undefined
    const revertState = state.prepareRevert(height, edit)
    await environment.transact(() => {
      revertState()
      blocks.meta.sealOnce(() => {
        blocks.revertTo(height)
        const first = blocks.meta.modifiedFrom()
        if (first !== undefined && first > height && state.newestEdit(height) === 0)
          blocks.meta.setModifiedFrom(undefined)
        if (dev !== undefined) blocks.meta.setDev(dev)
      })
    })
    return this.reload()
  }

  /**
   * Prunes blocks below a height, in one step of bounded length. Returns the oldest block that is kept now, which is below
   * the height if there is more to do. Blocks may be executed and committed meanwhile.
   */
  async pruneBlocks(height: number): Promise<number> {
    const { environment, blocks } = this.#dependencies
    let oldest = 0
    await environment.transact(() => {
      oldest = blocks.pruneBelow(height, pruneStep.blocks, pruneStep.transactions)
    })
    return oldest
  }

  /** Reads the head again from the store, after another part wrote to it. */
  reload(): AppHead {
    const head = this.#storedHead()
    if (head === undefined) throw new Error('the chain has no first block')
    return this.#goOnFrom(head)
  }

  /** Makes a block the head, and forgets what was executed on the one before. */
  #goOnFrom(head: AppHead): AppHead {
    this.#pending = undefined
    this.#decided.forgetAhead()
    this.#moveTo(head)
    return head
  }

  /** Makes a block the head. The fork schedule in its state tells the rules of the next one. */
  #moveTo(head: AppHead | undefined): void {
    this.#head = head
    const { state } = this.#dependencies
    // While a snapshot is being restored there is a block without its state.
    if (head !== undefined && state.head !== undefined)
      followSchedule(this.config, state.reader(Number(head.header.number)))
  }

  #execute(
    inputs: BlockInputs,
    candidates: readonly RecoveredTransaction[],
    budget?: BlockBudget,
  ): { readonly executed: ExecutedHead; readonly pending: PendingCommit } {
    requireKnownRules(this.config, inputs.timestamp, version)
    const dependencies = this.#dependencies
    const { outcome, block, state } = executeNextBlock(dependencies, this.config, inputs, candidates, budget)
    const { header, hash } = block
    budget?.check()
    const begun = beginStage()
    const rows = encodeBlockRows(block)
    endStage('encode', begun, block.transactions.length)
    const writeRows = (): void => dependencies.blocks.write(rows)
    return { executed: { header, hash, outcome }, pending: { head: { header, hash }, state, writeRows } }
  }

  #requireHead(): AppHead {
    if (this.#head === undefined) throw new Error('the chain has no first block')
    return this.#head
  }

  #requireParent(height: number): AppHead {
    const head = this.#requireHead()
    const next = head.header.number + 1n
    if (BigInt(height) !== next) throw new Error(`the next block is ${next}, not ${height}`)
    return head
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
