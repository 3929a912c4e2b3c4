import { toBigInt } from '../../base/encoding/bytes.ts'
import { toHex } from '../../base/encoding/hex.ts'
import { toChecksumAddress } from '../address.ts'

/** A parameter as an ABI has it. */
export interface AbiInput {
  readonly type: string
  /** The members of a struct, or of the structs of an array. */
  readonly components?: readonly AbiInput[] | undefined
}

/** How values are written: as people read them, or as Hardhat does, with texts, addresses and bytes in quotes. */
export type AbiTextStyle = 'plain' | 'quoted'

/** What values may have together, in characters and 32 for each; arrays of arrays can refer to the same bytes many times. */
const maxText = 100_000
/** How deep arrays and structs may be in each other. */
const maxDepth = 16

/**
 * Returns values that are encoded by Solidity's ABI as texts; undefined if the data ends before them, if there are too many, or
 * if one is of a type that is not known here.
 */
export const abiValuesAsText = (
  inputs: readonly AbiInput[],
  data: Uint8Array,
  style: AbiTextStyle = 'plain',
): readonly string[] | undefined => new AbiText(style).list(inputs, data, 0)

class AbiText {
  readonly #style: AbiTextStyle
  #left = maxText

  constructor(style: AbiTextStyle) {
    this.#style = style
  }

  /** Returns the values that follow each other; the offsets among them count from the beginning of `data`. */
  list(inputs: Iterable<AbiInput>, data: Uint8Array, depth: number): readonly string[] | undefined {
    const values: string[] = []
    let at = 0
    let last: { readonly input: AbiInput; readonly size: number | undefined } | undefined
    for (const input of inputs) {
      // Those of an array are all of the same size.
      last = last?.input === input ? last : { input, size: staticSize(input, depth) }
      const { size } = last
      const value =
        size === undefined ? this.#dynamic(input, data, at, depth) : this.#static(input, data, at, depth)
      if (value === undefined) return undefined
      this.#left -= 32 + value.length
      if (this.#left < 0) return undefined
      values.push(value)
      at += size ?? 32
    }
    return values
  }

  #dynamic(input: AbiInput, data: Uint8Array, at: number, depth: number): string | undefined {
    const offset = wordAt(data, at)
    if (offset === undefined || toBigInt(offset) > BigInt(data.length)) return undefined
    const tail = data.subarray(Number(toBigInt(offset)))
    const { type } = input
    const array = arrayOf(input)
    if (array === undefined && type !== 'string' && type !== 'bytes')
      return this.#group(input.components ?? [], tail, depth)
    if (array?.count !== undefined) return this.#array(array.item, array.count, tail, depth)
    const length = wordAt(tail, 0)
    if (length === undefined || toBigInt(length) > BigInt(tail.length)) return undefined
    const count = Number(toBigInt(length))
    const rest = tail.subarray(32)
    if (array !== undefined) return this.#array(array.item, count, rest, depth)
    if (count > rest.length) return undefined
    const bytes = rest.subarray(0, count)
    return this.#quoted(type === 'string' ? Buffer.from(bytes).toString() : toHex(bytes))
  }

  #static(input: AbiInput, data: Uint8Array, at: number, depth: number): string | undefined {
    const array = arrayOf(input)
    if (array?.count !== undefined) return this.#array(array.item, array.count, data.subarray(at), depth)
    if (input.type === 'tuple') return this.#group(input.components ?? [], data.subarray(at), depth)
    const word = wordAt(data, at)
    return word && this.#word(input.type, word)
  }

  #array(item: AbiInput, count: number, data: Uint8Array, depth: number): string | undefined {
    return this.#group(repeated(item, count), data, depth)
  }

  #group(inputs: Iterable<AbiInput>, data: Uint8Array, depth: number): string | undefined {
    if (depth >= maxDepth) return undefined
    const values = this.list(inputs, data, depth + 1)
    return values && `[${values.join(', ')}]`
  }

  #word(type: string, word: Uint8Array): string | undefined {
    if (type === 'bool') return word.some((byte) => byte !== 0) ? 'true' : 'false'
    if (type === 'address') return this.#quoted(toChecksumAddress(word.subarray(12)))
    if (/^uint\d*$/.test(type)) return toBigInt(word).toString()
    if (/^int\d*$/.test(type)) return BigInt.asIntN(256, toBigInt(word)).toString()
    const [, size] = /^bytes(\d{1,2})$/.exec(type) ?? []
    return size === undefined ? undefined : this.#quoted(toHex(word.subarray(0, Number(size))))
  }

  #quoted(text: string): string {
    return this.#style === 'quoted' ? `"${text}"` : text
  }
}

function* repeated(item: AbiInput, count: number): Generator<AbiInput> {
  for (let made = 0; made < count; made++) yield item
}

/** Returns what an array is of, and its length unless the data has that; undefined if it is not an array. */
const arrayOf = (
  input: AbiInput,
): { readonly item: AbiInput; readonly count: number | undefined } | undefined => {
  const [, type, count] = /^(.*)\[(\d{0,9})\]$/.exec(input.type) ?? []
  if (type === undefined) return undefined
  return { item: { ...input, type }, count: count === '' ? undefined : Number(count) }
}

/** Returns how many bytes a value takes where it stands; undefined if an offset stands there. */
const staticSize = (input: AbiInput, depth: number): number | undefined => {
  if (depth >= maxDepth) return undefined
  const array = arrayOf(input)
  if (array !== undefined) {
    const size = staticSize(array.item, depth + 1)
    return array.count === undefined || size === undefined ? undefined : array.count * size
  }
  if (input.type !== 'tuple') return input.type === 'string' || input.type === 'bytes' ? undefined : 32
  let total = 0
  for (const component of input.components ?? []) {
    const size = staticSize(component, depth + 1)
    if (size === undefined) return undefined
    total += size
  }
  return total
}

const wordAt = (data: Uint8Array, at: number): Uint8Array | undefined =>
  at + 32 > data.length ? undefined : data.subarray(at, at + 32)
