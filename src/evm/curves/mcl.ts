import { readWasm } from '#platform/wasm'

/**
 * The raw functions of mcl-wasm over pointers into its memory. Its classes support one curve in a process and
 * copy every operand twice; here each curve has an instance, and points stay in its memory.
 */
export interface Mcl {
  readonly wasmMemory: WebAssembly.Memory
  _malloc(bytes: number): number
  _free(pointer: number): void
  _mclBn_init(curve: number, compiledTimeVar: number): number
  _mclBn_setETHserialization(on: number): void
  _mclBn_setMapToMode(mode: number): number
  _mclBn_verifyOrderG1(verify: number): void
  _mclBn_verifyOrderG2(verify: number): void
  _mclBnFp_deserialize(out: number, bytes: number, length: number): number
  _mclBnFp_serialize(bytes: number, length: number, value: number): number
  _mclBnFp_setInt32(out: number, value: number): void
  _mclBnFp_mapToG1(out: number, value: number): number
  _mclBnFp2_mapToG2(out: number, value: number): number
  _mclBnFr_deserialize(out: number, bytes: number, length: number): number
  _mclBnFr_serialize(bytes: number, length: number, value: number): number
  _mclBnFr_setLittleEndianMod(out: number, bytes: number, length: number): number
  _mclBnFr_isEqual(a: number, b: number): number
  _mclBnFr_isZero(value: number): number
  _mclBnFr_inv(out: number, value: number): void
  _mclBnFr_mul(out: number, a: number, b: number): void
  _mclBnG1_getBasePoint(out: number): void
  _mclBnG1_deserialize(out: number, bytes: number, length: number): number
  _mclBnG1_clear(out: number): void
  _mclBnG1_isZero(point: number): number
  _mclBnG1_isValid(point: number): number
  _mclBnG1_isValidOrder(point: number): number
  _mclBnG1_add(out: number, a: number, b: number): void
  _mclBnG1_sub(out: number, a: number, b: number): void
  _mclBnG1_neg(out: number, a: number): void
  _mclBnG1_mul(out: number, a: number, scalar: number): void
  _mclBnG1_mulVec(out: number, points: number, scalars: number, count: number): void
  _mclBnG1_normalize(out: number, point: number): void
  _mclBnG2_deserialize(out: number, bytes: number, length: number): number
  _mclBnG2_clear(out: number): void
  _mclBnG2_isZero(point: number): number
  _mclBnG2_isValid(point: number): number
  _mclBnG2_isValidOrder(point: number): number
  _mclBnG2_add(out: number, a: number, b: number): void
  _mclBnG2_sub(out: number, a: number, b: number): void
  _mclBnG2_mul(out: number, a: number, scalar: number): void
  _mclBnG2_mulVec(out: number, points: number, scalars: number, count: number): void
  _mclBnG2_normalize(out: number, point: number): void
  _mclBn_millerLoopVec(out: number, p: number, q: number, count: number): void
  _mclBn_finalExp(out: number, value: number): void
  _mclBnGT_mul(out: number, a: number, b: number): void
  _mclBnGT_isOne(value: number): number
}

/** The sizes of mcl's values in memory, the same for every curve. */
export const fpSize = 48
export const frSize = 32
export const g1Size = 3 * fpSize
export const g2Size = 6 * fpSize
export const gtSize = 12 * fpSize

/** The sizes with which the library was compiled; it does not start for callers that assume others. */
const compiledTimeVar = (frSize / 8) * 10 + fpSize / 8

const curveNumbers = { bn254: 4, bls12381: 5, p256: 107 } as const

/** The memory with which an instance begins, in pages. */
const initialPages = 32

let compiled: WebAssembly.Module | undefined

/**
 * Compiles the library when the first curve is needed: few blocks need one, and it takes a tenth of a second. Threads
 * of a process share the code, since V8 keeps it by the bytes.
 */
const compile = (): WebAssembly.Module => {
  compiled ??= new WebAssembly.Module(readWasm('mcl'))
  return compiled
}

/** Makes an instance of the library for a curve. */
export const loadCurve = (curve: keyof typeof curveNumbers): Mcl => {
  const memory = new WebAssembly.Memory({ initial: initialPages })
  const cryptoGetRandomValues = (): never => {
    throw new Error('nothing here is random')
  }
  const { exports } = new WebAssembly.Instance(compile(), { env: { memory, cryptoGetRandomValues } })
  const call = exports as Readonly<Record<string, (...args: readonly number[]) => number>> // functions, as built
  call.__wasm_call_ctors?.()
  const functions = Object.entries(call)
    .filter(([name]) => /^(?:mclBn|malloc$|free$)/.test(name))
    .map(([name, run]) => [`_${name}`, run])
  const module = { wasmMemory: memory, ...Object.fromEntries(functions) } as Mcl // the functions that it names are exported
  const failure = module._mclBn_init(curveNumbers[curve], compiledTimeVar)
  if (failure !== 0) throw new Error(`mcl does not start for ${curve}: ${failure}`)
  return module
}
