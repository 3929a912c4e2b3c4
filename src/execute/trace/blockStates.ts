import { LRUCache } from 'lru-cache'
import { toHex } from '../../base/encoding/hex.ts'
import { daoForkChanges, withBalances } from '../../chain/state/daoFork.ts'
import type { EvmStateReader } from '../../chain/state/evmState.ts'
import { VersionedChanges } from '../overlay/versionedState.ts'
import { BlockReplayer } from './blockReplayer.ts'
import type { TraceDeadline } from './traceDeadline.ts'
import type { StoredBlock, TraceSources } from './traceSources.ts'
import type { TraceTask } from './traceTask.ts'

/** The memory for the changes within blocks. */
const maxBytes = 16 * 2 ** 20

/** The changes of the transactions of a block that were executed so far: first those before all of them, then one by one. */
interface BlockChanges {
  readonly changes: VersionedChanges
  /** The number of logs before each transaction, and after the last. */
  readonly logs: number[]
}

export interface StateBefore {
  readonly state: EvmStateReader
  /** The number of logs of the transactions before. */
  readonly logs: number
}

/**
 * The states between the transactions of the blocks that were traced last, so that who traces one transaction of a block
 * after the other has each of them executed once.
 */
export class BlockStates {
  readonly #sources: TraceSources
  readonly #blocks = new LRUCache<string, BlockChanges>({
    maxSize: maxBytes,
    sizeCalculation: ({ changes }) => changes.bytes + 1_000,
  })

  constructor(sources: TraceSources) {
    this.#sources = sources
  }

  /** Returns the state before a transaction of the block after the task's block. */
  before(task: TraceTask, block: StoredBlock, index: number, clock: TraceDeadline): StateBefore {
    const key = this.#keyOf(task, block)
    const known = (key === undefined ? undefined : this.#blocks.get(key)) ?? {
      changes: new VersionedChanges(),
      logs: [0],
    }
    this.#extend(known, task, block, index, clock)
    if (key !== undefined) {
      // It has grown, and the size of what is set again is not requested again.
      this.#blocks.delete(key)
      this.#blocks.set(key, known)
    }
    const { changes, logs } = known
    return { state: changes.after(index + 1, this.#baseOf(task, block)), logs: logs[index] ?? 0 }
  }

  /** Returns the state before the first transaction, as far as it is not made by calls. */
  #baseOf(task: TraceTask, { header, state }: StoredBlock): EvmStateReader {
    const irregular = daoForkChanges(this.#sources.config(task), header.number, state)
    return irregular === undefined ? state : withBalances(state, irregular)
  }

  #extend(
    { changes, logs }: BlockChanges,
    task: TraceTask,
    block: StoredBlock,
    index: number,
    clock: TraceDeadline,
  ): void {
    if (changes.steps > index) return
    const { evm } = this.#sources.dependencies
    const config = this.#sources.config(task)
    const isBegun = changes.steps > 0
    const state = isBegun ? changes.after(changes.steps, this.#baseOf(task, block)) : block.state
    const replay = new BlockReplayer(evm, { ...block, config, state }, clock.limits, false, isBegun)
    if (!isBegun) changes.add(replay.execution.drainChanges())
    while (changes.steps <= index) {
      clock.restart()
      const { logs: own } = replay.execute(changes.steps - 1)
      logs.push((logs.at(-1) ?? 0) + own.length)
      changes.add(replay.execution.drainChanges())
    }
  }

  /** Returns the name under which the changes are kept; undefined if they are not those of the chain. */
  #keyOf(task: TraceTask, { header }: StoredBlock): string | undefined {
    const { blocks, state } = this.#sources.dependencies
    const { height } = task.block
    const hash = blocks.blockHashAt(height + 1)
    if (hash === undefined || task.options.overrides !== undefined || BigInt(height + 1) !== header.number)
      return undefined
    return `${toHex(hash)} ${state.newestEdit(height)}`
  }
}
