/** Assembles bytecode with labels for jump targets and for data behind the code. */

const push2 = 0x61

export class Assembler {
  readonly #bytes: number[] = []
  readonly #labels: number[] = []
  readonly #fixups: { readonly at: number; readonly label: number }[] = []
  readonly #data: { readonly label: number; readonly bytes: Uint8Array }[] = []

  get length(): number {
    return this.#bytes.length
  }

  op(...bytes: readonly number[]): this {
    this.#bytes.push(...bytes)
    return this
  }

  /** Appends the shortest push, or one of `width` bytes if given. */
  push(value: bigint, width?: number): this {
    const digits = value === 0n ? '' : value.toString(16)
    const least = Math.ceil(digits.length / 2)
    const size = Math.max(least, width ?? 0)
    const bytes = Buffer.from(digits.padStart(size * 2, '0'), 'hex')
    return this.op(0x5f + size, ...bytes)
  }

  newLabel(): number {
    return this.#labels.push(-1) - 1
  }

  place(label: number): this {
    this.#labels[label] = this.length
    return this
  }

  pushLabel(label: number): this {
    this.#fixups.push({ at: this.length + 1, label })
    return this.op(push2, 0, 0)
  }

  /** Adds bytes behind the code; the label is their offset. */
  data(bytes: Uint8Array): number {
    const label = this.newLabel()
    this.#data.push({ label, bytes })
    return label
  }

  assemble(): Uint8Array {
    const code = [...this.#bytes]
    for (const { label, bytes } of this.#data) {
      this.#labels[label] = code.length
      code.push(...bytes)
    }
    for (const { at, label } of this.#fixups) {
      const target = this.#labels[label] as number
      code[at] = target >> 8
      code[at + 1] = target & 0xff
    }
    return Uint8Array.from(code)
  }
}
