import { randomUint64 } from '#platform/random'
import { readWordAsBytes, writeBytesAsWord, writeWord } from './words.ts'

/** Offsets in linear memory, exported by the module as constants. */
const layoutNames = [
  ...(['CTX_COINBASE', 'CTX_TIMESTAMP', 'CTX_NUMBER', 'CTX_RANDAO', 'CTX_GASLIMIT', 'CTX_CHAINID'] as const),
  ...([
    'CTX_BASEFEE',
    'CTX_BLOBFEE',
    'CTX_ORIGIN',
    'CTX_GASPRICE',
    'PRECOMPILES',
    'PRECOMPILE_LIMIT',
    'MOVED',
  ] as const),
  ...([
    'MSG_FROM',
    'MSG_TO',
    'MSG_VALUE',
    'IO',
    'IO_END',
    'IO_WORD',
    'TEMP',
    'BLOBS',
    'BLOB_LIMIT',
    'FRAMES',
    'FRAME_SIZE',
  ] as const),
  ...(['F_MEM', 'F_MEMSIZE', 'F_STACK', 'F_SELF', 'F_FLAGS', 'STATIC', 'STATIC_GAS'] as const),
  ...(['STEPS', 'READS', 'TOLD', 'TOLD_SIZE'] as const),
  ...([
    'A_ADDRESS',
    'A_FLAGS',
    'A_NONCE',
    'A_BALANCE',
    'A_CODEHASH',
    'A_GENERATION',
    'A_BASE_FLAGS',
  ] as const),
  ...([
    'A_BASE_GENERATION',
    'A_BASE_NONCE',
    'A_BASE_BALANCE',
    'A_BASE_CODEHASH',
    'A_DIRTY',
    'A_DIRTY_NEXT',
    'EXISTS',
  ] as const),
  ...(['S_ACCOUNT', 'S_GENERATION', 'S_KEY', 'S_VALUE', 'S_BASE', 'S_DIRTY', 'S_DIRTY_NEXT'] as const),
  ...(['C_LENGTH', 'C_BYTES', 'C_DELEGATED', 'C_DELEGATE'] as const),
] as const

export type Layout = Readonly<Record<(typeof layoutNames)[number], number>>

/** A pointer into linear memory. */
type Pointer = number

/** The functions that the module exports. Records of accounts, slots and code are pointers. */
interface Functions {
  configure(fork: number): void
  setSeed(seed: bigint): void
  /** For tests: the hash by which 32 bytes are found in a table. */
  hashBytes(at: Pointer): number
  beginTransaction(): void
  endTransaction(): void
  revertAll(): void
  account(word: Pointer): Pointer
  slot(account: Pointer, key: Pointer): Pointer
  warmAccount(account: Pointer): number
  warmSlot(slot: Pointer): number
  addBalance(account: Pointer, amount: Pointer): void
  subBalance(account: Pointer, amount: Pointer): void
  setNonce(account: Pointer, nonce: bigint): void
  exists(account: Pointer): number
  codeOf(account: Pointer): Pointer
  codeByHash(hash: Pointer): Pointer
  saveBase(account: Pointer): void
  clearDirty(): void
  stateBytes(): number
  renewAccount(word: Pointer, isReplaced: number): void
  renewSlot(word: Pointer, key: Pointer): void
  forgetBlockHashes(): void
  trimCode(): void
  reserveText(withStack: number): Pointer
  takeText(): number
  readonly textStart: { readonly value: number }
  addRefund(amount: bigint): void
  setBlobCount(count: number): void
  setMovedCount(count: number): void
  setMaxCode(size: number): void
  readonly maxCode: { readonly value: number }
  reserveReturn(size: number): Pointer
  reserveCode(length: number): Pointer
  setPatience(factor: number): void
  reserveInput(length: number): Pointer
  execute(creating: number, length: number, gas: bigint): number
  resume(): number
  addressOf(caller: Pointer, nonce: bigint, word: Pointer): void
  deployCode(account: Pointer, hash: Pointer, bytes: Pointer, length: number): void
}

interface Variables {
  readonly paused: { readonly value: number }
  readonly interrupted: { readonly value: number }
  readonly endGas: { readonly value: bigint }
  readonly returnData: { readonly value: number }
  readonly returnSize: { readonly value: number }
  readonly refund: { readonly value: bigint }
  readonly lastLog: { readonly value: number }
  readonly logCount: { readonly value: number }
  readonly firstDirty: { readonly value: number }
  readonly depositSize: { readonly value: number }
  readonly codeWork: { readonly value: bigint }
}

