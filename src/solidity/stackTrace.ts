import { fromHex } from '../base/encoding/hex.ts'
import type { FailedFrame, RecordedFailure } from '../chain/trace/failure.ts'
import type { CompiledContract, ContractRegistry } from './contractRegistry.ts'
import { definitionOf, enteredFunction, entryFailure, isEmptyOutput } from './entry.ts'
import { type Level, levelsOf } from './levels.ts'
import { type Place, type Program, programOf } from './program.ts'

/** Where an execution was when it failed: a function with the line that it was at. */
export interface StackFrame {
  /** The account whose code it is, as DATA. */
  readonly address: string
  /** The contract that the function is written in; undefined for one outside of contracts and for unknown code. */
  readonly contract: string | undefined
  readonly function: string | undefined
  readonly file: string | undefined
  readonly line: number | undefined
}

export interface StackTrace {
  /** What the place says of the cause; undefined where the error says all. */
  readonly cause: string | undefined
  /** The innermost first. */
  readonly frames: readonly StackFrame[]
}

/** The most frames that a trace shows. */
const maxFrames = 128
/** The innermost functions of a frame that are looked at, some of which the compiler made. */
const maxLevels = 1024
/** Why a call or a creation is not made: no code of it runs, whatever code there is. */
const neverRan: ReadonlySet<string> = new Set([
  'insufficient balance for transfer',
  'max call depth exceeded',
])
/** How far before a jump the source is looked for, in bytes of code. */
const maxBlock = 4096

/** Returns where a failed execution was in the source of the known contracts; undefined if it ran none of them. */
export function* stackTraceOf(
  failure: RecordedFailure,
  contracts: ContractRegistry,
): Generator<undefined, StackTrace | undefined> {
  const frames: StackFrame[] = []
  const codes = failure.codes.map((code) => fromHex(code))
  const found = { called: new Map<number, Found>(), created: new Map<number, Found>() }
  const contractOf = ({ isCreation, code }: FailedFrame): Found => {
    const known = isCreation ? found.created : found.called
    if (!known.has(code)) {
      const bytes = codes[code] ?? new Uint8Array(0)
      known.set(code, isCreation ? contracts.findCreated(bytes) : contracts.find(bytes))
    }
    return known.get(code)
  }
  let isKnown = false
  let cause: string | undefined
  let ranOut: string | undefined
  for (const [index, frame] of failure.frames.entries()) {
    yield
    const contract = contractOf(frame)
    const next = failure.frames[index + 1]
    if (contract === undefined || !programOf(contract, frame.isCreation).hasMap) {
      frames.push(unknownFrame(frame, contract))
      if (next === undefined || !isSameOutput(frame, next)) break
      continue
    }
    isKnown = true
    const walk = new FrameWalk(frame, contract)
    if (next !== undefined && walk.handsOn(next)) {
      frames.push(...walk.untilCall())
      if (isOutOfGas(next.error) && !isOutOfGas(frame.error)) ranOut = 'the called contract ran out of gas'
      if (codes[next.code]?.length !== 0 && !neverRan.has(next.error)) continue
      // Nothing ran there: a precompile failed, or the call was not made.
      cause = next.error
      break
    }
    const end = walk.untilFailure()
    frames.push(...end.frames)
    cause = end.cause
    break
  }
  cause ??= ranOut
  return isKnown ? { cause, frames: frames.toReversed().slice(0, maxFrames) } : undefined
}

type Found = CompiledContract | undefined

const unknownFrame = ({ address }: FailedFrame, contract: CompiledContract | undefined): StackFrame => ({
  address,
  contract: contract?.name,
  function: undefined,
  file: undefined,
  line: undefined,
})

const isOutOfGas = (error: string): boolean => error.startsWith('out of gas')

const isSameOutput = (frame: FailedFrame, inner: FailedFrame): boolean => frame.output === inner.output

/** The functions of one frame, from the one that was called to where it failed. */
class FrameWalk {
  readonly #frame: FailedFrame
  readonly #contract: CompiledContract
  readonly #program: Program

  constructor(frame: FailedFrame, contract: CompiledContract) {
    this.#frame = frame
    this.#contract = contract
    this.#program = programOf(contract, frame.isCreation)
  }

