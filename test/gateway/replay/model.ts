import { RLP } from '@ethereumjs/rlp'
import { concatBytes, emptyBytes } from '../../../src/base/encoding/bytes.ts'
import { fromHex, toHex } from '../../../src/base/encoding/hex.ts'
import { compact, effectivePrice, keccak, type SignedTransaction } from './block/signing.ts'

/**
 * A small world in place of an EVM: enough for balances, nonces, code and one slot of storage to agree with the
 * transactions of a synthetic chain. Every contract is the same one: what its call data begins with says what it does.
 */

export interface ModelLog {
  readonly address: Uint8Array
  readonly topics: readonly Uint8Array[]
  readonly data: Uint8Array
}

export interface Outcome {
  readonly success: boolean
  /** Empty on success. */
  readonly error: string
  readonly output: Uint8Array
  /** What was used, and what is charged for. */
  readonly usedGas: bigint
  readonly chargedGas: bigint
  readonly logs: readonly ModelLog[]
}

interface Version<T> {
  readonly height: number
  readonly value: T
}

/** A value with its history. */
class History<T> {
  readonly #versions: Version<T>[] = []

  set(height: number, value: T): void {
    if (this.#versions.at(-1)?.height === height) this.#versions.pop()
    this.#versions.push({ height, value })
  }

  at(height: number): T | undefined {
    return this.#versions.findLast((version) => version.height <= height)?.value
  }
}

export const calls = { revert: 0xfd, invalid: 0xfe, outOfGas: 0xf0 } as const

/**
 * What the contract's code is said to be. A first byte of `calls.revert` reverts with the rest, `invalid` and `outOfGas`
 * halt; anything else is stored in slot 0, emits as many logs as its first byte says (modulo 4), and slot 0 is returned.
 */
export const contractCode = Buffer.from(
  '5f3560f81c60fd1460165760ff5f5260205ff35b3660015f373660015f03fd',
  'hex',
)

const word = (bytes: Uint8Array): Uint8Array => {
  const padded = new Uint8Array(32)
  padded.set(bytes.subarray(0, 32))
  return padded
}

export const createdAddress = (sender: Uint8Array, nonce: bigint): Uint8Array =>
  keccak(RLP.encode([sender, compact(nonce)])).subarray(12)

/** 21,000 and what the bytes, the list and a creation cost; not the EVM's sum, but one like it. */
const intrinsicGas = (tx: SignedTransaction): bigint =>
  21_000n +
  (tx.to === undefined ? 32_000n : 0n) +
  BigInt(tx.data.length) * 16n +
  BigInt(tx.accessList.length) * 2_400n +
  BigInt(tx.accessList.reduce((keys, entry) => keys + entry.keys.length, 0)) * 1_900n +
  BigInt(tx.authorizations.length) * 25_000n

const zeroWord = new Uint8Array(32)

export class ModelState {
  readonly #accounts = new Map<string, History<{ readonly nonce: bigint; readonly balance: bigint }>>()
  readonly #codes = new Map<string, History<Uint8Array>>()
  readonly #slots = new Map<string, History<Uint8Array>>()

  account(address: Uint8Array, height: number): { readonly nonce: bigint; readonly balance: bigint } {
    return this.#accounts.get(toHex(address))?.at(height) ?? { nonce: 0n, balance: 0n }
  }

  code(address: Uint8Array, height: number): Uint8Array {
    return this.#codes.get(toHex(address))?.at(height) ?? emptyBytes
  }

  slot(address: Uint8Array, key: Uint8Array, height: number): Uint8Array {
    return this.#slots.get(toHex(concatBytes(address, key)))?.at(height) ?? zeroWord
  }

  /** All accounts of a height. */
  accounts(height: number): readonly { address: Uint8Array; nonce: bigint; balance: bigint }[] {
    return [...this.#accounts].flatMap(([address, history]) => {
      const account = history.at(height)
      return account === undefined ? [] : [{ address: fromHex(address), ...account }]
    })
  }

