import { emptyBytes } from '../../../base/encoding/bytes.ts'
import type { EnterEvent, ExitEvent, HaltReason } from '../../types.ts'
import { HeldMemory } from '../heldMemory.ts'

/** One call, creation or destruction as Parity lists it. */
export interface ParityFrame extends Omit<EnterEvent, 'depth' | 'isPrecompile'> {
  readonly parent: ParityFrame | undefined
  /** The position among the frames of its parent. */
  readonly index: number
  /** The number of frames directly inside it. */
  subtraces: number
  gasUsed: bigint
  output: Uint8Array
  error: HaltReason | undefined
}

/** The approximate memory of a frame in bytes, without its data. */
const frameOverhead = 400

/** Whether a frame is left out: a precompile that another frame calls without value. */
const isHidden = ({ isPrecompile, depth, value }: EnterEvent): boolean =>
  isPrecompile && depth > 0 && value === 0n

/** Collects the frames of one transaction in the order in which they begin. */
export class ParityFrames {
  readonly list: ParityFrame[] = []
  /** The open frames; undefined for those that are left out. */
  readonly #open: (ParityFrame | undefined)[] = []
  readonly #held: HeldMemory

  constructor(memoryLimit: number) {
    this.#held = new HeldMemory(memoryLimit)
  }

  enter(event: EnterEvent): void {
    if (isHidden(event)) {
      this.#open.push(undefined)
      return
    }
    const { kind, from, to, value, gas, input } = event
    this.#held.add(frameOverhead + input.length)
    const parent = this.#open.at(-1)
    const frame: ParityFrame = {
      kind,
      from,
      to,
      value,
      gas,
      input,
      parent,
      index: parent?.subtraces ?? 0,
      subtraces: 0,
      gasUsed: 0n,
      output: emptyBytes,
      error: undefined,
    }
    if (parent !== undefined) parent.subtraces++
    this.#open.push(frame)
    this.list.push(frame)
  }

  exit({ gasUsed, output, error }: ExitEvent): void {
    const frame = this.#open.pop()
    if (frame === undefined) return
    frame.gasUsed = gasUsed
    frame.error = error
    // What a failed frame left in its memory is not output; what it reverted with is.
    if (error !== undefined && error !== 'execution reverted') return
    this.#held.add(output.length)
    frame.output = output
  }
}

/** Returns the positions that lead from the outermost frame to this one. */
export const traceAddressOf = (frame: ParityFrame): readonly number[] => {
  const address: number[] = []
  for (let at = frame; at.parent !== undefined; at = at.parent) address.push(at.index)
  return address.reverse()
}
