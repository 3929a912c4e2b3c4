/** Whether a jump goes into a function or out of one. */
export type Jump = 'i' | 'o' | '-'

/** What a source map says of the instructions of a code. */
export interface SourceMap {
  /** Where the part of the source begins and how long it is, in bytes. */
  readonly starts: Int32Array
  readonly lengths: Int32Array
  /** The number of the file; -1 for code that the compiler made by itself. */
  readonly files: Int32Array
  /** Whether a jump goes into a function or out of one. */
  readonly jumps: readonly Jump[]
}

const integerOf = (text: string): number => (/^\d{1,9}$/.test(text) ? Number(text) : -1)

/** Decodes a source map of a code: a field that is empty or missing is that of the instruction before. */
export const decodeSourceMap = (text: string, instructions: number): SourceMap => {
  const entries = text === '' ? [] : text.split(';', instructions)
  const starts = new Int32Array(entries.length)
  const lengths = new Int32Array(entries.length)
  const files = new Int32Array(entries.length)
  const jumps: Jump[] = []
  let [start, length, file] = [0, 0, -1]
  let jump: Jump = '-'
  for (const [at, entry] of entries.entries()) {
    const [first, second, third, fourth] = entry.split(':', 4)
    if (first) start = integerOf(first)
    if (second) length = integerOf(second)
    if (third) file = integerOf(third)
    if (fourth === 'i' || fourth === 'o' || fourth === '-') jump = fourth
    starts[at] = start
    lengths[at] = length
    files[at] = file
    jumps.push(jump)
  }
  return { starts, lengths, files, jumps }
}

const push1 = 0x60
const push32 = 0x7f

/** The number of the instruction at each place of a code; -1 for the data of a push. */
export const instructionNumbers = (code: Uint8Array): Int32Array => {
  const numbers = new Int32Array(code.length).fill(-1)
  let number = 0
  for (let pc = 0; pc < code.length; pc++) {
    numbers[pc] = number++
    const op = code[pc] as number
    if (op >= push1 && op <= push32) pc += op - push1 + 1
  }
  return numbers
}
