import { withMemory } from './field.ts'
import { g1Size, g2Size, gtSize, type Mcl } from './mcl.ts'

/**
 * The pairs in one Miller loop: enough to share its squarings, few enough to stop soon (some milliseconds).
 */
const chunk = 8

interface PairSource {
  readonly count: number
  /** Reads pair `index` into P and Q. Returns false if it is invalid. */
  read(index: number, p: number, q: number): boolean
}

/**
 * Checks whether the product of all pairings is one; undefined if a pair is invalid or the run was
 * interrupted.
 */
export const pairingIsOne = (
  mcl: Mcl,
  { count, read }: PairSource,
  interrupt: (() => boolean) | undefined,
): boolean | undefined =>
  withMemory(mcl, chunk * (g1Size + g2Size) + 2 * gtSize, (ps) => {
    const qs = ps + chunk * g1Size
    const product = qs + chunk * g2Size
    const factor = product + gtSize
    let isStarted = false
    let waiting = 0
    const flush = (): void => {
      if (waiting === 0) return
      mcl._mclBn_millerLoopVec(isStarted ? factor : product, ps, qs, waiting)
      if (isStarted) mcl._mclBnGT_mul(product, product, factor)
      isStarted = true
      waiting = 0
    }
    for (let index = 0; index < count; index++) {
      if (interrupt?.()) return undefined
      const p = ps + waiting * g1Size
      const q = qs + waiting * g2Size
      if (!read(index, p, q)) return undefined
      // A pairing with infinity is one.
      if (mcl._mclBnG1_isZero(p) || mcl._mclBnG2_isZero(q)) continue
      if (++waiting === chunk) flush()
    }
    flush()
    if (!isStarted) return true
    mcl._mclBn_finalExp(product, product)
    return mcl._mclBnGT_isOne(product) === 1
  })

/** Returns the result of a pairing precompile: a word that is one or zero. */
export const pairingResult = (isOne: boolean | undefined): Uint8Array | undefined => {
  if (isOne === undefined) return undefined
  const word = new Uint8Array(32)
  word[31] = isOne ? 1 : 0
  return word
}
