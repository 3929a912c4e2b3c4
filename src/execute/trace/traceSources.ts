import { equalBytes } from '../../base/encoding/bytes.ts'
import { blockRewards } from '../../chain/block/blockRewards.ts'
import type { Header } from '../../chain/block/header.ts'
import { pruned } from '../../chain/chainError.ts'
import { type ChainConfig, parseChainConfig } from '../../chain/config/chainConfig.ts'
import type { Fork } from '../../chain/config/forks.ts'
import { currentSource } from '../../chain/config/liveConfig.ts'
import { blockNumberNotFound } from '../../chain/trace/traceErrors.ts'
import type { StateAndHeader } from '../call/callEnvironment.ts'
import { openCurrentState, openParentState } from '../overlay/openState.ts'
import type { RunnerDependencies } from '../tasks/runnerDependencies.ts'
import { BlockReplayer, type ReplayedBlock } from './blockReplayer.ts'
import type { TraceDeadline } from './traceDeadline.ts'
import type { TraceTask } from './traceTask.ts'

/** A block to execute again, without the rules that it is executed with. */
export type StoredBlock = Omit<ReplayedBlock, 'config'>

const unknownHash = new Uint8Array(32)

/** The forks that `overrides` may move: those after Istanbul, as in geth. */
const movable =
  /^(?:berlinBlock|londonBlock|arrowGlacierBlock|grayGlacierBlock|mergeNetsplitBlock|(?:shanghai|cancun|prague|osaka)Time)$/

/** Reads the blocks and states of traces from the store. */
export class TraceSources {
  readonly dependencies: RunnerDependencies

  constructor(dependencies: RunnerDependencies) {
    this.dependencies = dependencies
  }

  replay(task: TraceTask, block: StoredBlock, clock: TraceDeadline, isTraced: boolean): BlockReplayer {
    const config = this.config(task)
    return new BlockReplayer(this.dependencies.evm, { ...block, config }, clock.limits, isTraced)
  }

  /** Returns the chain's rules with the forks that the client moved. */
  config({ options }: TraceTask): ChainConfig {
    if (options.overrides === undefined) return this.dependencies.config
    const moved = Object.entries(options.overrides).filter(([name]) => movable.test(name))
    return parseChainConfig({ ...currentSource(this.dependencies.config), ...Object.fromEntries(moved) })
  }

  /** Returns the block after the task's block, which must still be the one that was asked about. */
  stored(task: TraceTask): StoredBlock {
    this.parentState(task)
    const height = task.block.height + 1
    const hash = this.dependencies.blocks.blockHashAt(height)
    if (task.nextHash !== undefined && !(hash && equalBytes(hash, task.nextHash)))
      throw blockNumberNotFound(height)
    return this.storedAt(height)
  }

  storedAt(height: number): StoredBlock {
    const { blocks } = this.dependencies
    const header = blocks.header(height)
    const rawTransactions = blocks.rawTransactions(height)
    if (header === undefined) throw blockNumberNotFound(height)
    if (rawTransactions === undefined)
      throw pruned(`block ${height} is pruned: the earliest that is kept is ${blocks.oldestComplete()}`)
    return { ...this.stateAfter(height - 1), header, rawTransactions, senders: blocks.senders(height) }
  }

  /** Returns the state of the task's block, which must still be the block at its height. */
  parentState({ block }: TraceTask): Omit<StateAndHeader, 'header'> {
    const known = this.dependencies.blocks.blockHashAt(block.height)
    if (known === undefined || !equalBytes(known, block.hash)) throw blockNumberNotFound(block.height)
    return this.stateAfter(block.height)
  }

  /** Returns the state that clients see at a height. */
  currentState(height: number): Omit<StateAndHeader, 'header'> {
    return { state: openCurrentState(this.dependencies.state, height), blockHash: this.#blockHash }
  }

  /** Returns the state that the block after a height starts from. */
  stateAfter(height: number): Omit<StateAndHeader, 'header'> {
    return { state: openParentState(this.dependencies.state, height), blockHash: this.#blockHash }
  }

  readonly #blockHash = (number: bigint): Uint8Array =>
    this.dependencies.blocks.blockHashAt(Number(number)) ??
    this.dependencies.state.fork?.blockHash(Number(number)) ??
    unknownHash

  /** Returns the rewards of a block; those of an engine have no difficulty and no rewards. */
  rewards(header: Header, fork: Fork): ReturnType<typeof blockRewards> {
    if (header.difficulty === 0n) return []
    const ommers = this.dependencies.blocks.extras(Number(header.number))?.ommers ?? []
    return blockRewards(fork, header, ommers)
  }
}
