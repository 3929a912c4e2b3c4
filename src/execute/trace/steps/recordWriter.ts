import { closeSync, mkdirSync, openSync, renameSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { writeAll } from '../../../base/files/writeAll.ts'
import { maxShownMemory, type ShownStep, type StepSummary } from '../../../evm/tracers/steps/stepPiece.ts'
import type { StepRecorder } from '../../../evm/tracers/steps/stepTracer.ts'
import {
  flag,
  maxStackBytes,
  mirrorBytes,
  type RecordTail,
  type StepRecordFile,
  tailPointerBytes,
  wholeEvery,
} from './recordFormat.ts'

const chunkBytes = 1 << 20
/** More than any step takes: a full stack with its lengths, the shown memory, a message. */
const maxStepBytes = 64 * 1024
const maxMessageBytes = 1024

/** The most bytes of one record. A step takes about 20, so that two million of them have room. */
export const maxRecordBytes = 64e6

/** The deepest word that an instruction changes, counted from the top; SWAP16 reaches the 17th. */
const reach = 17
/** The instructions that reach deeper, by a number in the code (EIP-8024). */
const isDeep = (op: number): boolean => op >= 0xe0 && op <= 0xef

/** The instructions of numbers, pushes and the stack, which are most, write no memory. */
const keepsMemory = (op: number): boolean => op <= 0x1f || (op >= 0x5f && op <= 0x9f)

/**
 * Writes a record. It is there under its name only when it is complete. A disk that takes no more ends the record, not the
 * trace: then the next piece is replayed.
 */
export class StepRecordWriter implements StepRecorder {
  readonly #to: StepRecordFile
  readonly #maxBytes: number
  readonly #mirror = new Uint8Array(mirrorBytes)
  readonly #index: number[] = []
  #file: number | undefined
  readonly #buffer = Buffer.allocUnsafe(chunkBytes + maxStepBytes)
  #at = 0
  #flushed = 0
  #count = 0
  #depth = 0
  #stackSize = 0
  #memorySize = 0
  #lastOp = 0
  /** Whether it takes more steps. */
  #isOpen = true
  /** Whether it was given up. */
  #isOff = false

  constructor(to: StepRecordFile, maxBytes = maxRecordBytes) {
    this.#to = to
    this.#maxBytes = maxBytes
  }

  step(step: ShownStep, code: Uint8Array | undefined): void {
    if (!this.#isOpen) return
    if (this.#flushed + this.#at > this.#maxBytes) {
      this.#isOpen = false
      return
    }
    const isPlace = this.#count % wholeEvery === 0
    if (isPlace) this.#index.push(this.#flushed + this.#at)
    if (isPlace || step.depth !== this.#depth) this.#whole(step, code)
    else this.#difference(step)
    this.#lastOp = step.op
    this.#count++
    if (this.#at >= chunkBytes) this.#flush()
  }

  finish(summary: StepSummary): void {
    const tail: RecordTail = { ...summary, recorded: this.#count, index: this.#index }
    if (!this.#isOff) this.#flush()
    if (this.#file === undefined) return
    try {
      const text = Buffer.from(JSON.stringify(tail))
      const pointer = Buffer.alloc(tailPointerBytes)
      pointer.writeDoubleLE(this.#flushed)
      writeAll(this.#file, text)
      writeAll(this.#file, pointer)
      writeAll(this.#file, this.#to.key)
      closeSync(this.#file)
      this.#file = undefined
      renameSync(this.#part, this.#to.path)
    } catch {
      this.discard()
    }
  }

  /** Ends a record that is not complete. */
  discard(): void {
    this.#isOpen = false
    this.#isOff = true
    if (this.#file === undefined) return
    closeSync(this.#file)
    this.#file = undefined
    rmSync(this.#part, { force: true })
  }

  get #part(): string {
    return `${this.#to.path}.part`
  }

  #flush(): void {
    try {
      if (this.#file === undefined) {
        mkdirSync(dirname(this.#to.path), { recursive: true, mode: 0o700 })
        // Two that record the same at once: the second one does without.
        this.#file = openSync(this.#part, 'wx', 0o600)
      }
      writeAll(this.#file, this.#buffer.subarray(0, this.#at))
      this.#flushed += this.#at
      this.#at = 0
    } catch {
      this.#at = 0
      this.discard()
    }
  }

  #head(flags: number, step: ShownStep): void {
    const { message } = step
    this.#buffer[this.#at++] = flags | (message === undefined ? 0 : flag.hasMessage)
    this.#buffer[this.#at++] = step.op
    this.#number(step.pc)
    this.#number(Number(step.gas))
    this.#number(Number(step.cost))
    if (message === undefined) return
    const text = Buffer.from(message).subarray(0, maxMessageBytes)
    this.#number(text.length)
    this.#at += text.copy(this.#buffer, this.#at)
  }

  #whole(step: ShownStep, code: Uint8Array | undefined): void {
    this.#head(flag.isWhole | (code === undefined ? flag.isCreation : 0), step)
    const { bytes, stackAt, memoryAt } = step.raw
    const { stackSize, memorySize, depth } = step
    const mirror = this.#mirror
    this.#number(depth)
    this.#bytes(step.address)
    if (code !== undefined) this.#bytes(code)
    this.#number(stackSize)
    for (let word = 0; word < stackSize; word++) this.#word(bytes, stackAt + 32 * word)
    mirror.set(bytes.subarray(stackAt, stackAt + 32 * stackSize))
    const shown = Math.min(memorySize, maxShownMemory)
    let used = shown
    while (used > 0 && bytes[memoryAt + used - 1] === 0) used--
    this.#number(memorySize)
    this.#number(used)
    this.#bytes(bytes.subarray(memoryAt, memoryAt + used))
    mirror.set(bytes.subarray(memoryAt, memoryAt + used), maxStackBytes)
    mirror.fill(0, maxStackBytes + used)
    this.#depth = depth
    this.#stackSize = stackSize
    this.#memorySize = memorySize
  }

  #difference(step: ShownStep): void {
    const { bytes, stackAt, memoryAt } = step.raw
    const { stackSize, memorySize } = step
    const mirror = this.#mirror
    const shown = Math.min(memorySize, maxShownMemory)
    let first = shown
    let last = shown
    const mayWrite = !keepsMemory(this.#lastOp) || memorySize !== this.#memorySize
    if (mayWrite && !isSame(mirror, bytes, memoryAt, shown)) {
      first = 0
      while (mirror[maxStackBytes + first] === bytes[memoryAt + first]) first++
      while (mirror[maxStackBytes + last - 1] === bytes[memoryAt + last - 1]) last--
    }
    const hasMemory = first < last || memorySize !== this.#memorySize
    this.#head(hasMemory ? flag.hasMemory : 0, step)
    const common = Math.min(stackSize, this.#stackSize)
    let kept = isDeep(this.#lastOp) ? 0 : Math.max(0, common - reach)
    while (kept < common && isSameWord(mirror, 32 * kept, bytes, stackAt + 32 * kept)) kept++
    this.#number(kept)
    this.#number(stackSize - kept)
    for (let word = kept; word < stackSize; word++) {
      this.#word(bytes, stackAt + 32 * word)
      for (let at = 0; at < 32; at++) mirror[32 * word + at] = bytes[stackAt + 32 * word + at] as number
    }
    this.#stackSize = stackSize
    if (!hasMemory) return
    this.#number(memorySize)
    this.#number(first)
    this.#number(last - first)
    this.#bytes(bytes.subarray(memoryAt + first, memoryAt + last))
    mirror.set(bytes.subarray(memoryAt + first, memoryAt + last), maxStackBytes + first)
    this.#memorySize = memorySize
  }

  /** Writes a number, seven bits a byte, the lowest first. */
  #number(value: number): void {
    let rest = value
    while (rest > 127) {
      this.#buffer[this.#at++] = (rest % 128) | 128
      rest = Math.floor(rest / 128)
    }
    this.#buffer[this.#at++] = rest
  }

  #bytes(bytes: Uint8Array): void {
    this.#buffer.set(bytes, this.#at)
    this.#at += bytes.length
  }

  /** Writes a word, the lowest byte first, without the zeros at its end. */
  #word(bytes: Uint8Array, from: number): void {
    let size = 32
    while (size > 0 && bytes[from + size - 1] === 0) size--
    this.#buffer[this.#at++] = size
    for (let at = from; at < from + size; at++) this.#buffer[this.#at++] = bytes[at] as number
  }
}

const isSameWord = (one: Uint8Array, from: number, other: Uint8Array, otherFrom: number): boolean => {
  for (let at = 0; at < 32; at++) if (one[from + at] !== other[otherFrom + at]) return false
  return true
}

const isSame = (mirror: Uint8Array, bytes: Uint8Array, memoryAt: number, length: number): boolean =>
  Buffer.compare(
    mirror.subarray(maxStackBytes, maxStackBytes + length),
    bytes.subarray(memoryAt, memoryAt + length),
  ) === 0
