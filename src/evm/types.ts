import type { Log } from '../chain/block/receiptLog.ts'
import type { BlobParameters } from '../chain/config/blobParameters.ts'
import type { Fork } from '../chain/config/forks.ts'
import type { ChainLimits } from '../chain/config/limits.ts'
import type { ChangedKeys, EvmStateReader, StateChanges } from '../chain/state/evmState.ts'
import type { InvalidReason } from '../chain/transaction/invalidReason.ts'
import type { AccessListEntry } from '../chain/transaction/transaction.ts'

/** A precompiled contract, which runs outside the interpreter. */
export interface Precompile {
  gas(input: Uint8Array, fork: Fork): bigint
  /**
   * Returns the output; undefined if the call fails. Long runs poll `interrupt`; if it returns true, they
   * stop and the result is dropped.
   */
  run(input: Uint8Array, interrupt?: () => boolean): Uint8Array | undefined
}

/** Returns the precompiles of a fork, by address as a small integer. */
export type PrecompileTable = (fork: Fork) => ReadonlyMap<number, Precompile>

/** The precompiles at small addresses, and those that were moved to other addresses. */
export interface PrecompileSet {
  readonly bySmallAddress: ReadonlyMap<number, Precompile>
  /** The moved precompiles, at most 32. */
  readonly moved: readonly { readonly address: Uint8Array; readonly precompile: Precompile }[]
}

/** The fields of a block that its code can read. */
export interface BlockContext {
  readonly number: bigint
  readonly timestamp: bigint
  readonly coinbase: Uint8Array
  readonly gasLimit: bigint
  /** The difficulty before Paris; zero after it. */
  readonly difficulty: bigint
  /** 32 bytes from Paris on (EIP-4399); undefined before. */
  readonly prevRandao: Uint8Array | undefined
  /** The base fee; zero before London. */
  readonly baseFee: bigint
  /**
   * The excess blob gas from Cancun on (EIP-4844); the price of blob gas follows from it and the blob
   * parameters.
   */
  readonly excessBlobGas: bigint | undefined
  readonly blobParameters: BlobParameters | undefined
  /** The price of blob gas that replaces the one from the excess, for block overrides of calls. */
  readonly blobBaseFee?: bigint
  /** Returns the hash of one of the last 256 blocks; the EVM asks for no other. */
  blockHash(number: bigint): Uint8Array
}

/** An authorization of a set-code transaction (EIP-7702). */
export interface Authorization {
  /** The chain id; zero for any chain. */
  readonly chainId: bigint
  readonly address: Uint8Array
  readonly nonce: bigint
  /** The recovered signer; undefined if the signature is invalid or its s is in the upper half. */
  readonly authority: Uint8Array | undefined
}

/** The fields of a decoded transaction that execution needs. */
export interface TransactionFields {
  readonly type: 0 | 1 | 2 | 3 | 4
  /** The chain id; undefined for legacy transactions without replay protection (EIP-155). */
  readonly chainId: bigint | undefined
  readonly nonce: bigint
  readonly gasLimit: bigint
  /** The fee cap; the gas price for types 0 and 1. */
  readonly maxFeePerGas: bigint
  /** The tip cap; the gas price for types 0 and 1. */
  readonly maxPriorityFeePerGas: bigint
  /** The recipient; undefined if the data is init code. */
  readonly to: Uint8Array | undefined
  readonly value: bigint
  readonly data: Uint8Array
  readonly accessList: readonly AccessListEntry[]
  /** The fee cap of blob gas for type 3; zero for other types, whose blob hashes are empty. */
  readonly maxFeePerBlobGas: bigint
  readonly blobVersionedHashes: readonly Uint8Array[]
  /** The authorizations of type 4; empty for other types. */
  readonly authorizationList: readonly Authorization[]
  /** Whether it states its sender, on a dev chain; the sender may be a contract. */
  readonly isImpersonated?: true
}

/** Why a frame failed. */
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

/** Why the EVM was interrupted: there is no result, and the journal is unchanged. */
export type InterruptReason = 'deadline' | 'gas budget' | 'memory limit'

/** The error of an interrupted execution, which is as it was before the call. */
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
  /** The reason of the failure; undefined on success. */
  readonly error: HaltReason | undefined
  /** The gas used, before refunds. */
  readonly gasUsed: bigint
  /** The refund counter at the end, uncapped. */
  readonly refund: bigint
  /** The return data or revert data; the deployed code for a creation. */
  readonly output: Uint8Array
  readonly logs: readonly Log[]
  /** The address of a creation, also of a failed one. */
  readonly created: Uint8Array | undefined
}

