import type { Log } from '../chain/block/log.ts'
import type { Fork } from '../chain/config/forks.ts'
import type { BlobParameters } from '../chain/fees/blobGas.ts'
import type { EvmStateReader, StateChanges } from '../chain/state/evmState.ts'
import type { InvalidReason } from '../chain/transaction/invalidReason.ts'
import type { AccessListEntry } from '../chain/transaction/types.ts'

/** One of the contracts at small addresses that run outside the interpreter. */
export interface Precompile {
  gas(input: Uint8Array, fork: Fork): bigint
  /** Undefined: the call fails. `interrupt` is polled by long runs; true means stop, the result is dropped. */
  run(input: Uint8Array, interrupt?: () => boolean): Uint8Array | undefined
}

/** The precompiles of a fork, by address as a small integer. */
export type PrecompileTable = (fork: Fork) => ReadonlyMap<number, Precompile>

/** Precompiles at small addresses, and at any others. */
export interface PrecompileSet {
  readonly bySmallAddress: ReadonlyMap<number, Precompile>
  /** At most 32. */
  readonly moved: readonly { readonly address: Uint8Array; readonly precompile: Precompile }[]
}

/** What a block says to the code that runs in it. */
export interface BlockContext {
  readonly number: bigint
  readonly timestamp: bigint
  readonly coinbase: Uint8Array
  readonly gasLimit: bigint
  /** Before Paris; zero after. */
  readonly difficulty: bigint
  /** 32 bytes from Paris on (EIP-4399). */
  readonly prevRandao: Uint8Array | undefined
  /** Zero before London. */
  readonly baseFee: bigint
  /** From Cancun on (EIP-4844); the price of blob gas follows from it and the blob parameters. */
  readonly excessBlobGas: bigint | undefined
  readonly blobParameters: BlobParameters | undefined
  /** What blob gas costs, in place of what follows from the excess: block overrides of calls. */
  readonly blobBaseFee?: bigint
  /** The hash of one of the last 256 blocks; the machine asks for no other. */
  blockHash(number: bigint): Uint8Array
}

/** EIP-7702. */
export interface Authorization {
  /** Zero: any chain. */
  readonly chainId: bigint
  readonly address: Uint8Array
  readonly nonce: bigint
  /** The signer recovered from the signature; undefined where it has none or its s is in the upper half. */
  readonly authority: Uint8Array | undefined
}

/** A decoded transaction, as far as execution looks at it. */
export interface TransactionFields {
  readonly type: 0 | 1 | 2 | 3 | 4
  /** Undefined for legacy transactions without replay protection (EIP-155). */
  readonly chainId: bigint | undefined
  readonly nonce: bigint
  readonly gasLimit: bigint
  /** Types 0 and 1: the gas price. */
  readonly maxFeePerGas: bigint
  /** Types 0 and 1: the gas price. */
  readonly maxPriorityFeePerGas: bigint
  /** Undefined: the data is init code. */
  readonly to: Uint8Array | undefined
  readonly value: bigint
  readonly data: Uint8Array
  readonly accessList: readonly AccessListEntry[]
  /** Type 3; zero and empty elsewhere. */
  readonly maxFeePerBlobGas: bigint
  readonly blobVersionedHashes: readonly Uint8Array[]
  /** Type 4; empty elsewhere. */
  readonly authorizationList: readonly Authorization[]
}

/** Why a frame ended other than by success. */
export type HaltReason =
  | 'execution reverted'
  | 'out of gas'
  | 'stack underflow'
  | 'stack overflow'
  | 'invalid opcode'
  | 'invalid jump destination'
  | 'write protection'
  | 'return data out of bounds'
  | 'max call depth exceeded'
  | 'insufficient balance for transfer'
  | 'contract address collision'
  | 'max code size exceeded'
  | 'max initcode size exceeded'
  | 'invalid code: must not begin with 0xef'
  | 'contract creation code storage out of gas'
  | 'nonce uint64 overflow'
  | 'precompile failed'

