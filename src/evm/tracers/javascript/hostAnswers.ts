import { concatBytes, fromBigInt, toBigInt } from '../../../base/bytes.ts'
import { keccak256 } from '../../../base/crypto.ts'
import { fromHex } from '../../../base/hex.ts'
import { emptyCodeHash, type WorldReader } from '../../../chain/state/world.ts'
import { contractAddress } from '../../../chain/transaction/contractAddress.ts'
import type { EnterEvent, ExitEvent, StepEvent } from '../../types.ts'
import { type ContextMember, cells, contextMembers, places, questions } from './layout.ts'
import { type Answer, type Arguments, maxWords } from './realm.ts'

/** A frame that runs, as the code in it sees it. */
export interface CodeFrame {
  readonly caller: Uint8Array
  readonly value: bigint
  readonly input: Uint8Array
}

/** What a script may ask about at the moment. */
export interface Moment {
  state: WorldReader | undefined
  step: StepEvent | undefined
  /** What is wrong with the instruction, in words. */
  stepError: string | undefined
  frame: CodeFrame | undefined
  enter: EnterEvent | undefined
  exit: ExitEvent | undefined
  readonly context: Map<ContextMember, string | number | bigint | Uint8Array>
  readonly isPrecompile: (address: Uint8Array) => boolean
  readonly fail: (message: string) => void
}

const nobody = new Uint8Array(20)

/** Answers the guest's questions out of copies; figures go into the shared bytes. */
export class HostAnswers {
  readonly #moment: Moment
  readonly #numbers: Float64Array
  readonly #bytes: Uint8Array
  readonly #words: DataView

  constructor(moment: Moment, buffer: ArrayBuffer, at: number) {
    this.#moment = moment
    this.#numbers = new Float64Array(buffer, at, 16)
    this.#bytes = new Uint8Array(buffer, at, places.size)
    this.#words = new DataView(buffer, at + places.word, 32)
  }

  /** Leaves the figures of an instruction where the guest looks. */
  note(step: StepEvent): void {
    const numbers = this.#numbers
    numbers[cells.pc] = step.pc
    numbers[cells.op] = step.op
    numbers[cells.gas] = Number(step.gas)
    numbers[cells.cost] = Number(step.cost)
    numbers[cells.depth] = step.depth
    numbers[cells.refund] = Number(step.refund)
    numbers[cells.stackSize] = step.stackSize
    numbers[cells.memorySize] = step.memorySize
  }

  answer(question: number, args: Arguments): Answer {
    const { step, frame, enter, exit } = this.#moment
    switch (question) {
      case questions.stack:
        return this.#word(step && this.#stackAt(step, args.number(1)))
      case questions.memory:
        return step && memorySlice(step, args.number(1), args.number(2))
      case questions.memoryWord:
        return this.#word(step && toBigInt(memorySlice(step, args.number(1), args.number(1) + 32)))
      case questions.caller:
        return frame?.caller ?? nobody
      case questions.self:
        return step?.address ?? nobody
      case questions.callValue:
        return this.#word(frame?.value)
      case questions.callInput:
        return frame?.input
      case questions.stepError:
        return this.#moment.stepError
      case questions.frameType:
        return enter?.kind
      case questions.frameFrom:
        return enter?.from
      case questions.frameTo:
        return enter?.to
      case questions.frameInput:
        return enter?.input
      case questions.frameGas:
        return this.#number(Number(enter?.gas ?? 0))
      case questions.frameValue:
        this.#number(enter === undefined || enter.kind === 'STATICCALL' ? 0 : 1)
        return this.#word(enter?.value)
      case questions.exitGas:
        return this.#number(Number(exit?.gasUsed ?? 0))
      case questions.exitOutput:
        return exit?.output
      case questions.exitError:
        return exit?.message
      case questions.context:
        return this.#contextMember(args.number(1))
      case questions.fail:
        this.#moment.fail(args.text(1, maxWords))
        return undefined
      default:
        return this.#answerOfAccount(question, args)
    }
  }

  #answerOfAccount(question: number, args: Arguments): Answer {
    const address = this.#bytes.slice(places.address, places.address + 20)
    const { state } = this.#moment
    switch (question) {
      case questions.balance:
        return this.#word(state?.account(address)?.balance)
      case questions.nonce:
        return this.#number(Number(state?.account(address)?.nonce ?? 0n))
      case questions.code:
        return state?.code(state.account(address)?.codeHash ?? emptyCodeHash)
      case questions.storage:
        return state?.storage(address, this.#slot())
      case questions.exists:
        return this.#number(state?.account(address) === undefined ? 0 : 1)
      case questions.isPrecompile:
        return this.#number(this.#moment.isPrecompile(address) ? 1 : 0)
      case questions.contractAddress:
        return contractAddress(address, BigInt(toNonce(args.number(1))))
      case questions.contract2Address: {
        const code = keccak256(fromHex(args.text(1)))
        return keccak256(concatBytes(Uint8Array.of(0xff), address, this.#slot(), code)).slice(12)
      }
      default:
        return undefined
    }
  }

  #slot(): Uint8Array {
    return this.#bytes.slice(places.slot, places.slot + 32)
  }

  #stackAt(step: StepEvent, index: number): bigint {
    return Number.isInteger(index) && index >= 0 && index < step.stackSize ? step.stack(index) : 0n
  }

  #contextMember(place: number): Answer {
    const name = contextMembers[place]?.[0]
    const value = name === undefined ? undefined : this.#moment.context.get(name)
    this.#number(value === undefined ? 0 : 1)
    return typeof value === 'bigint' ? this.#word(value) : value
  }

  #number(value: number): undefined {
    this.#numbers[cells.answer] = value
  }

  #word(value: bigint | undefined): undefined {
    const word = value ?? 0n
    const low = fromBigInt(word, 32).reverse()
    new Uint8Array(this.#words.buffer, this.#words.byteOffset, 32).set(low)
  }
}

/** Zeros beyond the end of what is there. The guest asks for no more than geth gives. */
const memorySlice = (step: StepEvent, from: number, to: number): Uint8Array => {
  const size = to - from
  if (!(from >= 0 && size >= 0 && to <= step.memorySize + 1_048_576)) return new Uint8Array(0)
  const slice = new Uint8Array(size)
  slice.set(step.memory(from, size))
  return slice
}

const toNonce = (value: number): number => (Number.isSafeInteger(value) && value >= 0 ? value : 0)
