import { opcodeName } from '../tracing/opcodeNames.ts'
import { opcode } from '../tracing/opcodes.ts'
import type { StepEvent } from '../types.ts'
import { copyPadded } from './copyPadded.ts'
import { HeldMemory } from './heldMemory.ts'
import type { TracerFactory } from './tracer.ts'

/** Bytes as geth's engine for scripts writes them: an object with a member for each. */
type ByteObject = Readonly<Record<string, number>>

interface Instruction {
  readonly op: number | string
  readonly depth: number
  /** What it pushed, the top of the stack first. It is known at the next instruction. */
  readonly result: string[]
  readonly len?: number
  readonly pc?: number
}

/** An instruction that calls, with what the called code did. */
interface CallInstruction extends Instruction, Frame {
  readonly gas: number
  readonly to: string
  readonly value?: string
  readonly input: ByteObject
}

interface Frame {
  error?: string | null
  return?: ByteObject | null
  readonly ops: Instruction[]
}

/** How much of the memory an instruction takes, beside bytes. */
const instructionBytes = 200
const memberBytes = 16
const wordBytes = 96

/** The instructions of Frontier that push one word; of later ones geth's tracer does not know what they push. */
const pushesOne: ReadonlySet<number> = new Set([
  ...[0x38, 0x3a, 0x3b, opcode.mload, opcode.sload],
  ...[
    [0x01, 0x0b],
    [0x10, 0x1a],
    [0x20, 0x20],
    [0x30, 0x36],
    [0x40, 0x45],
    [0x58, 0x5a],
    [0x60, 0x7f],
    [opcode.create, opcode.callcode],
  ].flatMap(([first = 0, last = 0]) => Array.from({ length: last - first + 1 }, (_, index) => first + index)),
])

const isIn = (op: number, first: number, last: number): boolean => op >= first && op <= last

/** DUP1 shows two words, DUP2 three; SWAP1 two, SWAP2 three. */
const pushed = ({ op }: Instruction): number => {
  if (typeof op === 'string') return 0
  if (isIn(op, 0x80, 0x8f)) return op - 0x80 + 2
  if (isIn(op, 0x90, 0x9f)) return op - 0x90 + 2
  return pushesOne.has(op) ? 1 : 0
}

/** The tracer whose result the disassembler evmdis reads: each instruction with its result, calls with what they ran. */
export const evmdisTracer: TracerFactory = (_config, { memoryLimit }) => {
  const held = new HeldMemory(memoryLimit)
  const top: Frame = { ops: [] }
  let frames: Frame[] = [top]

  const bytesAt = (step: StepEvent, offset: number): ByteObject => {
    const bytes = copyPadded(step, step.stack(offset), step.stack(offset + 1)) ?? new Uint8Array()
    held.add(bytes.length * memberBytes)
    return Object.fromEntries(bytes.entries())
  }

  const callOf = (step: StepEvent): CallInstruction => {
    const { op, depth } = step
    const hasValue = op === opcode.call || op === opcode.callcode
    return {
      op: hasValue ? op : opcodeName(op),
      depth,
      result: [],
      gas: Number(step.stack(0)),
      to: step.stack(1).toString(16),
      ...(hasValue ? { value: step.stack(2).toString() } : {}),
      input: bytesAt(step, hasValue ? 3 : 2),
      error: null,
      return: null,
      ops: [],
    }
  }

  const record = (frame: Frame, step: StepEvent): void => {
    const { op, depth, pc } = step
    held.add(instructionBytes)
    const previous = frame.ops.at(-1)
    if (previous !== undefined)
      // What was pushed may be gone after a call. Geth's tracer fails there.
      for (let index = 0; index < pushed(previous) && index < step.stackSize; index++) {
        held.add(wordBytes)
        previous.result.push(step.stack(index).toString(16))
      }
    switch (op) {
      case opcode.call:
      case opcode.callcode:
      case opcode.delegatecall:
      case opcode.staticcall: {
        const call = callOf(step)
        frame.ops.push(call)
        frames.push(call)
        return
      }
      case opcode.return:
      case opcode.revert:
        frame.return = bytesAt(step, 0)
        break
      case opcode.stop:
      case opcode.selfdestruct:
        frame.return = {}
        break
    }
    frame.ops.push({
      ...{ op, depth, result: [] },
      ...(op === opcode.jumpdest ? { pc } : {}),
      ...(isIn(op, 0x5f, 0x7f) ? { len: op - 0x5e } : {}),
    })
  }

  return {
    step: (step) => {
      const frame = frames.at(-1) ?? top
      if (step.error !== undefined) frame.error = step.message ?? step.error
      else if (step.depth === frames.length) record(frame, step)
      // As in geth the first instruction after a call is not shown.
      else frames = frames.slice(0, step.depth)
    },
    result: (output) => output.json(top.ops),
  }
}
