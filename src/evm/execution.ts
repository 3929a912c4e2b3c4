import { fromHex } from '../base/encoding/hex.ts'
import { type Fork, since } from '../chain/config/forks.ts'
import { ethereumLimits } from '../chain/config/limits.ts'
import { gasPerBlob } from '../chain/fees/blobGas.ts'
import type { ChangedKeys, EvmStateReader, StateChanges } from '../chain/state/evmState.ts'
import { chargedGas, floorGas, intrinsicGas } from '../chain/transaction/intrinsicGas.ts'
import type { HostState } from './host/createHost.ts'
import { decodeLogs } from './host/decodeLogs.ts'
import { drainChanges } from './host/drainChanges.ts'
import { createExecutionReader, createHookReader } from './host/executionReader.ts'
import { haltReason } from './host/haltReasons.ts'
import type { EvmInstance } from './host/instance.ts'
import { renewState } from './host/renewState.ts'
import { readWord, writeBytesAsWord, writeWord } from './host/words.ts'
import { writeContext } from './host/writeContext.ts'
import { selectTracedOpcodes } from './tracing/traceImports.ts'
import { blockBlobBaseFee } from './transaction/blobFee.ts'
import { executeMessage, type FrameOutcome, runMessage } from './transaction/runMessage.ts'
import { checkData, checkTransaction, type SenderState } from './transaction/validity.ts'
import {
  type AttemptResult,
  type CallMessage,
  type CallResult,
  type Execution,
  type ExecutionContext,
  type ExecutionLimits,
  InterruptedError,
  type InvalidTransaction,
  type KeptExecution,
  type TransactionFields,
  type TransactionOptions,
  type TransactionResult,
  type Withdrawal,
} from './types.ts'

const systemAddress = fromHex('0xfffffffffffffffffffffffffffffffffffffffe')
const systemGas = 30_000_000n
/** The codes that calls created and reverted, after which an execution is not kept. */
const maxKeptCodes = 100
/** A call that was executed and not settled yet. */
interface CallRun {
  readonly outcome: FrameOutcome
  readonly payer: number
  readonly floor: bigint
}

/** The execution over one instance; see the interface for the methods. */
export class EvmExecution implements Execution, KeptExecution {
  readonly #instance: EvmInstance
  readonly #host: HostState
  readonly #fork: Fork
  #context: ExecutionContext
  #blobBaseFee: bigint
  readonly #isCurrent: () => boolean
  #isBroken = false

