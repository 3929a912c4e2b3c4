/** Protobuf's wire format, written and read by hand: what the chains here say is encoded apart from the gateway's code. */

const varint = (value: bigint): Uint8Array => {
  const bytes: number[] = []
  let rest = BigInt.asUintN(64, value)
  while (rest >= 0x80n) {
    bytes.push(Number(rest & 0x7fn) | 0x80)
    rest >>= 7n
  }
  bytes.push(Number(rest))
  return Uint8Array.from(bytes)
}

const none = new Uint8Array(0)

export const join = (...parts: readonly Uint8Array[]): Uint8Array => Buffer.concat(parts)

/** A number; zero is left out. Negative ones take ten bytes. */
export const uint = (field: number, value: bigint | number): Uint8Array =>
  BigInt(value) === 0n ? none : join(varint(BigInt(field << 3)), varint(BigInt(value)))

/** Bytes or an inner message that is written even where it is empty. */
export const nested = (field: number, bytes: Uint8Array): Uint8Array =>
  join(varint(BigInt((field << 3) | 2)), varint(BigInt(bytes.length)), bytes)

/** Bytes; empty ones are left out. */
export const blob = (field: number, bytes: Uint8Array): Uint8Array =>
  bytes.length === 0 ? none : nested(field, bytes)

export const text = (field: number, value: string): Uint8Array => blob(field, Buffer.from(value))

/** google.protobuf.Any */
export const any = (typeUrl: string, value: Uint8Array): Uint8Array => join(text(1, typeUrl), blob(2, value))

/** The values of a message by field; of a number its bits. Throws on what is not a message. */
export class Fields {
  readonly #values = new Map<number, (bigint | Uint8Array)[]>()

  constructor(bytes: Uint8Array) {
    let at = 0
    const number = (): bigint => {
      let value = 0n
      for (let shift = 0n; shift < 70n; shift += 7n) {
        const byte = bytes[at++]
        if (byte === undefined) throw new Error('ends within a number')
        value |= BigInt(byte & 0x7f) << shift
        if (byte < 0x80) return value
      }
      throw new Error('a number of more than ten bytes')
    }
    const take = (length: number): Uint8Array => {
      if (at + length > bytes.length) throw new Error('ends within a value')
      at += length
      return bytes.subarray(at - length, at)
    }
    while (at < bytes.length) {
      const tag = Number(number())
      const kind = tag & 7
      if (tag >> 3 === 0) throw new Error('field 0')
      if (kind === 0) this.#add(tag >> 3, number())
      else if (kind === 1) this.#add(tag >> 3, take(8))
      else if (kind === 2) this.#add(tag >> 3, take(Number(number())))
      else if (kind === 5) this.#add(tag >> 3, take(4))
      else throw new Error(`wire type ${kind}`)
    }
  }

  #add(field: number, value: bigint | Uint8Array): void {
    const values = this.#values.get(field)
    if (values === undefined) this.#values.set(field, [value])
    else values.push(value)
  }

  all(field: number): Uint8Array[] {
    return (this.#values.get(field) ?? []).filter((value) => typeof value !== 'bigint')
  }

  bytes(field: number): Uint8Array {
    return this.all(field).at(-1) ?? none
  }

  text(field: number): string {
    return Buffer.from(this.bytes(field)).toString()
  }

  uint(field: number): bigint {
    const value = this.#values.get(field)?.at(-1)
    return typeof value === 'bigint' ? value : 0n
  }

  has(field: number): boolean {
    return this.#values.has(field)
  }
}
