import { equalBytes, noBytes } from '../base/bytes.ts'
import { type Fork, since } from '../chain/forks.ts'
import type { WorldChanges, WorldReader } from '../chain/world.ts'
import { applyAuthorizations } from './authorization.ts'
import { blockBlobBaseFee, gasPerBlob } from './blobFee.ts'
import { emptyCodeHash, readAccount, takeChanges } from './changes.ts'
import { haltReason } from './halts.ts'
import { type HostState, interruptReason } from './host.ts'
import type { Instance } from './instance.ts'
import { chargedGas, floorGas, intrinsicGas } from './intrinsicGas.ts'
import { readLogs } from './logs.ts'
import {
  type AccessListEntry,
  type CallMessage,
  type CallResult,
  type Execution,
  type ExecutionContext,
  InterruptedError,
  type InvalidTransaction,
  type TransactionFields,
  type TransactionOptions,
  type TransactionResult,
  type Withdrawal,
} from './types.ts'
import { checkData, checkTransaction, type SenderState } from './validity.ts'
import { readWord, readWordAsBytes, writeBytesAsWord, writeWord } from './words.ts'

const systemAddress = Uint8Array.from(Buffer.from('fffffffffffffffffffffffffffffffffffffffe', 'hex'))
const systemGas = 30_000_000n
const interrupted = -2
/** The machine counts gas in 63 bits, and the highest number stands for what nobody has. */
const maxGas = 2n ** 63n - 2n

/** The message of a top-level call. */
interface Message {
  readonly from: Uint8Array
  readonly to: Uint8Array | undefined
  readonly value: bigint
  readonly data: Uint8Array
  readonly gas: bigint
  /** The sender's nonce before the transaction: it gives a creation its address. */
  readonly nonce: bigint
}

interface Outcome {
  readonly status: number
  readonly gasLeft: bigint
  readonly created: Uint8Array | undefined
}

/** Executes over one instance; see the interface for what the methods mean. */
export class MachineExecution implements Execution {
  readonly world: WorldReader
  readonly #instance: Instance
  readonly #context: ExecutionContext
  readonly #host: HostState
  readonly #fork: Fork
  readonly #blobBaseFee: bigint
  readonly #isCurrent: () => boolean
  #isBroken = false

  constructor(host: HostState, isCurrent: () => boolean) {
    this.#host = host
    this.#instance = host.instance
    this.#context = host.context
    this.#fork = host.context.fork
    this.#blobBaseFee = blockBlobBaseFee(host.context.block)
    this.#isCurrent = isCurrent
    this.#writeContext()
    this.world = this.#reader()
  }

