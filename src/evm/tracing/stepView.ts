import type { Fork } from '../../chain/config/forks.ts'
import { haltReason } from '../host/haltReasons.ts'
import type { EvmInstance } from '../host/instance.ts'
import { readWord } from '../host/words.ts'
import type { HaltReason, StepEvent } from '../types.ts'
import { describeFailure } from './stepFailure.ts'

/**
 * A view of the instruction that the EVM reports, without a copy. One object serves all of them, because a
 * trace has millions.
 */
export class StepView implements StepEvent {
  pc = 0
  op = 0
  gas = 0n
  cost = 0n
  depth = 0
  error: HaltReason | undefined
  message: string | undefined
  stackSize = 0
  memorySize = 0
  readonly #raw: { bytes: Uint8Array; stackAt: number; memoryAt: number } = {
    bytes: new Uint8Array(0),
    stackAt: 0,
    memoryAt: 0,
  }
  readonly #current: () => EvmInstance
  #instance: EvmInstance | undefined
  #frame = 0
  #sp = 0

  constructor(current: () => EvmInstance) {
    this.#current = current
  }

  /** Moves the view to another instruction. */
  moveTo(
    pc: number,
    op: number,
    gas: bigint,
    cost: bigint,
    frame: number,
    sp: number,
    error: number,
    depth: number,
  ): void {
    const instance = this.#current()
    const { view, at } = instance
    this.#raw.stackAt = view.getUint32(frame + at.F_STACK, true)
    this.#instance = instance
    this.#frame = frame
    this.#sp = sp
    this.pc = pc
    this.op = op
    this.gas = gas
    this.cost = cost
    this.depth = depth
    this.stackSize = (sp - this.#raw.stackAt) / 32
    this.memorySize = view.getUint32(frame + at.F_MEMSIZE, true)
    this.error = error === 0 ? undefined : haltReason(error)
    this.message = undefined
  }

  /** Where stack and memory lie now: a tracer that reads the state may have moved them. */
  get raw(): { readonly bytes: Uint8Array; readonly stackAt: number; readonly memoryAt: number } {
    const { bytes, view, at } = this.#known
    this.#raw.bytes = bytes
    this.#raw.memoryAt = view.getUint32(this.#frame + at.F_MEM, true)
    return this.#raw
  }

  /**
   * Sets the error text; for an instruction that has not run it depends on the cost that it would have had.
   */
  describeError(fork: Fork, hasRun: boolean): void {
    const instance = this.#known
    const { view, at } = instance
    const isStatic = (view.getUint32(this.#frame + at.F_FLAGS, true) & at.STATIC) !== 0
    const { message, cost } = describeFailure(this, { instance, fork, isStatic, hasRun })
    this.message = message
    this.cost = cost
  }

  /** Removes the error, so that the step is reported like any other. */
  clearError(): void {
    this.error = undefined
    this.message = undefined
  }

  get refund(): bigint {
    return this.#known.run.refund.value
  }

  get address(): Uint8Array {
    const instance = this.#known
    return instance.addressOf(this.self)
  }

  /** The record of the account whose storage is used. */
  get self(): number {
    const { view, at } = this.#known
    return view.getUint32(this.#frame + at.F_SELF, true)
  }

  get returnData(): Uint8Array {
    return this.#known.returnData
  }

  readonly stack = (index: number): bigint => readWord(this.#known.view, this.#sp - 32 - index * 32)

  readonly memory = (offset: number, length: number): Uint8Array => {
    const end = Math.min(offset + length, this.memorySize)
    return offset >= end ? new Uint8Array(0) : this.#known.copy(this.raw.memoryAt + offset, end - offset)
  }

  get #known(): EvmInstance {
    if (this.#instance === undefined) throw new Error('no instruction has been reported')
    return this.#instance
  }
}
