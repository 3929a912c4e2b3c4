/** What is recorded of one frame of a failed execution: as much as says where in the source it failed. */
export interface FailedFrame {
  /** Whether it runs the code that creates a contract. */
  readonly isCreation: boolean
  readonly isDelegate: boolean
  /** The account whose code runs, as DATA; for a creation the new contract. */
  readonly address: string
  /** The position of its code in `codes`. */
  readonly code: number
  /** The first four bytes of its input. */
  readonly selector: string
  readonly inputLength: number
  readonly value: string
  readonly error: string
  readonly output: string
  /** The instruction that failed; -1 if none ran. */
  readonly pc: number
  readonly op: number
  /** Where each jump of the frame began and where it led, one after the other. */
  readonly jumps: readonly number[]
  /** The same of the last jumps, conditional ones among them: a jump that was not taken led to the next instruction. */
  readonly recent: readonly number[]
  /** The last call or creation that it made; undefined if it made none. */
  readonly lastCall?: LastCall
  /** The last look at the size of another code that found none; undefined if there was none. */
  readonly missingCode?: number
}

export interface LastCall {
  readonly pc: number
  readonly hasFailed: boolean
  /** How many numbers of `jumps` were there when it began. */
  readonly jumps: number
}

/** A failed execution: its frames, each called by the one before, and their codes as DATA. */
export interface RecordedFailure {
  readonly frames: readonly FailedFrame[]
  readonly codes: readonly string[]
}
