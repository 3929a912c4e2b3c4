import { fpSize, g2Size, type Mcl } from './mcl.ts'

/** Converts field elements and points between big-endian bytes and one curve of mcl. */
export interface CurveCodec {
  /** Returns false if the bytes are not an element of the field. */
  readField(out: number, input: Uint8Array, at: number): boolean
  writeField(output: Uint8Array, at: number, value: number): void
  /** Reads any integer, reduced by the group order. */
  readScalar(out: number, input: Uint8Array, at: number): void
  /** Returns false if the integer is not below the group order. */
  readOrderedScalar(out: number, input: Uint8Array, at: number): boolean
  /**
   * Completes the point whose coordinates are in memory. Returns false if it is not on the curve; all zeros
   * is infinity.
   */
  finishG1(point: number): boolean
  finishG2(point: number): boolean
}

/** Creates a codec; `length` is the number of bytes of a field element. */
export const createCodec = (mcl: Mcl, length: number): CurveCodec => {
  const buffer = mcl._malloc(64)
  let heap = new Uint8Array(mcl.wasmMemory.buffer)
  // The memory may have grown since, which detaches earlier views.
  const bytes = (): Uint8Array => {
    if (heap.length === 0) heap = new Uint8Array(mcl.wasmMemory.buffer)
    return heap
  }
  const isZeroed = (from: number, size: number): boolean => {
    const view = bytes()
    for (let index = from; index < from + size; index++) if (view[index] !== 0) return false
    return true
  }
  const load = (input: Uint8Array, at: number, size: number): void => {
    const view = bytes()
    for (let index = 0; index < size; index++) view[buffer + index] = input[at + size - 1 - index] as number
  }
  return {
    readField: (out, input, at) => {
      load(input, at, length)
      return mcl._mclBnFp_deserialize(out, buffer, length) === length
    },
    writeField: (output, at, value) => {
      mcl._mclBnFp_serialize(buffer, length, value)
      const view = bytes()
      for (let index = 0; index < length; index++)
        output[at + index] = view[buffer + length - 1 - index] as number
    },
    readScalar: (out, input, at) => {
      load(input, at, 32)
      mcl._mclBnFr_setLittleEndianMod(out, buffer, 32)
    },
    readOrderedScalar: (out, input, at) => {
      load(input, at, 32)
      return mcl._mclBnFr_deserialize(out, buffer, 32) === 32
    },
    finishG1: (point) => {
      if (isZeroed(point, 2 * fpSize)) {
        mcl._mclBnG1_clear(point)
        return true
      }
      mcl._mclBnFp_setInt32(point + 2 * fpSize, 1)
      return mcl._mclBnG1_isValid(point) === 1
    },
    finishG2: (point) => {
      if (isZeroed(point, 4 * fpSize)) {
        mcl._mclBnG2_clear(point)
        return true
      }
      mcl._mclBnFp_setInt32(point + 4 * fpSize, 1)
      bytes().fill(0, point + 5 * fpSize, point + g2Size)
      return mcl._mclBnG2_isValid(point) === 1
    },
  }
}

/** Allocates memory for `use` and frees it in any case. */
export const withMemory = <T>(mcl: Mcl, bytes: number, use: (pointer: number) => T): T => {
  const pointer = mcl._malloc(bytes)
  if (pointer === 0) throw new Error(`mcl has no ${bytes} bytes left`)
  try {
    return use(pointer)
  } finally {
    mcl._free(pointer)
  }
}
