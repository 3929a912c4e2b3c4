/** Readers of what compilers wrote, and of what clients say that compilers wrote: nothing of it is certain. */

/** A part of a code. */
export interface Span {
  readonly start: number
  readonly length: number
}

/** A code as the compiler wrote it. */
export interface CompiledCode {
  readonly bytes: Uint8Array
  /** Which part of the source each instruction is of; empty if it was not asked for. */
  readonly sourceMap: string
  /** The parts that a constructor or the linker fills in. */
  readonly filled: readonly Span[]
}

export const memberOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined

export const entriesOf = (value: unknown): readonly (readonly [string, unknown])[] =>
  typeof value === 'object' && value !== null ? Object.entries(value) : []

export const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

/** Reads a code of the compiler's output with the parts that are filled in later. */
export const readCode = (json: unknown): CompiledCode => {
  const spans = [
    ...entriesOf(memberOf(json, 'immutableReferences')).map(([, references]) => references),
    ...entriesOf(memberOf(json, 'linkReferences')).flatMap(([, libraries]) =>
      entriesOf(libraries).map(([, references]) => references),
    ),
  ]
  // The name of a library that is not linked takes the place of its address.
  const object = textOf(memberOf(json, 'object'))
    .replace(/^0x/, '')
    .replace(/__.{38}/g, '0'.repeat(40))
  const bytes = Buffer.from(object, 'hex')
  const filled = spans.flatMap((references) => (Array.isArray(references) ? references.filter(isSpan) : []))
  return { bytes, sourceMap: textOf(memberOf(json, 'sourceMap')), filled }
}

const isSpan = (value: unknown): value is Span =>
  Number.isSafeInteger(memberOf(value, 'start')) && Number.isSafeInteger(memberOf(value, 'length'))