/** Why the machine gave up: nothing is known of the result, and nothing of it stays in the journal. */
export type InterruptReason = 'deadline' | 'gas budget' | 'memory limit'

/** Thrown out of an execution that was interrupted; the execution stands where it stood before. */
export class InterruptedError extends Error {
  override readonly name = 'InterruptedError'
  readonly reason: InterruptReason

  constructor(reason: InterruptReason) {
    super(`execution interrupted: ${reason}`)
    this.reason = reason
  }
}

export interface CallResult {
  readonly valid: true
  readonly success: boolean
  /** Undefined on success. */
  readonly error: HaltReason | undefined
  /** Before refunds. */
  readonly gasUsed: bigint
  /** The refund counter at the end, uncapped. */
  readonly refund: bigint
  /** Return data or revert data; the deployed code for a creation. */
  readonly output: Uint8Array
  readonly logs: readonly Log[]
  /** The address of a creation, also of one that failed. */
  readonly created: Uint8Array | undefined
}

export interface TransactionResult extends CallResult {
  /** What the receipt says: after refunds and not below the floor of EIP-7623. */
  readonly gasUsed: bigint
  /** What was given back. */
  readonly refund: bigint
  /** Gas used at its highest, before refunds: what an estimate has to cover. */
  readonly peakGas: bigint
  readonly effectiveGasPrice: bigint
  readonly blobGasUsed: bigint
}

export interface InvalidTransaction {
  readonly valid: false
  readonly reason: InvalidReason
}

export interface TransactionOptions {
  /** Gas that the block still has; the block's whole limit when absent. */
  readonly gasAvailable?: bigint
  /** Blob gas that the block still has; the block's whole maximum when absent. */
  readonly blobGasAvailable?: bigint
}

/** A call outside a transaction of a block: eth_call and its kin. */
export interface CallMessage {
  readonly from: Uint8Array
  readonly to: Uint8Array | undefined
  readonly value: bigint
  readonly data: Uint8Array
  readonly gasLimit: bigint
  /** What GASPRICE says. */
  readonly gasPrice: bigint
  /** Gas and blobs are paid for, to the beneficiary too; otherwise nothing is paid. */
  readonly isPaid?: boolean
  readonly accessList: readonly AccessListEntry[]
  readonly blobVersionedHashes: readonly Uint8Array[]
  readonly authorizationList: readonly Authorization[]
}

export interface ExecutionLimits {
  /** Milliseconds on the clock of `performance.now()`. */
  readonly deadline?: number
  /** Gas after which an execution is interrupted, to be run again elsewhere. Counted in slices of 500,000. */
  readonly gasBudget?: bigint
}

/** EIP-4895; the amount is in gwei. */
export interface Withdrawal {
  readonly address: Uint8Array
  readonly amount: bigint
}

/** Everything that stays the same while one block (or one call) executes. */
export interface ExecutionContext {
  readonly fork: Fork
  readonly chainId: bigint
  readonly evmState: EvmStateReader
  readonly block: BlockContext
  /** In place of those of the fork: state overrides of calls. */
  readonly precompiles?: PrecompileSet
  readonly limits?: ExecutionLimits
  readonly tracer?: Tracer
}

/**
 * Transactions and calls in order over one state. Each leaves its changes in the journal; `takeChanges` hands out
 * those since it was last called, and later reads still see them.
 */
export interface Execution {
  transact(
    transaction: TransactionFields,
    sender: Uint8Array,
    options?: TransactionOptions,
  ): TransactionResult | InvalidTransaction
  /** No nonce and fee checks; what is transferred and paid must be there. Intrinsic gas is charged. */
  call(message: CallMessage): CallResult | InvalidTransaction
  /** A call by the system address without intrinsic gas, 30,000,000 gas; undefined where no code stands. */
  systemCall(to: Uint8Array, data: Uint8Array): CallResult | undefined
  withdraw(withdrawals: readonly Withdrawal[]): void
  /** Adds to a balance outside any transaction (block rewards before Paris); creates the account at need. */
  credit(address: Uint8Array, amount: bigint): void
  drainChanges(): StateChanges
  /** The state as the executions so far left it. */
  readonly evmState: EvmStateReader
}

