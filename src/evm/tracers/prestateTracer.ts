import { keccak256 } from '../../base/crypto/crypto.ts'
import { equalBytes } from '../../base/encoding/bytes.ts'
import { fromHex, toHex, toQuantity } from '../../base/encoding/hex.ts'
import { since } from '../../chain/config/forks.ts'
import { type EvmStateReader, emptyCodeHash } from '../../chain/state/evmState.ts'
import { contractAddress } from '../../chain/transaction/contractAddress.ts'
import { parseDelegation } from '../../chain/transaction/delegation.ts'
import { wordToHex } from '../host/words.ts'
import { callOpcodes, lookupOpcodes, opcode, slotOpcodes } from '../tracing/opcodes.ts'
import type { StartEvent, StepEvent } from '../types.ts'
import { copyPadded } from './copyPadded.ts'
import { HeldMemory } from './heldMemory.ts'
import type { TraceOutput } from './output.ts'
import { type ResultTracer, TraceError, type TracerFactory } from './tracer.ts'
import { readFlag } from './tracerConfig.ts'

interface Options {
  readonly diffMode: boolean
  readonly disableCode: boolean
  readonly disableStorage: boolean
  readonly includeEmpty: boolean
  readonly memoryLimit: number
}

/** An account as it was before the first read of it. */
interface AccountBefore {
  readonly address: Uint8Array
  readonly balance: bigint
  readonly nonce: bigint
  readonly code: Uint8Array
  /** The code hash; undefined if there is no code. */
  readonly codeHash: Uint8Array | undefined
  readonly isEmpty: boolean
  readonly storage: Map<string, Uint8Array>
  /** The slots in `storage` as numbers, because the same few are used again and again. */
  readonly seen: Set<bigint>
}

/** The changes of an account; members that did not change are undefined. */
interface AccountAfter {
  readonly balance: bigint | undefined
  readonly nonce: bigint | undefined
  readonly code: Uint8Array | undefined
  readonly codeHash: Uint8Array | undefined
  readonly storage: ReadonlyMap<string, Uint8Array>
}

const unset = new Uint8Array(32)

const toAddress = (word: bigint): Uint8Array => fromHex(`0x${wordToHex(word).slice(26)}`)

/**
 * The tracer that returns the state that a transaction needs to be executed again, or its changes to that
 * state.
 */
export const prestateTracer: TracerFactory = (config, { memoryLimit }) => {
  const options = {
    diffMode: readFlag(config, 'diffMode'),
    disableCode: readFlag(config, 'disableCode'),
    disableStorage: readFlag(config, 'disableStorage'),
    includeEmpty: readFlag(config, 'includeEmpty'),
    memoryLimit,
  }
  if (options.diffMode && options.includeEmpty) throw new TraceError('cannot use diffMode with includeEmpty')
  return new PrestateTracer(options)
}

class PrestateTracer implements ResultTracer {
  readonly stepsOnce = new Set([...slotOpcodes, ...lookupOpcodes, ...callOpcodes])
  readonly steps = [...this.stepsOnce, opcode.selfdestruct, opcode.create, opcode.create2]
  readonly #options: Options
  readonly #before = new Map<string, AccountBefore>()
  readonly #after = new Map<string, AccountAfter>()
  readonly #created = new Set<string>()
  readonly #deleted = new Set<string>()
  readonly #held: HeldMemory
  /** The accounts by the number of their record, and the targets of calls, that were looked up already. */
  readonly #byRecord = new Map<number, AccountBefore>()
  readonly #called = new Set<bigint>()
  #start: StartEvent | undefined

  constructor(options: Options) {
    this.#options = options
    this.#held = new HeldMemory(options.memoryLimit)
  }

  start(event: StartEvent): void {
    this.#start = event
    const to = event.to ?? contractAddress(event.from, event.nonce)
    if (event.to === undefined) this.#created.add(toHex(to))
    else this.#lookUpDelegate(to)
    this.#lookUp(event.from)
    this.#lookUp(to)
    this.#lookUp(event.block.coinbase)
    for (const { authority } of event.authorizationList) if (authority !== undefined) this.#lookUp(authority)
  }

