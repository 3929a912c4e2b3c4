import { keccak256 } from '../../base/crypto.ts'
import type { Header } from '../../chain/block/header.ts'
import { refused } from '../../chain/chainError.ts'
import type { ChainConfig } from '../../chain/config/chainConfig.ts'
import { daoForkChanges, withBalances } from '../../chain/config/daoFork.ts'
import type { Fork } from '../../chain/config/forks.ts'
import type { EvmStateReader } from '../../chain/state/evmState.ts'
import { createOverlay } from '../../chain/state/overlay.ts'
import { decodeTransaction } from '../../chain/transaction/decode.ts'
import { senderOfIncluded } from '../../chain/transaction/impersonation.ts'
import type { Evm } from '../../evm/evm.ts'
import { applyPreBlockCalls } from '../../evm/systemCalls.ts'
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

/** A block to execute again, and the state after its parent. */
export interface ReplayedBlock {
  readonly config: ChainConfig
  readonly header: Header
  readonly rawTransactions: readonly Uint8Array[]
  readonly state: EvmStateReader
  readonly blockHash: (number: bigint) => Uint8Array
}

const noopTracer: Tracer = {}

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
      chainId: config.chainId,
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

  execute(index: number, tracer: Tracer = noopTracer): TransactionResult {
    const { fields, sender } = this.#read(index)
    this.#tracer = tracer
    const result = this.execution.transact(fields, sender)
    this.#tracer = noopTracer
    if (!result.valid) throw refused(`tracing failed: ${result.reason}`)
    this.logs += result.logs.length
    return result
  }

  hashOf(index: number): Uint8Array {
    return keccak256(this.#raw(index))
  }

  /** Returns the current state, for another execution. */
  currentState(): EvmStateReader {
    return createOverlay(this.#base, this.execution.drainChanges())
  }

  #raw(index: number): Uint8Array {
    const raw = this.#block.rawTransactions[index]
    if (raw === undefined) throw new Error(`the block has no transaction ${index}`)
    return raw
  }

  #read(index: number): { readonly fields: TransactionFields; readonly sender: Uint8Array } {
    const transaction = decodeTransaction(this.#raw(index))
    const sender = senderOfIncluded(transaction, this.fork)
    if (sender === undefined) throw refused('tracing failed: invalid sender')
    return { fields: toTransactionFields(transaction), sender }
  }
}
