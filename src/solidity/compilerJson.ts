/** Readers of what compilers wrote, and of what clients say that compilers wrote: nothing of it is certain. */

/** A part of a code. */
export interface Span {
  readonly start: number
  readonly length: number
}

/** A code as the compiler wrote it. */
export interface CompiledCode {
  readonly bytes: Uint8Array
  /** Which part of the source each instruction is of; empty if it was not requested. */
  readonly sourceMap: string
  /** The parts that a constructor, the linker or the deployment fills in, in order and apart from each other. */
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
  if (libraryHead.equals(bytes.subarray(0, libraryHead.length))) filled.push(libraryAddress)
  const sourceMap = textOf(memberOf(json, 'sourceMap'))
  const isMap = sourceMap.length <= maxEntry * bytes.length
  return { bytes, sourceMap: isMap ? sourceMap : '', filled: joinSpans(filled, bytes.length) }
}

/** A library begins by pushing its own address, which is only known once it is deployed. */
const libraryHead = Buffer.from(`73${'00'.repeat(20)}3014`, 'hex')
const libraryAddress: Span = { start: 1, length: 20 }

/** An entry of a source map has five numbers at most; a longer text has more entries than the code has instructions. */
const maxEntry = 64

/** Returns the same parts of a code of this length, each byte in one of them at most. */
const joinSpans = (spans: readonly Span[], size: number): readonly Span[] => {
  const joined: Span[] = []
  let end = 0
  for (const { start, length } of spans.toSorted((a, b) => a.start - b.start)) {
    const from = Math.max(end, start)
    end = Math.max(end, Math.min(size, start + length))
    if (from < end) joined.push({ start: from, length: end - from })
  }
  return joined
}

const isSpan = (value: unknown): value is Span =>
  Number.isSafeInteger(memberOf(value, 'start')) && Number.isSafeInteger(memberOf(value, 'length'))
