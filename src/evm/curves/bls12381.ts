import { lazy } from '../../base/async/lazy.ts'
import { createCodec } from './field.ts'
import { g2Size, loadCurve } from './mcl.ts'

/** mcl's mode for the maps of RFC 9380. */
const mapMode = 5

/** The curve in mcl, with room for two points. */
export const bls12381 = lazy(() => {
  const mcl = loadCurve('bls12381')
  mcl._mclBn_setMapToMode(mapMode)
  mcl._mclBn_verifyOrderG1(0)
  mcl._mclBn_verifyOrderG2(0)
  const left = mcl._malloc(2 * g2Size)
  return { mcl, codec: createCodec(mcl, 48), left, right: left + g2Size }
})