  /** All slots of a height that are not zero: address and key, and the value. */
  slots(height: number): readonly { place: Uint8Array; value: Uint8Array }[] {
    return [...this.#slots].flatMap(([place, history]) => {
      const value = history.at(height)
      return value === undefined || Buffer.compare(value, zeroWord) === 0
        ? []
        : [{ place: fromHex(place), value }]
    })
  }

  setAccount(address: Uint8Array, height: number, account: { nonce: bigint; balance: bigint }): void {
    set(this.#accounts, toHex(address), height, account)
  }

  setCode(address: Uint8Array, height: number, code: Uint8Array): void {
    set(this.#codes, toHex(address), height, code)
  }

  /** What a call would give; nothing is changed. */
  call(
    to: Uint8Array | undefined,
    data: Uint8Array,
    height: number,
  ): Pick<Outcome, 'error' | 'output' | 'usedGas'> {
    const usedGas = 21_000n + BigInt(data.length) * 16n
    if (to === undefined || this.code(to, height).length === 0)
      return { error: '', output: emptyBytes, usedGas }
    const { error, output } = this.#contract(to, data, height)
    return { error, output, usedGas: usedGas + 2_100n }
  }

  #contract(address: Uint8Array, data: Uint8Array, height: number): { error: string; output: Uint8Array } {
    switch (data[0]) {
      case calls.revert:
        return { error: 'execution reverted', output: data.subarray(1) }
      case calls.invalid:
        return { error: 'invalid opcode: INVALID', output: emptyBytes }
      case calls.outOfGas:
        return { error: 'out of gas', output: emptyBytes }
      case undefined:
        return { error: '', output: this.slot(address, zeroWord, height) }
      default:
        return { error: '', output: word(data) }
    }
  }

  /** Executes a transaction that its sender can pay. `floor`: the least share of the limit that is charged. */
  execute(tx: SignedTransaction, height: number, baseFee: bigint | undefined, floor: number): Outcome {
    const sender = this.account(tx.from, height)
    const address = tx.to ?? createdAddress(tx.from, tx.nonce)
    const { error, output, logs } = this.#run(tx, address, height)
    const halted = error !== '' && error !== 'execution reverted'
    const wanted = intrinsicGas(tx) + BigInt(logs.length) * 2_000n
    const usedGas = halted || wanted > tx.gasLimit ? tx.gasLimit : wanted
    const least = BigInt(Math.floor(Number(tx.gasLimit) * floor))
    const chargedGas = usedGas > least ? usedGas : least
    const success = error === ''
    const paid = chargedGas * effectivePrice(tx, baseFee) + (success ? tx.value : 0n)
    this.setAccount(tx.from, height, { nonce: tx.nonce + 1n, balance: sender.balance - paid })
    if (success) this.#settle(tx, address, height)
    return { success, error, output, usedGas, chargedGas, logs: success ? logs : [] }
  }

  #run(
    tx: SignedTransaction,
    address: Uint8Array,
    height: number,
  ): { error: string; output: Uint8Array; logs: ModelLog[] } {
    if (tx.to === undefined) {
      const failed = tx.data[0] === calls.revert
      return failed
        ? { error: 'execution reverted', output: tx.data.subarray(1), logs: [] }
        : { error: '', output: contractCode, logs: logsOf(address, tx.data, tx.from) }
    }
    if (this.code(address, height).length === 0) return { error: '', output: emptyBytes, logs: [] }
    const { error, output } = this.#contract(address, tx.data, height)
    return { error, output, logs: error === '' ? logsOf(address, tx.data, tx.from) : [] }
  }

  #settle(tx: SignedTransaction, address: Uint8Array, height: number): void {
    if (tx.to === undefined) {
      this.setCode(address, height, contractCode)
      this.setAccount(address, height, { nonce: 1n, balance: 0n })
    } else if (tx.data.length > 0 && this.code(address, height).length > 0)
      set(this.#slots, toHex(concatBytes(address, zeroWord)), height, word(tx.data))
    if (tx.value > 0n) {
      const { nonce, balance } = this.account(address, height)
      this.setAccount(address, height, { nonce, balance: balance + tx.value })
    }
  }
}

const set = <T>(histories: Map<string, History<T>>, key: string, height: number, value: T): void => {
  const history = histories.get(key) ?? new History<T>()
  history.set(height, value)
  histories.set(key, history)
}

/** As many as the first byte says, with zero to three topics more than the first. */
const logsOf = (address: Uint8Array, data: Uint8Array, from: Uint8Array): ModelLog[] =>
  Array.from({ length: (data[0] ?? 0) % 4 }, (_, index) => ({
    address,
    topics: [keccak(Uint8Array.of(index)), concatBytes(new Uint8Array(12), from), word(data)].slice(
      0,
      index + 1,
    ),
    data: data.subarray(0, 40 * index),
  }))