/** How a call ended that was reverted. */
export type AttemptResult = Omit<CallResult, 'logs' | 'created'>

export interface TransactionResult extends CallResult {
  /** The gas used as the receipt has it: after refunds and not below the floor of EIP-7623. */
  readonly gasUsed: bigint
  /** The gas that was refunded. */
  readonly refund: bigint
  /** The highest gas used, before refunds, which an estimate must cover. */
  readonly peakGas: bigint
  readonly effectiveGasPrice: bigint
  readonly blobGasUsed: bigint
}

export interface InvalidTransaction {
  readonly valid: false
  readonly reason: InvalidReason
}

export interface TransactionOptions {
  /** The gas that is left in the block; the block's whole limit if undefined. */
  readonly gasAvailable?: bigint
  /** The blob gas that is left in the block; the block's whole maximum if undefined. */
  readonly blobGasAvailable?: bigint
  /**
   * Returns the reason if a block may not hold a transaction with these logs; the transaction is then invalid and
   * changes nothing.
   */
  readonly findForbiddenLogs?: (logs: readonly Log[]) => InvalidReason | undefined
}

/** A call outside a block's transactions, as for eth_call. */
export interface CallMessage
  extends Pick<
    TransactionFields,
    'to' | 'value' | 'data' | 'gasLimit' | 'accessList' | 'blobVersionedHashes' | 'authorizationList'
  > {
  readonly from: Uint8Array
  /** The value of GASPRICE. */
  readonly gasPrice: bigint
  /** Whether gas and blobs are paid for, also to the beneficiary. */
  readonly isPaid?: boolean
}

export interface ExecutionLimits {
  /** The deadline in milliseconds on the clock of `performance.now()`. */
  readonly deadline?: number
  /**
   * The gas after which an execution is interrupted, to be repeated in a worker. It is counted in slices of
   * 500,000.
   */
  readonly gasBudget?: bigint | undefined
}

/** A withdrawal (EIP-4895); the amount is in gwei. */
export interface Withdrawal {
  readonly address: Uint8Array
  readonly amount: bigint
}

/** The values that do not change while one block (or one call) is executed. */
export interface ExecutionContext {
  readonly fork: Fork
  readonly chainId: bigint
  /** What the chain allows at most; Ethereum's limits if missing. */
  readonly chainLimits?: ChainLimits
  readonly evmState: EvmStateReader
  readonly block: BlockContext
  /** The precompiles that replace those of the fork, for state overrides of calls. */
  readonly precompiles?: PrecompileSet
  readonly limits?: ExecutionLimits
  readonly tracer?: Tracer
}

/**
 * Transactions and calls in order over one state. Each leaves its changes in the journal; `drainChanges`
 * returns the changes since it was last called, and later reads still see them.
 */
export interface Execution {
  transact(
    transaction: TransactionFields,
    sender: Uint8Array,
    options?: TransactionOptions,
  ): TransactionResult | InvalidTransaction
  /**
   * Executes a call without checks of nonce and fees; the sender must have the funds that are transferred and
   * paid. Intrinsic gas is charged.
   */
  call(message: CallMessage): CallResult | InvalidTransaction
  /**
   * Calls a contract from the system address with 30,000,000 gas and without intrinsic gas; undefined if
   * there is no code.
   */
  systemCall(to: Uint8Array, data: Uint8Array): CallResult | undefined
  withdraw(withdrawals: readonly Withdrawal[]): void
  /**
   * Adds to a balance outside any transaction (block rewards before Paris), and creates the account if
   * needed.
   */
  credit(address: Uint8Array, amount: bigint): void
  drainChanges(): StateChanges
  /** The state after the executions so far. */
  readonly evmState: EvmStateReader
}

/**
 * An execution of calls that are reverted. What they read stays in memory, so that the next one finds it there. It can go
 * on with a later state, of which only what has changed is read again.
 */
export interface KeptExecution {
  /** Executes a call like `Execution.call`, and takes its changes back. */
  attempt(message: CallMessage, limits: ExecutionLimits): AttemptResult | InvalidTransaction
  /** Goes on with a later state of the same chain under the same fork. */
  moveTo(context: ExecutionContext, changed: ChangedKeys): void
  /** Whether it can go on: nothing failed inside, and no other one was begun. */
  readonly isUsable: boolean
  /** The memory that is taken by what was read. */
  readonly heldBytes: number
}