  constructor(host: HostState, isCurrent: () => boolean) {
    this.#host = host
    this.#instance = host.instance
    this.#context = host.context
    this.#fork = host.context.fork
    this.#blobBaseFee = blockBlobBaseFee(host.context.block)
    this.#isCurrent = isCurrent
    writeContext(host, this.#blobBaseFee)
  }

  get evmState(): EvmStateReader {
    return createExecutionReader(this.#instance, this.#context.evmState, (act) => this.#guard(act))
  }

  transact(
    tx: TransactionFields,
    from: Uint8Array,
    options: TransactionOptions = {},
  ): TransactionResult | InvalidTransaction {
    return this.#guard(() => {
      const { block, chainId, chainLimits = ethereumLimits } = this.#context
      const fork = this.#fork
      const prices = { baseFee: block.baseFee, blobBaseFee: this.#blobBaseFee }
      const payer = this.#instance.account(from)
      const sender = this.#senderState(payer)
      const intrinsic = intrinsicGas(fork, tx)
      const floor = floorGas(fork, tx.data)
      const reason =
        checkTransaction(tx, sender, fork, chainId, block, prices, options, chainLimits) ??
        checkData(tx, fork, intrinsic, floor, chainLimits)
      if (reason !== undefined) return { valid: false, reason }

      const tip = tx.maxPriorityFeePerGas + block.baseFee
      const isLondon = since(fork, 'london')
      const price = isLondon && tip < tx.maxFeePerGas ? tip : tx.maxFeePerGas
      const blobGasUsed = BigInt(tx.blobVersionedHashes.length) * gasPerBlob
      this.#notifyTracer(tx, from, price, sender.nonce)
      this.#beginTransaction(from, price, tx.blobVersionedHashes)
      this.#subtract(payer, tx.gasLimit * price + blobGasUsed * this.#blobBaseFee)
      const outcome = runMessage(
        this.#instance,
        this.#context,
        tx,
        { from, account: payer, nonce: sender.nonce },
        tx.gasLimit - intrinsic,
      )
      const result = this.#result(outcome, tx.gasLimit)
      const forbidden = options.findForbiddenLogs?.(result.logs)
      if (forbidden !== undefined) {
        this.#instance.run.revertAll()
        return { valid: false, reason: forbidden }
      }
      const cap = result.gasUsed / (isLondon ? 5n : 2n)
      const gasUsed = this.#settleGas(payer, tx.gasLimit, price, result, floor)
      this.#instance.run.endTransaction()
      this.#context.tracer?.end?.({ gasUsed })
      return {
        ...result,
        gasUsed,
        refund: result.refund < cap ? result.refund : cap,
        peakGas: result.gasUsed < floor ? floor : result.gasUsed,
        effectiveGasPrice: price,
        blobGasUsed,
      }
    })
  }

  call(message: CallMessage): CallResult | InvalidTransaction {
    return this.#guard(() => {
      const ran = this.#runCall(message)
      if ('reason' in ran) return ran
      const { outcome, payer, floor } = ran
      const { gasLimit, gasPrice } = message
      const result = this.#result(outcome, gasLimit)
      if (message.isPaid) this.#settleGas(payer, gasLimit, gasPrice, result, floor)
      this.#instance.run.endTransaction()
      this.#context.tracer?.end?.({ gasUsed: chargedGas(this.#fork, result.gasUsed, result.refund, floor) })
      return result
    })
  }

  // It is the path of every small call, and so has no closure.
  attempt(message: CallMessage, limits: ExecutionLimits): AttemptResult | InvalidTransaction {
    this.#assertUsable()
    const { run } = this.#instance
    this.#host.limits = limits
    try {
      run.trimCode()
      const ran = this.#runCall(message)
      if ('reason' in ran) return ran
      const { status, gasLeft } = ran.outcome
      const result: AttemptResult = {
        valid: true,
        success: status === 0,
        error: haltReason(status),
        gasUsed: message.gasLimit - gasLeft,
        refund: run.refund.value,
        output: this.#instance.returnData,
      }
      run.revertAll()
      return result
    } catch (error) {
      this.#noteFailure(error)
      throw error
    }
  }

  get isUsable(): boolean {
    return !this.#isBroken && this.#isCurrent()
  }

  get heldBytes(): number {
    const { instance, keptCode } = this.#host
    // What memory-heavy calls left behind, and the code of many contracts, count too.
    if (instance.isOvergrown || keptCode.size > maxKeptCodes) return Number.POSITIVE_INFINITY
    return instance.run.stateBytes()
  }

  moveTo(context: ExecutionContext, changed: ChangedKeys): void {
    this.#guard(() => {
      this.#host.context = context
      this.#context = context
      this.#blobBaseFee = blockBlobBaseFee(context.block)
      this.#instance.run.forgetBlockHashes()
      writeContext(this.#host, this.#blobBaseFee)
      renewState(this.#instance, changed)
    })
  }

  /** Executes a call to its end. Nothing is settled yet. */
  #runCall(message: CallMessage): CallRun | InvalidTransaction {
    const fork = this.#fork
    const { from, gasLimit, gasPrice, blobVersionedHashes } = message
    const intrinsic = intrinsicGas(fork, message)
    const floor = floorGas(fork, message.data)
    const limits = this.#context.chainLimits ?? ethereumLimits
    const reason = checkData(message, fork, intrinsic, floor, limits)
    if (reason !== undefined) return { valid: false, reason }
    const payer = this.#instance.account(from)
    const { view, at } = this.#instance
    const nonce = view.getBigUint64(payer + at.A_NONCE, true)
    const blobGas = BigInt(blobVersionedHashes.length) * gasPerBlob
    const cost = message.isPaid ? gasLimit * gasPrice + blobGas * this.#blobBaseFee : 0n
    if (message.value > 0n || cost > 0n) {
      const balance = readWord(view, payer + at.A_BALANCE)
      if (balance < message.value) return { valid: false, reason: 'insufficient funds for transfer' }
      if (balance < message.value + cost)
        return { valid: false, reason: 'insufficient funds for gas * price + value' }
    }
    this.#notifyTracer(message, from, gasPrice, nonce)
    this.#beginTransaction(from, gasPrice, blobVersionedHashes)
    if (cost > 0n) this.#subtract(payer, cost)
    return {
      outcome: runMessage(
        this.#instance,
        this.#context,
        message,
        { from, account: payer, nonce },
        gasLimit - intrinsic,
      ),
      payer,
      floor,
    }
  }

  systemCall(to: Uint8Array, data: Uint8Array): CallResult | undefined {
    return this.#guard(() => {
      this.#beginTransaction(systemAddress, 0n, [])
      const account = this.#instance.account(to)
      if (this.#instance.run.codeOf(account) === 0) return undefined
      this.#instance.run.warmAccount(account)
      const outcome = executeMessage(this.#instance, {
        from: systemAddress,
        to,
        value: 0n,
        data,
        gas: systemGas,
        nonce: 0n,
      })
      const result = this.#result(outcome, systemGas)
      this.#instance.run.endTransaction()
      return result
    })
  }

  withdraw(withdrawals: readonly Withdrawal[]): void {
    this.#guard(() => {
      this.#instance.run.beginTransaction()
      for (const { address, amount } of withdrawals)
        this.#add(this.#instance.account(address), amount * 1_000_000_000n)
      this.#instance.run.endTransaction()
    })
  }

  credit(address: Uint8Array, amount: bigint): void {
    this.#guard(() => {
      this.#instance.run.beginTransaction()
      this.#add(this.#instance.account(address), amount)
      this.#instance.run.endTransaction()
    })
  }

  drainChanges(): StateChanges {
    return this.#guard(() => drainChanges(this.#instance))
  }

  /**
   * Runs `act`, and marks the execution as unusable if it throws, because a failure of the host or of memory
   * leaves the journal incomplete.
   */
  #guard<Result>(act: () => Result): Result {
    this.#assertUsable()
    try {
      return act()
    } catch (error) {
      this.#noteFailure(error)
      throw error
    }
  }

  #assertUsable(): void {
    if (!this.isUsable) throw new Error('this execution is over')
  }

  #noteFailure(error: unknown): void {
    if (!(error instanceof InterruptedError) || error.reason === 'memory limit') this.#isBroken = true
  }

  #beginTransaction(origin: Uint8Array, gasPrice: bigint, blobHashes: readonly Uint8Array[]): void {
    this.#instance.run.beginTransaction()
    const { run, bytes, view, at } = this.#instance
    selectTracedOpcodes(this.#instance, this.#context.tracer)
    this.#host.resetTrace()
    this.#host.slices = 0
    writeBytesAsWord(bytes, at.CTX_ORIGIN, origin)
    writeWord(view, at.CTX_GASPRICE, gasPrice)
    const count = Math.min(blobHashes.length, at.BLOB_LIMIT)
    for (let i = 0; i < count; i++) bytes.set(blobHashes[i] as Uint8Array, at.BLOBS + i * 32)
    run.setBlobCount(count)
  }

  /** Calls the tracer's start hook. */
  #notifyTracer(
    message: Pick<CallMessage, 'to' | 'value' | 'data' | 'gasLimit' | 'authorizationList'>,
    from: Uint8Array,
    gasPrice: bigint,
    nonce: bigint,
  ): void {
    const { tracer, block } = this.#context
    if (tracer?.start === undefined) return
    const { to, value, data, gasLimit, authorizationList } = message
    const state = createHookReader(this.#instance, this.#context.evmState)
    tracer.start({
      fork: this.#fork,
      block,
      from,
      to,
      value,
      data,
      gasLimit,
      gasPrice,
      nonce,
      authorizationList,
      state,
    })
  }

  #senderState(account: number): SenderState {
    const code = this.#instance.run.codeOf(account)
    const { view, at } = this.#instance
    return {
      nonce: view.getBigUint64(account + at.A_NONCE, true),
      balance: readWord(view, account + at.A_BALANCE),
      hasContractCode:
        code !== 0 && (!since(this.#fork, 'prague') || view.getUint32(code + at.C_DELEGATED, true) === 0),
    }
  }

  #result({ status, gasLeft, created }: FrameOutcome, gasLimit: bigint): CallResult {
    const { run } = this.#instance
    return {
      valid: true,
      success: status === 0,
      error: haltReason(status),
      gasUsed: gasLimit - gasLeft,
      refund: run.refund.value,
      output: this.#instance.returnData,
      logs: decodeLogs(this.#instance),
      created,
    }
  }

  /** Refunds the unused gas, pays the beneficiary, and returns the gas that was charged. */
  #settleGas(payer: number, gasLimit: bigint, price: bigint, result: CallResult, floor: bigint): bigint {
    const { coinbase, baseFee } = this.#context.block
    const gasUsed = chargedGas(this.#fork, result.gasUsed, result.refund, floor)
    this.#add(payer, (gasLimit - gasUsed) * price)
    const tip = since(this.#fork, 'london') ? price - baseFee : price
    // A simulated message may pay for its blobs but not for its gas.
    this.#add(this.#instance.account(coinbase), tip > 0n ? gasUsed * tip : 0n)
    return gasUsed
  }

  #add(account: number, amount: bigint): void {
    this.#instance.run.addBalance(account, this.#instance.amount(amount))
  }

  #subtract(account: number, amount: bigint): void {
    this.#instance.run.subBalance(account, this.#instance.amount(amount))
  }
}
