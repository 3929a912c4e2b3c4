import { keccak256 } from '../../base/crypto/crypto.ts'
import type { Header } from '../../chain/block/header.ts'
import { refused } from '../../chain/chainError.ts'
import type { ChainConfig } from '../../chain/config/chainConfig.ts'
import type { Fork } from '../../chain/config/forks.ts'
import { daoForkChanges, withBalances } from '../../chain/state/daoFork.ts'
import type { EvmStateReader, StateChanges } from '../../chain/state/evmState.ts'
import { noChanges } from '../../chain/state/mergeChanges.ts'
import { createOverlay } from '../../chain/state/overlay.ts'
import { decodeTransaction } from '../../chain/transaction/decode.ts'
import { senderOfIncluded } from '../../chain/transaction/impersonation.ts'
import { applyPreBlockCalls } from '../../evm/block/systemCalls.ts'
import type { Evm } from '../../evm/evm.ts'
import type { ResultTracer } from '../../evm/tracers/tracer.ts'
import { toTransactionFields } from '../../evm/transaction/fields.ts'
import type {
  Execution,
  ExecutionContext,
  ExecutionLimits,
  Tracer,
  TransactionFields,
  TransactionResult,
} from '../../evm/types.ts'
import { toBlockContext } from '../call/blockContext.ts'
import { chainIdOf } from '../call/chainIdOf.ts'
import { RunningState } from '../overlay/runningState.ts'

/** A block to execute again, and the state after its parent. */
export interface ReplayedBlock {
  readonly config: ChainConfig
  readonly header: Header
  readonly rawTransactions: readonly Uint8Array[]
  /** The senders of the transactions, if they were recovered when the block was stored. */
  readonly senders?: readonly Uint8Array[] | undefined
  readonly state: EvmStateReader
  readonly blockHash: (number: bigint) => Uint8Array
}

type ReplayTracer = Tracer & Pick<ResultTracer, 'changes'>

const noopTracer: ReplayTracer = {}

/**
 * Executes the transactions of a block in order. With `isTraced` each of them can have a tracer. `isPreBlockApplied`
 * says that the state already has the changes that the block makes before its first transaction.
 */
export class BlockReplayer {
  readonly fork: Fork
  /** The number of logs so far. */
  logs = 0
  readonly execution: Execution
  readonly #block: ReplayedBlock
  readonly #base: EvmStateReader
  #tracer: Tracer = noopTracer
  /** The state before the next transaction; made for the first tracer that takes changes. */
  #before: RunningState | undefined
  /** The changes of the last traced transaction, which its tracer reads against `before` until the next one. */
  #last: StateChanges = noChanges

  constructor(
    evm: Evm,
    block: ReplayedBlock,
    limits: () => ExecutionLimits,
    isTraced: boolean,
    isPreBlockApplied = false,
  ) {
    const { config, header, blockHash } = block
    const { fork, block: context } = toBlockContext(config, header, blockHash)
    const irregular = isPreBlockApplied ? undefined : daoForkChanges(config, header.number, block.state)
    this.fork = fork
    this.#block = block
    this.#base = irregular ? withBalances(block.state, irregular) : block.state
    const execution: ExecutionContext = {
      fork,
      chainId: chainIdOf(config, block.rawTransactions, decodeTransaction),
      chainLimits: config.limits,
      evmState: this.#base,
      block: context,
      get limits() {
        return limits()
      },
    }
    if (isTraced) Object.defineProperty(execution, 'tracer', { get: () => this.#tracer })
    this.execution = evm.createExecution(execution)
    if (!isPreBlockApplied)
      applyPreBlockCalls(this.execution, fork, {
        hash: header.parentHash,
        beaconRoot: header.parentBeaconBlockRoot,
      })
  }

  execute(index: number, tracer: ReplayTracer = noopTracer): TransactionResult {
    const { fields, sender } = this.#read(index)
    const before = tracer.changes === undefined ? undefined : this.#collectChanges()
    this.#tracer = tracer
    const result = this.execution.transact(fields, sender)
    this.#tracer = noopTracer
    if (!result.valid) throw refused(`tracing failed: ${result.reason}`)
    this.logs += result.logs.length
    if (before !== undefined) {
      this.#last = this.execution.drainChanges()
      tracer.changes?.(before, this.#last)
    }
    return result
  }

  hashOf(index: number): Uint8Array {
    return keccak256(this.#raw(index))
  }

  /** Returns the current state, for another execution. */
  currentState(): EvmStateReader {
    return createOverlay(this.#base, this.execution.drainChanges())
  }

  /** Adds what was executed so far to the state before the next transaction. */
  #collectChanges(): RunningState {
    this.#before ??= new RunningState(this.#base)
    this.#before.add(this.#last)
    this.#before.add(this.execution.drainChanges())
    this.#last = noChanges
    return this.#before
  }

  #raw(index: number): Uint8Array {
    const raw = this.#block.rawTransactions[index]
    if (raw === undefined) throw new Error(`the block has no transaction ${index}`)
    return raw
  }

  #read(index: number): { readonly fields: TransactionFields; readonly sender: Uint8Array } {
    const transaction = decodeTransaction(this.#raw(index))
    const sender = this.#block.senders?.[index] ?? senderOfIncluded(transaction, this.fork)
    if (sender === undefined) throw refused('tracing failed: invalid sender')
    return { fields: toTransactionFields(transaction), sender }
  }
}
