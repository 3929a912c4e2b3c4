import { readWasm } from '#platform/wasm'

/** The arithmetic built from `assembly/precompiles`. Pointers are byte offsets into its memory. */
interface KernelExports {
  readonly memory: WebAssembly.Memory
  readonly scratch: WebAssembly.Global
  montgomeryMultiply(
    out: number,
    a: number,
    b: number,
    m: number,
    t: number,
    n: number,
    inverse: number,
  ): void
  montgomerySlice(
    acc: number,
    table: number,
    m: number,
    t: number,
    n: number,
    inverse: number,
    exponent: number,
    length: number,
  ): void
  lowMultiply(out: number, a: number, b: number, t: number, n: number): void
  lowSlice(acc: number, table: number, t: number, n: number, exponent: number, length: number): void
  wordMultiply(a: bigint, b: bigint, m: bigint, inverse: bigint): bigint
  wordSlice(acc: bigint, table: number, m: bigint, inverse: bigint, exponent: number, length: number): bigint
  blake2Begin(v: number, h: number, t: number, isFinal: number): void
  blake2Rounds(v: number, m: number, from: number, to: number): void
  blake2End(h: number, v: number): void
}

const instance = new WebAssembly.Instance(new WebAssembly.Module(readWasm('precompiles')))

export const kernel = instance.exports as unknown as KernelExports // the module's exports, as built

/** The first byte that callers may use; nothing there outlives a call. */
export const scratch: number = kernel.scratch.value

/** Returns at least `bytes` bytes from `scratch` on; the view is valid until the next call. */
export const kernelMemory = (bytes: number): Uint8Array => {
  const missing = scratch + bytes - kernel.memory.buffer.byteLength
  if (missing > 0) kernel.memory.grow(Math.ceil(missing / 65_536))
  return new Uint8Array(kernel.memory.buffer)
}