export type CallKind =
  | 'CALL'
  | 'CALLCODE'
  | 'DELEGATECALL'
  | 'STATICCALL'
  | 'CREATE'
  | 'CREATE2'
  | 'SELFDESTRUCT'

/** A transaction or call that is about to run: nothing of it has happened yet, it has not even paid. */
export interface StartEvent {
  readonly fork: Fork
  readonly block: BlockContext
  readonly from: Uint8Array
  readonly to: Uint8Array | undefined
  readonly value: bigint
  readonly data: Uint8Array
  readonly gasLimit: bigint
  /** What GASPRICE says. */
  readonly gasPrice: bigint
  /** The sender's, which gives a creation its address. */
  readonly nonce: bigint
  readonly authorizationList: readonly Authorization[]
  /** The state as it is at the time of asking, in this and in every later hook. */
  readonly state: EvmStateReader
}

/** It is over: paid for, and what it destroyed is gone. */
export interface EndEvent {
  /** As a receipt says. */
  readonly gasUsed: bigint
}

export interface EnterEvent {
  readonly kind: CallKind
  /** 0 for the outermost. */
  readonly depth: number
  /** The account that calls: with DELEGATECALL too, not the one whose place it takes. */
  readonly from: Uint8Array
  readonly to: Uint8Array
  /** With DELEGATECALL that of the caller; zero with STATICCALL. */
  readonly value: bigint
  readonly gas: bigint
  readonly input: Uint8Array
  readonly isPrecompile: boolean
}

export interface ExitEvent {
  readonly depth: number
  readonly gasUsed: bigint
  readonly output: Uint8Array
  readonly error: HaltReason | undefined
  /** The error in geth's words, with its figures. */
  readonly message: string | undefined
}

/** One instruction, before it runs. One object serves all of them: it holds only during the hook. */
export interface StepEvent {
  readonly pc: number
  readonly op: number
  readonly gas: bigint
  readonly cost: bigint
  /** 1 in the outermost frame. */
  readonly depth: number
  readonly refund: bigint
  /** The account whose storage and balance are in effect. */
  readonly address: Uint8Array
  readonly stackSize: number
  /** 0 is the top of the stack. */
  stack(index: number): bigint
  readonly memorySize: number
  memory(offset: number, length: number): Uint8Array
  readonly returnData: Uint8Array
  /** Set when the instruction cannot be paid for or is not allowed: it does not run. */
  readonly error: HaltReason | undefined
  /** The error in geth's words, with its figures. */
  readonly message: string | undefined
  /** For those who copy much: the machine's memory, and where in it stack (words of 32 bytes, the lowest first) and memory begin. */
  readonly raw: { readonly bytes: Uint8Array; readonly stackAt: number; readonly memoryAt: number }
}

/** Any hook may be absent. Hooks are called from inside the machine and must not call it, but for `StartEvent.state`. */
export interface Tracer {
  start?(event: StartEvent): void
  end?(event: EndEvent): void
  enter?(event: EnterEvent): void
  exit?(event: ExitEvent): void
  step?(event: StepEvent): void
  /** The instructions that `step` is called for beside those that fail; all where it is missing. */
  readonly steps?: readonly number[]
  /** The instruction of the last step failed after it was announced. */
  fault?(event: StepEvent): void
  /** `index` is its place among the logs of the transaction. */
  log?(log: Log, depth: number, index: number): void
  storageRead?(address: Uint8Array, slot: Uint8Array, value: Uint8Array): void
  storageWrite?(address: Uint8Array, slot: Uint8Array, before: Uint8Array, after: Uint8Array): void
  balanceRead?(address: Uint8Array, balance: bigint): void
  /** Any other look at an account: code, existence, a call. */
  accountRead?(address: Uint8Array): void
}
