import { keccak256 } from '../../../base/crypto/crypto.ts'
import { concatBytes, fromBigInt, toBigInt } from '../../../base/encoding/bytes.ts'
import { fromHex } from '../../../base/encoding/hex.ts'
import { type EvmStateReader, emptyCodeHash } from '../../../chain/state/evmState.ts'
import { contractAddress } from '../../../chain/transaction/contractAddress.ts'
import type { EnterEvent, ExitEvent, StepEvent } from '../../types.ts'
import { byteOffsets, type ContextMember, contextMembers, hostCalls, numberSlots } from './guestLayout.ts'
import { type HostCallArguments, type HostCallResult, maxMessageBytes } from './realm.ts'

/** An open frame, with the data that the code in it sees. */
export interface CodeFrame {
  readonly caller: Uint8Array
  readonly value: bigint
  readonly input: Uint8Array
}

/** The values that a script may ask for now. */
export interface ScriptContext {
  state: EvmStateReader | undefined
  step: StepEvent | undefined
  /** The error text of the instruction. */
  stepError: string | undefined
  frame: CodeFrame | undefined
  enter: EnterEvent | undefined
  exit: ExitEvent | undefined
  readonly context: Map<ContextMember, string | number | bigint | Uint8Array>
  readonly isPrecompile: (address: Uint8Array) => boolean
  readonly fail: (message: string) => void
}

const zeroAddress = new Uint8Array(20)

/** Handles the guest's host calls with copies of the data; numbers are passed in the shared bytes. */
export class HostCallHandler {
  readonly #moment: ScriptContext
  readonly #numbers: Float64Array
  readonly #bytes: Uint8Array
  readonly #words: DataView

  constructor(moment: ScriptContext, buffer: ArrayBuffer, at: number) {
    this.#moment = moment
    this.#numbers = new Float64Array(buffer, at, 16)
    this.#bytes = new Uint8Array(buffer, at, byteOffsets.size)
    this.#words = new DataView(buffer, at + byteOffsets.word, 32)
  }

  /** Writes the numbers of an instruction into the shared bytes. */
  writeStep(step: StepEvent): void {
    const numbers = this.#numbers
    numbers[numberSlots.pc] = step.pc
    numbers[numberSlots.op] = step.op
    numbers[numberSlots.gas] = Number(step.gas)
    numbers[numberSlots.cost] = Number(step.cost)
    numbers[numberSlots.depth] = step.depth
    numbers[numberSlots.refund] = Number(step.refund)
    numbers[numberSlots.stackSize] = step.stackSize
    numbers[numberSlots.memorySize] = step.memorySize
  }

  handle(hostCall: number, args: HostCallArguments): HostCallResult {
    const { step, frame, enter, exit } = this.#moment
    switch (hostCall) {
      case hostCalls.stack:
        return this.#word(step && this.#stackAt(step, args.number(1)))
      case hostCalls.memory:
        return step && memorySlice(step, args.number(1), args.number(2))
      case hostCalls.memoryWord:
        return this.#word(step && toBigInt(memorySlice(step, args.number(1), args.number(1) + 32)))
      case hostCalls.caller:
        return frame?.caller ?? zeroAddress
      case hostCalls.self:
        return step?.address ?? zeroAddress
      case hostCalls.callValue:
        return this.#word(frame?.value)
      case hostCalls.callInput:
        return frame?.input
      case hostCalls.stepError:
        return this.#moment.stepError
      case hostCalls.frameType:
        return enter?.kind
      case hostCalls.frameFrom:
        return enter?.from
      case hostCalls.frameTo:
        return enter?.to
      case hostCalls.frameInput:
        return enter?.input
      case hostCalls.frameGas:
        return this.#number(Number(enter?.gas ?? 0))
      case hostCalls.frameValue:
        this.#number(enter === undefined || enter.kind === 'STATICCALL' ? 0 : 1)
        return this.#word(enter?.value)
      case hostCalls.exitGas:
        return this.#number(Number(exit?.gasUsed ?? 0))
      case hostCalls.exitOutput:
        return exit?.output
      case hostCalls.exitError:
        return exit?.message
      case hostCalls.context:
        return this.#contextMember(args.number(1))
      case hostCalls.fail:
        this.#moment.fail(args.text(1, maxMessageBytes))
        return undefined
      default:
        return this.#handleAccountCall(hostCall, args)
    }
  }

  #handleAccountCall(hostCall: number, args: HostCallArguments): HostCallResult {
    const address = this.#bytes.slice(byteOffsets.address, byteOffsets.address + 20)
    const { state } = this.#moment
    switch (hostCall) {
      case hostCalls.balance:
        return this.#word(state?.account(address)?.balance)
      case hostCalls.nonce:
        return this.#number(Number(state?.account(address)?.nonce ?? 0n))
      case hostCalls.code:
        return state?.code(state.account(address)?.codeHash ?? emptyCodeHash)
      case hostCalls.storage:
        return state?.storage(address, this.#slot())
      case hostCalls.exists:
        return this.#number(state?.account(address) === undefined ? 0 : 1)
      case hostCalls.isPrecompile:
        return this.#number(this.#moment.isPrecompile(address) ? 1 : 0)
      case hostCalls.contractAddress:
        return contractAddress(address, BigInt(toNonce(args.number(1))))
      case hostCalls.contract2Address: {
        const code = keccak256(fromHex(args.text(1)))
        return keccak256(concatBytes(Uint8Array.of(0xff), address, this.#slot(), code)).slice(12)
      }
      default:
        return undefined
    }
  }

  #slot(): Uint8Array {
    return this.#bytes.slice(byteOffsets.slot, byteOffsets.slot + 32)
  }

  #stackAt(step: StepEvent, index: number): bigint {
    return Number.isInteger(index) && index >= 0 && index < step.stackSize ? step.stack(index) : 0n
  }

  #contextMember(offset: number): HostCallResult {
    const name = contextMembers[offset]?.[0]
    const value = name === undefined ? undefined : this.#moment.context.get(name)
    this.#number(value === undefined ? 0 : 1)
    return typeof value === 'bigint' ? this.#word(value) : value
  }

  #number(value: number): undefined {
    this.#numbers[numberSlots.answer] = value
  }

  #word(value: bigint | undefined): undefined {
    const word = value ?? 0n
    const low = fromBigInt(word, 32).reverse()
    new Uint8Array(this.#words.buffer, this.#words.byteOffset, 32).set(low)
  }
}

/** Returns a range of memory, with zeros beyond its end. The guest asks for no more than geth gives. */
const memorySlice = (step: StepEvent, from: number, to: number): Uint8Array => {
  const size = to - from
  if (!(from >= 0 && size >= 0 && to <= step.memorySize + 1_048_576)) return new Uint8Array(0)
  const slice = new Uint8Array(size)
  slice.set(step.memory(from, size))
  return slice
}

const toNonce = (value: number): number => (Number.isSafeInteger(value) && value >= 0 ? value : 0)