  step(step: StepEvent): void {
    const { op, stackSize, error } = step
    if (error !== undefined) return
    if (slotOpcodes.has(op)) {
      if (stackSize >= 1) this.#lookUpSlot(step)
    } else if (lookupOpcodes.has(op) || op === opcode.selfdestruct) {
      if (stackSize >= 1) this.#lookUp(toAddress(step.stack(0)))
      if (op === opcode.selfdestruct) this.#noteDestruction(toHex(step.address))
    } else if (callOpcodes.has(op)) {
      if (stackSize < 5) return
      const word = step.stack(1)
      if (this.#called.has(word)) return
      const target = toAddress(word)
      this.#lookUp(target)
      this.#lookUpDelegate(target)
      this.#called.add(word)
    } else if (op === opcode.create) {
      const { address } = step
      this.#noteCreation(contractAddress(address, this.#state.account(address)?.nonce ?? 0n))
    } else if (op === opcode.create2 && stackSize >= 4) {
      const init = copyPadded(step, step.stack(1), step.stack(2))
      if (init === undefined) return
      const salt = fromHex(wordToHex(step.stack(3)))
      const packed = Buffer.concat([Uint8Array.of(0xff), step.address, salt, keccak256(init)])
      this.#noteCreation(keccak256(packed).slice(12))
    }
  }

  end(): void {
    if (this.#options.diffMode) this.#compare()
    if (this.#options.includeEmpty) return
    for (const [key, { isEmpty }] of this.#before) if (isEmpty) this.#before.delete(key)
  }

  result(output: TraceOutput): void {
    if (!this.#options.diffMode) return this.#writeBefore(output)
    let lead = '{"post":{'
    for (const [key, change] of inOrder(this.#after)) {
      output.ascii(`${lead}"${key}":`)
      writeAccount(output, change)
      lead = ','
    }
    output.ascii(lead === ',' ? '},"pre":' : '{"post":{},"pre":')
    this.#writeBefore(output)
    output.ascii('}')
  }

  get #state(): EvmStateReader {
    if (this.#start === undefined) throw new Error('no transaction has begun')
    return this.#start.state
  }

  #writeBefore(output: TraceOutput): void {
    let lead = '{'
    for (const [key, seen] of inOrder(this.#before)) {
      output.ascii(`${lead}"${key}":`)
      const hasCode = seen.code.length > 0 && !this.#options.disableCode
      writeAccount(output, {
        balance: seen.balance,
        nonce: seen.nonce === 0n ? undefined : seen.nonce,
        code: hasCode ? seen.code : undefined,
        codeHash: seen.codeHash,
        storage: seen.storage,
      })
      lead = ','
    }
    output.ascii(lead === ',' ? '}' : '{}')
  }

  #codeOf(address: Uint8Array): Uint8Array {
    const hash = this.#state.account(address)?.codeHash
    return hash === undefined ? new Uint8Array(0) : this.#state.code(hash)
  }

  #lookUp(address: Uint8Array): void {
    const key = toHex(address)
    if (this.#before.has(key)) return
    const account = this.#state.account(address)
    const codeHash = account?.codeHash
    const hasCode = codeHash !== undefined && !equalBytes(codeHash, emptyCodeHash)
    const code = hasCode ? this.#state.code(codeHash) : new Uint8Array(0)
    const { balance = 0n, nonce = 0n } = account ?? {}
    this.#held.add(300 + code.length)
    this.#before.set(key, {
      address,
      balance,
      nonce,
      code,
      codeHash: hasCode ? codeHash : undefined,
      isEmpty: nonce === 0n && balance === 0n && code.length === 0,
      storage: new Map(),
      seen: new Set(),
    })
  }

  /** Records the account whose code an account runs (EIP-7702). */
  #lookUpDelegate(address: Uint8Array): void {
    if (this.#start === undefined || !since(this.#start.fork, 'prague')) return
    const delegate = parseDelegation(this.#codeOf(address))
    if (delegate !== undefined) this.#lookUp(delegate)
  }

  #lookUpSlot(step: StepEvent): void {
    if (this.#options.disableStorage) return
    const account = this.#byRecord.get(step.self) ?? this.#before.get(toHex(step.address))
    if (account === undefined) return
    this.#byRecord.set(step.self, account)
    const word = step.stack(0)
    if (account.seen.has(word)) return
    this.#held.add(350)
    const slot = wordToHex(word)
    account.seen.add(word)
    account.storage.set(slot, this.#state.storage(account.address, fromHex(slot)))
  }

  #noteCreation(address: Uint8Array): void {
    this.#lookUp(address)
    this.#created.add(toHex(address))
  }

  /** Records a destruction; an account that existed before the transaction stays (EIP-6780). */
  #noteDestruction(key: string): void {
    if (this.#start !== undefined && since(this.#start.fork, 'cancun') && !this.#created.has(key)) return
    this.#deleted.add(key)
  }

  #compare(): void {
    for (const [key, seen] of this.#before) {
      if (this.#deleted.has(key)) continue
      const change = this.#changeOf(seen)
      if (change === undefined) this.#before.delete(key)
      else this.#after.set(key, change)
    }
  }

  #changeOf(seen: AccountBefore): AccountAfter | undefined {
    const account = this.#state.account(seen.address)
    const { balance = 0n, nonce = 0n } = account ?? {}
    // In geth a missing account has a hash of zeros, and an account without code the hash of no bytes.
    const codeHash = account?.codeHash ?? unset
    const code = this.#codeOf(seen.address)
    const storage = this.#changedSlots(seen)
    const change: AccountAfter = {
      balance: balance === seen.balance ? undefined : balance,
      nonce: nonce === seen.nonce ? undefined : nonce,
      codeHash: equalBytes(codeHash, seen.codeHash ?? emptyCodeHash) ? undefined : codeHash,
      code: this.#options.disableCode || equalBytes(code, seen.code) ? undefined : code,
      storage: storage.after,
    }
    const { balance: b, nonce: n, codeHash: h, code: c } = change
    const isSame = b === undefined && n === undefined && h === undefined && c === undefined
    // A nonce of zero is omitted from the output.
    return isSame && !storage.isChanged ? undefined : { ...change, nonce: n === 0n ? undefined : n }
  }

  #changedSlots(seen: AccountBefore): {
    readonly after: ReadonlyMap<string, Uint8Array>
    readonly isChanged: boolean
  } {
    const after = new Map<string, Uint8Array>()
    let isChanged = false
    for (const [slot, value] of seen.storage) {
      const now = this.#state.storage(seen.address, fromHex(slot))
      const isSame = equalBytes(value, now)
      if (isSame || equalBytes(value, unset)) seen.storage.delete(slot)
      if (isSame) continue
      isChanged = true
      if (!equalBytes(now, unset)) after.set(slot, now)
    }
    return { after, isChanged }
  }
}

const inOrder = <Value>(map: ReadonlyMap<string, Value>): readonly (readonly [string, Value])[] =>
  [...map].sort(([a], [b]) => (a < b ? -1 : 1))

const writeAccount = (
  output: TraceOutput,
  { balance, nonce, code, codeHash, storage }: AccountAfter,
): void => {
  const members: string[] = []
  if (balance !== undefined) members.push(`"balance":"${toQuantity(balance)}"`)
  if (code !== undefined) members.push(`"code":"${toHex(code)}"`)
  if (codeHash !== undefined) members.push(`"codeHash":"${toHex(codeHash)}"`)
  if (nonce !== undefined) members.push(`"nonce":${nonce}`)
  if (storage.size > 0) {
    const slots = inOrder(storage).map(([slot, value]) => `"${slot}":"${toHex(value)}"`)
    members.push(`"storage":{${slots.join(',')}}`)
  }
  output.ascii(`{${members.join(',')}}`)
}
