import { equalBytes } from '../../base/encoding/bytes.ts'
import type { ForkSource } from '../../chain/state/forkSource.ts'
import type { KeptExecution } from '../../evm/types.ts'
import { CallEnvironment, type StateAndHeader } from '../call/callEnvironment.ts'
import type { RunnerDependencies } from './runnerDependencies.ts'
import type { TaskBlock } from './task.ts'

/** The memory that is taken by accounts and slots of the head; what is above it is read again from then on. */
const maxHeldBytes = 24 * 2 ** 20
/** The changes up to which following them costs less than to read what calls need again. */
const maxChangedKeys = 20_000
const maxBlocksAtOnce = 64

interface Opened {
  readonly height: number
  readonly hash: Uint8Array
  /** The number of the newest change from outside a block; 0 if there is none. */
  readonly edit: number
  readonly fork: ForkSource | undefined
  readonly environment: CallEnvironment
  readonly execution: KeptExecution
}

/**
 * The environment of calls on the head that bring no overrides: nearly all of them. It is kept from one call to the next,
 * together with what they have read of the state, and goes on with the next head: only what its block changed is read again.
 * Whatever is not one block after the other (a revert, a change from outside a block, another chain) starts over.
 */
export class HeadEnvironment {
  readonly #dependencies: RunnerDependencies
  readonly #open: (block: TaskBlock) => StateAndHeader
  #opened: Opened | undefined

  constructor(dependencies: RunnerDependencies, open: (block: TaskBlock) => StateAndHeader) {
    this.#dependencies = dependencies
    this.#open = open
  }

  /**
   * Returns the environment of a block; undefined if it is not the head. All that it depends on is read from the store, in
   * the same transaction as the state, so that it holds on every thread.
   */
  at(block: TaskBlock): CallEnvironment | undefined {
    const { state } = this.#dependencies
    if (block.pending !== undefined || state.headHeight !== block.height) return undefined
    const edit = state.newestEdit(block.height)
    const opened = this.#opened
    const isSame =
      opened !== undefined &&
      opened.height === block.height &&
      opened.edit === edit &&
      opened.fork === state.fork &&
      equalBytes(opened.hash, block.hash)
    if (isSame && isGood(opened.execution)) {
      if (!this.#isStored(block)) return undefined
      return opened.environment
    }
    return this.#begin(block, edit)
  }

  #begin(block: TaskBlock, edit: number): CallEnvironment {
    const { evm, config, state } = this.#dependencies
    const base = this.#open(block)
    const environment = new CallEnvironment(evm, config, base, {})
    const execution = this.#move(block, edit, environment) ?? evm.keepExecution(environment.freeContext)
    environment.keep(execution)
    this.#opened = { height: block.height, hash: block.hash, edit, fork: state.fork, environment, execution }
    return environment
  }

  /** Takes the execution of an earlier head along; undefined if the block is not one of those that follow it. */
  #move({ height }: TaskBlock, edit: number, environment: CallEnvironment): KeptExecution | undefined {
    const { state } = this.#dependencies
    const opened = this.#opened
    this.#opened = undefined
    if (opened === undefined || opened.edit > 0 || edit > 0 || opened.fork !== state.fork) return undefined
    if (height <= opened.height || height - opened.height > maxBlocksAtOnce) return undefined
    if (!isGood(opened.execution) || opened.environment.fork !== environment.fork) return undefined
    if (!this.#isStored(opened)) return undefined
    const changed = state.changedKeys(opened.height, height, maxChangedKeys)
    if (changed === undefined) return undefined
    opened.execution.moveTo(environment.freeContext, changed)
    return opened.execution
  }

  #isStored({ height, hash }: Pick<Opened, 'height' | 'hash'>): boolean {
    const stored = this.#dependencies.blocks.blockHashAt(height)
    return stored !== undefined && equalBytes(stored, hash)
  }
}

const isGood = (execution: KeptExecution): boolean =>
  execution.isUsable && execution.heldBytes <= maxHeldBytes