/** The functions that the module imports; see assembly/host.ts. */
export interface HostImports {
  account(address: Pointer, out: Pointer): number
  storage(address: Pointer, slot: Pointer, out: Pointer): void
  code(hash: Pointer): void
  keep(hash: Pointer, bytes: Pointer, length: number): void
  hasStorage(address: Pointer): number
  blockHash(number: bigint, out: Pointer): void
  precompile(id: number, input: Pointer, length: number, gas: bigint): bigint
  tick(): number
  step(pc: number, op: number, gas: bigint, cost: bigint, frame: Pointer, sp: Pointer, error: number): void
  fault(pc: number, op: number, gas: bigint, cost: bigint, frame: Pointer, sp: Pointer, error: number): void
  enter(
    kind: number,
    from: Pointer,
    to: Pointer,
    value: Pointer,
    gas: bigint,
    input: Pointer,
    length: number,
    precompile: number,
  ): void
  exit(gasUsed: bigint, output: Pointer, length: number, error: number): void
  log(entry: Pointer): void
  text(at: Pointer, length: number): void
  read(kind: number, account: Pointer, slot: Pointer, value: Pointer): void
}

/** The growth of memory after which an instance is replaced, because WebAssembly memory never shrinks. */
const maxGrowthBytes = 64 * 2 ** 20

/**
 * An instance of the module with views of its memory that follow its growth: every call of a function of the module may
 * grow it, so that `bytes` and `view` must be requested again after it.
 */
export class EvmInstance {
  readonly run: Functions & Variables
  readonly at: Layout
  readonly #memory: WebAssembly.Memory
  readonly #initialSize: number
  #bytes: Uint8Array
  #view: DataView

  constructor(module: WebAssembly.Module, host: HostImports) {
    const { exports } = new WebAssembly.Instance(module, { host: { ...host } })
    // The module is built from assembly/index.ts together with this file; tests check that the two lists are
    // equal.
    this.run = exports as unknown as Functions & Variables
    const constants = exports as Record<string, { readonly value: number | bigint }>
    this.at = Object.fromEntries(layoutNames.map((name) => [name, Number(constants[name]?.value)])) as Layout
    this.#memory = exports.memory as WebAssembly.Memory
    this.#initialSize = this.#memory.buffer.byteLength
    this.#bytes = new Uint8Array(this.#memory.buffer)
    this.#view = new DataView(this.#memory.buffer)
    // A random seed, so that nobody can choose keys that collide in the tables.
    this.run.setSeed(randomUint64())
  }

  get bytes(): Uint8Array {
    // Growth detaches the buffer.
    if (this.#bytes.length === 0) this.#renew()
    return this.#bytes
  }

  get view(): DataView {
    if (this.#bytes.length === 0) this.#renew()
    return this.#view
  }

  /** The number of bytes by which executions have grown the memory; it never shrinks. */
  get grown(): number {
    return this.#memory.buffer.byteLength - this.#initialSize
  }

  /** Whether it is to be replaced by a new one. */
  get isOvergrown(): boolean {
    return this.grown > maxGrowthBytes
  }

  /** What the last call or creation returned. */
  get returnData(): Uint8Array {
    return this.copy(this.run.returnData.value, this.run.returnSize.value)
  }

  copy(from: number, length: number): Uint8Array {
    return this.bytes.slice(from, from + length)
  }

  /** Returns the record of an account. */
  account(address: Uint8Array): number {
    writeBytesAsWord(this.bytes, this.at.IO_WORD, address)
    return this.run.account(this.at.IO_WORD)
  }

  slot(account: number, key: Uint8Array): number {
    writeBytesAsWord(this.bytes, this.at.IO_WORD, key)
    return this.run.slot(account, this.at.IO_WORD)
  }

  /** Returns the record of a slot, by its key as an integer. */
  slotOf(account: number, key: bigint): number {
    writeWord(this.view, this.at.IO_WORD, key)
    return this.run.slot(account, this.at.IO_WORD)
  }

  addressOf(account: number): Uint8Array {
    return readWordAsBytes(this.bytes, account + this.at.A_ADDRESS, 20)
  }

  /** Writes an amount to memory and returns its pointer. */
  amount(value: bigint): number {
    writeWord(this.view, this.at.IO_WORD, value)
    return this.at.IO_WORD
  }

  codeOf(account: number): Uint8Array {
    return this.#codeBytes(this.run.codeOf(account))
  }

  codeByHash(hash: Uint8Array): Uint8Array {
    this.bytes.set(hash, this.at.IO_WORD)
    return this.#codeBytes(this.run.codeByHash(this.at.IO_WORD))
  }

  #codeBytes(code: number): Uint8Array {
    if (code === 0) return new Uint8Array(0)
    const { view, at } = this
    return this.copy(view.getUint32(code + at.C_BYTES, true), view.getUint32(code + at.C_LENGTH, true))
  }

  #renew(): void {
    this.#bytes = new Uint8Array(this.#memory.buffer)
    this.#view = new DataView(this.#memory.buffer)
  }
}
