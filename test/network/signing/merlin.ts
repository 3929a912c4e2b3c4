import { keccakP } from '@noble/hashes/sha3.js'

/**
 * A Merlin transcript over STROBE-128, with the operations that a handshake needs: what both sides have said becomes a challenge
 * that both sign. https://merlin.cool and https://strobe.sourceforge.io/specs describe both.
 */

/** The rate of STROBE-128: the bytes of the state that take data. */
const rate = 166
const flags = { inbound: 1, application: 2, cipher: 4, meta: 16 } as const

const littleEndian = (value: number): Uint8Array => {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(value)
  return bytes
}

export class Transcript {
  readonly #state = new Uint8Array(200)
  #at = 0
  #operationAt = 0

  constructor(label: string) {
    this.#state.set([1, rate + 2, 1, 0, 1, 96])
    this.#state.set(Buffer.from('STROBEv1.0.2'), 6)
    this.#permute()
    this.#begin(flags.meta | flags.application)
    this.#absorb(Buffer.from('Merlin v1.0'))
    this.append('dom-sep', Buffer.from(label))
  }

  append(label: string, message: Uint8Array): void {
    this.#name(label, message.length)
    this.#begin(flags.application)
    this.#absorb(message)
  }

  /** Returns a challenge that depends on everything so far. */
  challenge(label: string, length: number): Uint8Array {
    this.#name(label, length)
    this.#begin(flags.inbound | flags.application | flags.cipher)
    return Uint8Array.from({ length }, () => {
      const byte = this.#state[this.#at] as number
      this.#state[this.#at] = 0
      this.#advance()
      return byte
    })
  }

  #name(label: string, length: number): void {
    this.#begin(flags.meta | flags.application)
    this.#absorb(Buffer.from(label))
    this.#absorb(littleEndian(length))
  }

  #begin(kind: number): void {
    const before = this.#operationAt
    this.#operationAt = this.#at + 1
    this.#absorb(Uint8Array.of(before, kind))
    if ((kind & flags.cipher) !== 0 && this.#at !== 0) this.#endBlock()
  }

  #absorb(bytes: Uint8Array): void {
    for (const byte of bytes) {
      this.#mix(this.#at, byte)
      this.#advance()
    }
  }

  #advance(): void {
    this.#at++
    if (this.#at === rate) this.#endBlock()
  }

  #endBlock(): void {
    this.#mix(this.#at, this.#operationAt)
    this.#mix(this.#at + 1, 0x04)
    this.#mix(rate + 1, 0x80)
    this.#permute()
    this.#at = 0
    this.#operationAt = 0
  }

  #mix(at: number, byte: number): void {
    this.#state[at] = (this.#state[at] as number) ^ byte
  }

  /** Keccak-f[1600]. The words are those of this machine, which has the lowest byte first. */
  #permute(): void {
    keccakP(new Uint32Array(this.#state.buffer))
  }
}