  /** Whether this frame failed because its last call did, with what that gave. */
  handsOn(inner: FailedFrame): boolean {
    const { lastCall, pc, jumps } = this.#frame
    if (lastCall?.hasFailed !== true || !isSameOutput(this.#frame, inner)) return false
    if (!isEmptyOutput(this.#frame)) return true
    const [call, end] = [this.#places(this.#jumpsAtCall, lastCall.pc), this.#places(jumps, pc)]
    const [called, ended] = [call.at(-1), end.at(-1)]
    return (
      called !== undefined &&
      ended !== undefined &&
      called.file === ended.file &&
      called.start === ended.start &&
      called.end === ended.end
    )
  }

  untilCall(): readonly StackFrame[] {
    return this.#told(this.#places(this.#jumpsAtCall, this.#frame.lastCall?.pc ?? -1))
  }

  untilFailure(): { readonly frames: readonly StackFrame[]; readonly cause: string | undefined } {
    const { pc, jumps } = this.#frame
    const places = this.#places(jumps, pc)
    const last = places.at(-1)
    if (last !== undefined && isInside(last))
      return { frames: this.#told(places), cause: this.#causeAt(last) }
    if (pc < 0 || this.#frame.error !== 'execution reverted')
      return { frames: this.#told(places), cause: undefined }
    const { message, at, name } = entryFailure(this.#contract, this.#frame)
    const entry: StackFrame = {
      address: this.#frame.address,
      contract: at?.contract.name ?? this.#contract.name,
      function: name,
      file: at?.file.path,
      line: at?.file.lineOf(at.found.start),
    }
    return { frames: [entry], cause: isEmptyOutput(this.#frame) ? message : undefined }
  }

  get #jumpsAtCall(): readonly number[] {
    const { jumps, lastCall } = this.#frame
    return jumps.slice(0, lastCall?.jumps)
  }

  /** The places of the calls of functions, and of the instruction at which it ends. */
  #places(jumps: readonly number[], pc: number): readonly PlaceOf[] {
    const levels = levelsOf(this.#program, jumps).slice(-maxLevels)
    const last = this.#program.placeAt(pc)
    // What is of a function as a whole, or of no source, was jumped to from where it belongs.
    const before = pc === this.#frame.pc ? this.#placeBefore(last, levels) : undefined
    const places: PlaceOf[] = []
    let entered: Place | undefined
    for (const { from, to } of levels.slice(0, before?.levels)) {
      const place = this.#program.placeAt(from)
      if (place !== undefined) places.push({ ...place, entered })
      entered = this.#program.placeAt(to)
    }
    const end = before?.place ?? last
    if (end !== undefined) places.push({ ...end, entered })
    return places
  }

  /** Returns the place of the last jump that says more than the place at which it ended, and how many functions it was in. */
  #placeBefore(last: Place | undefined, levels: readonly Level[]): JumpPlace | undefined {
    if (last === undefined || !isInside(last)) return this.#lastInside(levels.length, true)
    const before = this.#lastInside(levels.length, false)
    if (before === undefined) return undefined
    // The optimiser makes one block of many that are the same; its place is that of one of them.
    const head = this.#program.placeAt(this.#frame.recent.at(-1) ?? -1)
    const called = levels.at(-1)
    const entered = called && this.#program.placeAt(called.to)
    const isShared =
      head?.definition === last.definition &&
      before.place.definition !== last.definition &&
      entered?.definition !== last.definition
    return isShared ? before : undefined
  }

  /**
   * The newest instruction inside of a function that has not returned since: from the end, or from the last jump. What ran
   * between two jumps is what stands between them.
   */
  #lastInside(open: number, isFromEnd: boolean): JumpPlace | undefined {
    const { recent, pc } = this.#frame
    let levels = open
    let returned = 0
    for (let at = recent.length; at >= 0; at -= 2) {
      const from = recent[at] ?? pc
      const kind = at === recent.length ? '-' : this.#program.jumpAt(from)
      if (kind === 'o') {
        returned++
        continue
      }
      if (kind === 'i' && returned > 0) returned--
      else if (kind === 'i') levels--
      if (returned > 0 || (at === recent.length && !isFromEnd)) continue
      const place = this.#lastInsideBlock(recent[at - 1] ?? from, from)
      if (place !== undefined) return { place, levels: Math.max(0, levels) }
    }
    return undefined
  }

  #lastInsideBlock(first: number, last: number): Place | undefined {
    // A jump to where there is no code has a target of any number.
    for (let pc = last; pc >= Math.max(0, first, last - maxBlock); pc--) {
      const place = this.#program.isInstruction(pc) ? this.#program.placeAt(pc) : undefined
      if (place !== undefined && isInside(place)) return place
    }
    return undefined
  }

  /** What is shown of places: not how functions are entered, but for the last of them, where it is all that there is. */
  #told(places: readonly PlaceOf[]): readonly StackFrame[] {
    const inside = places.filter(isInside)
    const shown = inside.length > 0 ? inside : places.slice(-1)
    const frames: StackFrame[] = []
    let lastFunction: Place['definition']
    for (const place of shown) {
      const { definition, entered } = place
      if (definition?.kind === 'modifier') {
        const around = entered?.definition?.kind === 'modifier' ? undefined : (entered ?? this.#entry())
        if (around?.definition !== undefined && around.definition !== lastFunction)
          frames.push(this.#frameAt(around))
        lastFunction = around?.definition
      } else lastFunction = definition
      frames.push(this.#frameAt(place))
    }
    return frames
  }

  /** The function that the call entered, as a place. */
  #entry(): Place | undefined {
    const entered = enteredFunction(this.#contract, this.#frame)
    const at = entered && definitionOf(this.#contract, entered)
    if (at === undefined) return undefined
    const { file, contract, found } = at
    return { file, contract, definition: found, isWhole: true, start: found.start, end: found.end }
  }

  #frameAt({ file, contract, definition, start }: Place): StackFrame {
    return {
      address: this.#frame.address,
      contract: contract?.name,
      function: definition?.name,
      file: file.path,
      line: file.lineOf(start),
    }
  }

  #causeAt(place: Place): string | undefined {
    const { missingCode, error, lastCall } = this.#frame
    if (!isEmptyOutput(this.#frame) || error !== 'execution reverted') return undefined
    const isHere = (pc: number): boolean => {
      const other = this.#program.placeAt(pc)
      return other !== undefined && other.start === place.start && other.end === place.end
    }
    if (missingCode !== undefined && isHere(missingCode)) return 'the called account has no code'
    if (lastCall !== undefined && !lastCall.hasFailed && isHere(lastCall.pc))
      return 'the called function returned other data than expected'
    return undefined
  }
}

/** Whether it is of something inside of a function, as far as it is known. */
const isInside = ({ file, definition, isWhole }: Place): boolean =>
  file.isTooLarge || (definition !== undefined && !isWhole)

/** The place of a jump, and how many functions were called inside the contract until there. */
interface JumpPlace {
  readonly place: Place
  readonly levels: number
}

/** A place with the function that was entered last before it. */
type PlaceOf = Place & { readonly entered: Place | undefined }
