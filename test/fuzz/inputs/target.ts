/** What became of an input: it was taken, or refused for a reason. */
export type Reading = { readonly refused?: string | undefined }

export const taken: Reading = {}

/** A reader of bytes that somebody else wrote. */
export interface InputTarget {
  readonly name: string
  /** Inputs that are taken. */
  readonly seeds: readonly Uint8Array[]
  /** Pieces that mean something to the reader. */
  readonly words: readonly (string | Uint8Array)[]
  /**
   * A reason that only inputs have which are right up to a late check; the control makes a defect of it, so that a fuzzer
   * that does not come that far fails.
   */
  readonly deepReason: RegExp
  /** Reads an input. What it throws is a defect: of the reader, or of what it took. */
  read(input: Uint8Array): Reading | Promise<Reading>
  /** Ends what the target has open. */
  close?(): void | Promise<void>
}

/** Runs a reader that may refuse an input with an error of its own; every other error is a defect. */
export const refusedBy = <T>(
  own: (error: unknown) => boolean,
  read: () => T,
): { readonly value: T } | { readonly refused: string } => {
  try {
    return { value: read() }
  } catch (error) {
    if (own(error)) return { refused: (error as Error).message }
    throw error
  }
}

/** Throws if what was taken is not what it has to be. */
export const assertSo = (isSo: boolean, what: string): void => {
  if (!isSo) throw new Error(what)
}
