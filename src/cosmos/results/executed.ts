import type { Log } from '../../chain/block/receiptLog.ts'
import type { Transaction } from '../../chain/transaction/transaction.ts'

/** A transaction of an Ethereum block, with the values that its native result and events are made of. */
export interface ExecutedTransaction {
  readonly transaction: Transaction
  readonly hash: Uint8Array
  readonly sender: Uint8Array
  readonly result: {
    readonly success: boolean
    readonly error?: string | undefined
    readonly output: Uint8Array
    readonly logs: readonly Log[]
    readonly gasUsed: bigint
    readonly peakGas: bigint
  }
}
