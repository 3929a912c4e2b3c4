/** Assembles bytecode with labels for jump targets and for data behind the code. */

const push0 = 0x5f
const push2 = 0x61

export class Assembler {
  /** What stands in for an instruction, for programs that run under older rules. */
  readonly #replace: ((op: number) => readonly number[]) | undefined
  readonly #bytes: number[] = []
  readonly #labels: number[] = []
  readonly #fixups: { readonly at: number; readonly label: number }[] = []
  readonly #data: { readonly label: number; readonly bytes: Uint8Array }[] = []

  constructor(replace?: (op: number) => readonly number[]) {
    this.#replace = replace
  }

  get length(): number {
    return this.#bytes.length
  }

  /** Appends instructions without data. */
  op(...ops: readonly number[]): this {
    for (const op of ops) this.#bytes.push(...(this.#replace?.(op) ?? [op]))
    return this
  }

  /** Appends the shortest push, or one of `width` bytes if given. */
  push(value: bigint, width?: number): this {
    const digits = value === 0n ? '' : value.toString(16)
    const least = Math.ceil(digits.length / 2)
    const size = Math.max(least, width ?? 0)
    const bytes = Buffer.from(digits.padStart(size * 2, '0'), 'hex')
    if (size === 0) return this.op(push0)
    this.#bytes.push(push0 + size, ...bytes)
    return this
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
    this.#bytes.push(push2, 0, 0)
    return this
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