export type CallKind =
  | 'CALL'
  | 'CALLCODE'
  | 'DELEGATECALL'
  | 'STATICCALL'
  | 'CREATE'
  | 'CREATE2'
  | 'SELFDESTRUCT'

/** A transaction or call that is about to be executed; it has changed nothing and paid nothing yet. */
export interface StartEvent extends Omit<CallMessage, 'isPaid' | 'accessList' | 'blobVersionedHashes'> {
  readonly fork: Fork
  readonly block: BlockContext
  /** The sender's nonce, from which the address of a creation follows. */
  readonly nonce: bigint
  /** The state at the time of a read, in this and in every later hook. */
  readonly state: EvmStateReader
}

/** The end of a transaction or call, after the payment and the destructions. */
export interface EndEvent {
  /** The gas used as a receipt has it. */
  readonly gasUsed: bigint
}

export interface EnterEvent {
  readonly kind: CallKind
  /** The depth of the frame; 0 for the outermost. */
  readonly depth: number
  /** The account that calls; with DELEGATECALL too, not the account whose storage is used. */
  readonly from: Uint8Array
  /** The recipient, the created contract or the heir. */
  readonly to: Uint8Array
  /** The value; with DELEGATECALL that of the caller, with STATICCALL zero. */
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
  /** The error in geth's words, with its numbers. */
  readonly message: string | undefined
}

/**
 * One instruction, before it is executed. One object serves all of them and is valid only during the hook.
 */
export interface StepEvent {
  readonly pc: number
  readonly op: number
  readonly gas: bigint
  readonly cost: bigint
  /** The depth of the frame; 1 for the outermost. */
  readonly depth: number
  readonly refund: bigint
  /** The account whose storage and balance are used. */
  readonly address: Uint8Array
  /** The number of its record, which is the same for the same account throughout a transaction. */
  readonly self: number
  readonly stackSize: number
  /** Returns a word of the stack; 0 is the top. */
  stack(index: number): bigint
  readonly memorySize: number
  memory(offset: number, length: number): Uint8Array
  readonly returnData: Uint8Array
  /** The error of an instruction that cannot be paid for or is not allowed, and is not executed. */
  readonly error: HaltReason | undefined
  /** The error in geth's words, with its numbers. */
  readonly message: string | undefined
  /**
   * The EVM's memory for tracers that copy much, and the offsets in it of the stack (words of 32 bytes, the
   * lowest first) and of the frame's memory.
   */
  readonly raw: { readonly bytes: Uint8Array; readonly stackAt: number; readonly memoryAt: number }
}

/** How steps are written as text, and who gets it. */
export interface StepText {
  readonly hasStack: boolean
  /** The instructions that are reported nevertheless. */
  readonly told: readonly number[]
  /** Takes entries, each with a comma before it. The bytes are valid only during the call. */
  write(bytes: Uint8Array): void
}

/**
 * The hooks of a tracer, all optional. They are called from inside the EVM and must not call it, except for
 * `StartEvent.state`.
 */
export interface Tracer {
  start?(event: StartEvent): void
  end?(event: EndEvent): void
  enter?(event: EnterEvent): void
  exit?(event: ExitEvent): void
  step?(event: StepEvent): void
  /** The instructions for which `step` is called, beside those that fail; all if undefined. */
  readonly steps?: readonly number[]
  /**
   * Those of `steps` that need be told only the first time that an account runs them with the same address or slot. They
   * may be told again.
   */
  readonly stepsOnce?: ReadonlySet<number>
  /**
   * Writes the steps behind the first in place of `step`, as entries of an opcode log; undefined if every step is reported.
   * Those that fail are reported all the same.
   */
  readonly text?: StepText | undefined
  /** The frames whose end `exit` is called for; all if undefined. */
  readonly exits?: 'top'
  /** Called if the instruction of the last step failed after that step was reported. */
  fault?(event: StepEvent): void
  /** Called for each log; `index` is its position among the logs of the transaction. */
  log?(log: Log, depth: number, index: number): void
  storageRead?(address: Uint8Array, slot: Uint8Array, value: Uint8Array): void
  storageWrite?(address: Uint8Array, slot: Uint8Array, before: Uint8Array, after: Uint8Array): void
  balanceRead?(address: Uint8Array, balance: bigint): void
  /** Called for any other read of an account: code, existence, a call. */
  accountRead?(address: Uint8Array): void
}