  transact(
    tx: TransactionFields,
    from: Uint8Array,
    options: TransactionOptions = {},
  ): TransactionResult | InvalidTransaction {
    return this.#guard(() => {
      const { block, chainId } = this.#context
      const fork = this.#fork
      const prices = { baseFee: block.baseFee, blobBaseFee: this.#blobBaseFee }
      const sender = this.#senderState(from)
      const intrinsic = intrinsicGas(fork, tx)
      const floor = floorGas(fork, tx.data)
      const reason =
        checkTransaction(tx, sender, fork, chainId, block, prices, options) ??
        checkData(tx, fork, intrinsic, floor)
      if (reason !== undefined) return { valid: false, reason }

      const tip = tx.maxPriorityFeePerGas + block.baseFee
      const isLondon = since(fork, 'london')
      const price = isLondon && tip < tx.maxFeePerGas ? tip : tx.maxFeePerGas
      const blobGasUsed = BigInt(tx.blobVersionedHashes.length) * gasPerBlob
      this.#begin(from, price, tx.blobVersionedHashes)
      this.#subtract(from, tx.gasLimit * price + blobGasUsed * this.#blobBaseFee)
      const outcome = this.#runMessage(tx, from, sender.nonce, tx.gasLimit - intrinsic)
      const result = this.#result(outcome, tx.gasLimit)
      const cap = result.gasUsed / (isLondon ? 5n : 2n)
      const gasUsed = this.#settle(from, tx.gasLimit, price, result, floor)
      this.#instance.run.endTransaction()
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
      const fork = this.#fork
      const { from, gasLimit, gasPrice, blobVersionedHashes } = message
      const intrinsic = intrinsicGas(fork, message)
      const floor = floorGas(fork, message.data)
      const reason = checkData(message, fork, intrinsic, floor)
      if (reason !== undefined) return { valid: false, reason }
      const sender = this.#senderState(from)
      if (sender.balance < message.value) return { valid: false, reason: 'insufficient funds for transfer' }
      const blobGas = BigInt(blobVersionedHashes.length) * gasPerBlob
      const cost = message.isPaid ? gasLimit * gasPrice + blobGas * this.#blobBaseFee : 0n
      if (sender.balance < message.value + cost)
        return { valid: false, reason: 'insufficient funds for gas * price + value' }
      this.#begin(from, gasPrice, blobVersionedHashes)
      if (cost > 0n) this.#subtract(from, cost)
      const outcome = this.#runMessage(message, from, sender.nonce, gasLimit - intrinsic)
      const result = this.#result(outcome, gasLimit)
      if (message.isPaid) this.#settle(from, gasLimit, gasPrice, result, floor)
      this.#instance.run.endTransaction()
      return result
    })
  }

  systemCall(to: Uint8Array, data: Uint8Array): CallResult | undefined {
    return this.#guard(() => {
      this.#begin(systemAddress, 0n, [])
      const account = this.#instance.account(to)
      if (this.#instance.run.codeOf(account) === 0) return undefined
      this.#instance.run.warmAccount(account)
      const outcome = this.#execute({ from: systemAddress, to, value: 0n, data, gas: systemGas, nonce: 0n })
      const result = this.#result(outcome, systemGas)
      this.#instance.run.endTransaction()
      return result
    })
  }

  withdraw(withdrawals: readonly Withdrawal[]): void {
    this.#guard(() => {
      this.#instance.run.beginTransaction()
      for (const { address, amount } of withdrawals) this.#add(address, amount * 1_000_000_000n)
      this.#instance.run.endTransaction()
    })
  }

  credit(address: Uint8Array, amount: bigint): void {
    this.#guard(() => {
      this.#instance.run.beginTransaction()
      this.#add(address, amount)
      this.#instance.run.endTransaction()
    })
  }

  takeChanges(): WorldChanges {
    return this.#guard(() => takeChanges(this.#instance))
  }

  /** A failure of the host or of memory leaves the journal half done: nothing more may come from it. */
  #guard<Result>(act: () => Result): Result {
    if (this.#isBroken || !this.#isCurrent()) throw new Error('this execution is over')
    try {
      return act()
    } catch (error) {
      if (!(error instanceof InterruptedError) || error.reason === 'memory limit') this.#isBroken = true
      throw error
    }
  }

  #writeContext(): void {
    const { instance: machine, precompiles } = this.#host
    const { block, chainId, precompiles: given } = this.#context
    const { view, bytes, at } = machine
    writeBytesAsWord(bytes, at.CTX_COINBASE, block.coinbase)
    writeWord(view, at.CTX_TIMESTAMP, block.timestamp)
    writeWord(view, at.CTX_NUMBER, block.number)
    if (since(this.#fork, 'paris') && block.prevRandao !== undefined) {
      writeBytesAsWord(bytes, at.CTX_RANDAO, block.prevRandao)
    } else writeWord(view, at.CTX_RANDAO, block.difficulty)
    writeWord(view, at.CTX_GASLIMIT, block.gasLimit)
    writeWord(view, at.CTX_CHAINID, chainId)
    writeWord(view, at.CTX_BASEFEE, block.baseFee)
    writeWord(view, at.CTX_BLOBFEE, this.#blobBaseFee)
    bytes.fill(0, at.PRECOMPILES, at.PRECOMPILES + at.PRECOMPILE_LIMIT)
    for (const id of precompiles.keys()) if (id < at.PRECOMPILE_LIMIT) bytes[at.PRECOMPILES + id] = 1
    const moved = given?.moved ?? []
    for (const [index, { address }] of moved.entries())
      writeBytesAsWord(bytes, at.MOVED + index * 32, address)
    machine.run.setMovedCount(moved.length)
  }

  #begin(origin: Uint8Array, gasPrice: bigint, blobHashes: readonly Uint8Array[]): void {
    const { run, bytes, view, at } = this.#instance
    run.beginTransaction()
    this.#host.slices = 0
    this.#host.stopped = 0
    writeBytesAsWord(bytes, at.CTX_ORIGIN, origin)
    writeWord(view, at.CTX_GASPRICE, gasPrice)
    const count = Math.min(blobHashes.length, at.BLOB_LIMIT)
    for (let i = 0; i < count; i++) bytes.set(blobHashes[i] as Uint8Array, at.BLOBS + i * 32)
    run.setBlobCount(count)
  }

  #senderState(address: Uint8Array): SenderState {
    const { run, view, at } = this.#instance
    const account = this.#instance.account(address)
    const code = run.codeOf(account)
    return {
      nonce: view.getBigUint64(account + at.A_NONCE, true),
      balance: readWord(view, account + at.A_BALANCE),
      hasContractCode:
        code !== 0 && (!since(this.#fork, 'prague') || view.getUint32(code + at.C_DELEGATED, true) === 0),
    }
  }

  /** From the nonce to the last instruction: what transactions and calls have in common. */
  #runMessage(
    message: Pick<TransactionFields, 'to' | 'value' | 'data' | 'accessList' | 'authorizationList'>,
    from: Uint8Array,
    nonce: bigint,
    gas: bigint,
  ): Outcome {
    const { run } = this.#instance
    const { to, value, data } = message
    if (since(this.#fork, 'berlin')) this.#warm(from, to, message.accessList)
    run.setNonce(this.#instance.account(from), nonce + 1n)
    if (to !== undefined) {
      applyAuthorizations(this.#instance, this.#context.chainId, message.authorizationList)
      this.#warmDelegate(to)
    }
    return this.#execute({ from, to, value, data, gas, nonce })
  }

  /** EIP-2929, EIP-2930 and EIP-3651. */
  #warm(from: Uint8Array, to: Uint8Array | undefined, accessList: readonly AccessListEntry[]): void {
    const { run } = this.#instance
    run.warmAccount(this.#instance.account(from))
    if (to !== undefined) run.warmAccount(this.#instance.account(to))
    for (const { address, storageKeys } of accessList) {
      const account = this.#instance.account(address)
      run.warmAccount(account)
      for (const key of storageKeys) run.warmSlot(this.#instance.slot(account, key))
    }
    if (since(this.#fork, 'shanghai')) run.warmAccount(this.#instance.account(this.#context.block.coinbase))
  }

  /** EIP-7702: where the recipient's code really is. */
  #warmDelegate(to: Uint8Array): void {
    if (!since(this.#fork, 'prague')) return
    const { run, view, at } = this.#instance
    const code = run.codeOf(this.#instance.account(to))
    if (code === 0 || view.getUint32(code + at.C_DELEGATED, true) === 0) return
    run.warmAccount(this.#instance.account(this.#instance.copy(code + at.C_DELEGATE, 20)))
  }

  #execute({ from, to, value, data, gas, nonce }: Message): Outcome {
    const { run, at } = this.#instance
    const input = run.reserveInput(data.length)
    if (input === 0) throw new InterruptedError('memory limit')
    const { view, bytes } = this.#instance
    bytes.set(data, input)
    writeBytesAsWord(bytes, at.MSG_FROM, from)
    writeWord(view, at.MSG_VALUE, value)
    if (to === undefined) {
      run.addressOf(at.MSG_FROM, nonce, at.MSG_TO)
      run.warmAccount(run.account(at.MSG_TO))
    } else writeBytesAsWord(bytes, at.MSG_TO, to)
    const created = to === undefined ? readWordAsBytes(bytes, at.MSG_TO, 20) : undefined
    const given = gas < maxGas ? gas : maxGas
    const status = run.execute(to === undefined ? 1 : 0, data.length, given)
    // A precompile that was stopped looks like one that failed, and code may end well after that.
    if (status === interrupted || this.#host.stopped !== 0) {
      const reason = interruptReason(status === interrupted ? run.interrupted.value : this.#host.stopped)
      run.revertTo(at.JOURNAL)
      throw new InterruptedError(reason)
    }
    return { status, gasLeft: run.endGas.value + gas - given, created }
  }

  #result({ status, gasLeft, created }: Outcome, gasLimit: bigint): CallResult {
    const { run, at } = this.#instance
    return {
      valid: true,
      success: status === 0,
      error: haltReason(status),
      gasUsed: gasLimit - gasLeft,
      refund: run.refund.value,
      output: this.#instance.copy(at.RETURN_DATA, run.returnSize.value),
      logs: readLogs(this.#instance),
      created,
    }
  }

  /** Gives back what was not used and pays the beneficiary; the gas that was paid for. */
  #settle(from: Uint8Array, gasLimit: bigint, price: bigint, result: CallResult, floor: bigint): bigint {
    const { coinbase, baseFee } = this.#context.block
    const gasUsed = chargedGas(this.#fork, result.gasUsed, result.refund, floor)
    this.#add(from, (gasLimit - gasUsed) * price)
    this.#add(coinbase, gasUsed * (since(this.#fork, 'london') ? price - baseFee : price))
    return gasUsed
  }

  #add(address: Uint8Array, amount: bigint): void {
    const account = this.#instance.account(address)
    this.#instance.run.addBalance(account, this.#instance.amount(amount))
  }

  #subtract(address: Uint8Array, amount: bigint): void {
    const account = this.#instance.account(address)
    this.#instance.run.subBalance(account, this.#instance.amount(amount))
  }

  #reader(): WorldReader {
    const instance = this.#instance
    const { world } = this.#context
    return {
      account: (address) => this.#guard(() => readAccount(instance, instance.account(address))),
      storage: (address, slot) =>
        this.#guard(() => {
          const record = instance.slot(instance.account(address), slot)
          return readWordAsBytes(instance.bytes, record + instance.at.S_VALUE, 32)
        }),
      code: (codeHash) =>
        this.#guard(() => (equalBytes(codeHash, emptyCodeHash) ? noBytes : instance.codeByHash(codeHash))),
      hasStorage: (address) => world.hasStorage(address),
    }
  }
}
