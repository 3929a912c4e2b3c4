import { toHex } from '../../base/encoding/hex.ts'
import { wordToHex } from '../host/words.ts'
import { stepHead } from '../tracing/opcodeNames.ts'
import { opcode } from '../tracing/opcodes.ts'
import type { ExitEvent, StartEvent, StepEvent, StepText } from '../types.ts'
import type { TraceOutput } from './output.ts'
import type { ResultTracer } from './tracer.ts'

export interface StructLogOptions {
  readonly enableMemory: boolean
  readonly disableStack: boolean
  readonly disableStorage: boolean
  readonly enableReturnData: boolean
  /** The limit in bytes of log, after which no entry follows; 0 for no limit. */
  readonly limit: number
}

const heads = Array.from({ length: 256 }, (_, op) => stepHead(op))

/** geth's default tracer: one entry for each instruction, written during execution. */
export class StructLogger implements ResultTracer {
  readonly exits = 'top'
  readonly text: StepText | undefined
  readonly #options: StructLogOptions
  readonly #output: TraceOutput
  /** The slots that were read or written, by address, in geth's order of keys. */
  readonly #storage = new Map<string, Map<string, string>>()
  #start: StartEvent | undefined
  #end: ExitEvent | undefined
  #gasUsed = 0n
  #isFirst = true
  #written = 0

  constructor(options: StructLogOptions, output: TraceOutput) {
    this.#options = options
    this.#output = output
    output.ascii('{"structLogs":[')
    const { enableMemory, disableStack, disableStorage, enableReturnData, limit } = options
    if (enableMemory || enableReturnData || limit !== 0) return
    this.text = {
      hasStack: !disableStack,
      told: disableStorage ? [] : [opcode.sload, opcode.sstore],
      write: (bytes) => output.raw(bytes),
    }
  }

  start(event: StartEvent): void {
    this.#start = event
  }

  exit(event: ExitEvent): void {
    if (event.depth === 0) this.#end = event
  }

  end({ gasUsed }: { readonly gasUsed: bigint }): void {
    this.#gasUsed = gasUsed
  }

  step(step: StepEvent): void {
    const { limit } = this.#options
    const output = this.#output
    if (limit !== 0 && this.#written > limit) return
    if (this.#isFirst) this.#isFirst = false
    else output.ascii(',')
    const before = output.size
    output.ascii('{"pc":')
    output.decimal(step.pc)
    output.ascii(heads[step.op] as string)
    output.decimal(step.gas)
    output.ascii(',"gasCost":')
    output.decimal(step.cost)
    output.ascii(',"depth":')
    output.decimal(step.depth)
    if (step.message !== undefined) {
      output.ascii(',"error":')
      output.json(step.message)
    }
    this.#writeStack(step)
    if (this.#options.enableReturnData) this.#writeReturnData(step)
    if (this.#options.enableMemory) this.#writeMemory(step)
    if (!this.#options.disableStorage) this.#writeStorage(step)
    const { refund } = step
    if (refund !== 0n) {
      output.ascii(',"refund":')
      output.decimal(refund)
    }
    output.ascii('}')
    this.#written += output.size - before
  }

  result(output: TraceOutput): void {
    const end = this.#end
    output.ascii('],"gas":')
    output.decimal(this.#gasUsed)
    const hasOutput = end !== undefined && (end.error === undefined || end.error === 'execution reverted')
    output.ascii(`,"failed":${end?.error !== undefined},"returnValue":`)
    output.data(hasOutput ? end.output : new Uint8Array(0))
    output.ascii('}')
  }

  #writeStack({ raw, stackSize }: StepEvent): void {
    if (this.#options.disableStack) return
    const output = this.#output
    const { bytes, stackAt } = raw
    output.ascii(',"stack":[')
    for (let i = 0; i < stackSize; i++) {
      output.ascii(i === 0 ? '"' : ',"')
      output.word(bytes, stackAt + i * 32)
      output.ascii('"')
    }
    output.ascii(']')
  }

  #writeReturnData({ returnData }: StepEvent): void {
    if (returnData.length === 0) return
    this.#output.ascii(',"returnData":')
    this.#output.data(returnData)
  }

  #writeMemory({ raw, memorySize }: StepEvent): void {
    if (memorySize === 0) return
    const output = this.#output
    const { bytes, memoryAt } = raw
    output.ascii(',"memory":[')
    for (let at = 0; at < memorySize; at += 32) {
      output.ascii(at === 0 ? '"0x' : ',"0x')
      output.hex(bytes, memoryAt + at, memoryAt + at + 32)
      output.ascii('"')
    }
    output.ascii(']')
  }

  /**
   * Writes, for an instruction that uses storage, all slots of the account that were used so far, including
   * this one.
   */
  #writeStorage(step: StepEvent): void {
    const { op, stackSize } = step
    const isRead = op === opcode.sload && stackSize >= 1
    if (!isRead && !(op === opcode.sstore && stackSize >= 2)) return
    const { address } = step
    const slot = wordToHex(step.stack(0))
    const name = toHex(address)
    let slots = this.#storage.get(name)
    if (slots === undefined) {
      slots = new Map()
      this.#storage.set(name, slots)
    }
    slots.set(slot, isRead ? this.#valueOf(address, slot) : wordToHex(step.stack(1)))
    const output = this.#output
    let lead = ',"storage":{"'
    for (const [key, value] of slots) {
      output.ascii(lead)
      output.ascii(key)
      output.ascii('":"')
      output.ascii(value)
      output.ascii('"')
      lead = ',"'
    }
    output.ascii('}')
  }

  #valueOf(address: Uint8Array, slot: string): string {
    if (this.#start === undefined) throw new Error('no transaction has begun')
    return toHex(this.#start.state.storage(address, Buffer.from(slot.slice(2), 'hex')))
  }
}
