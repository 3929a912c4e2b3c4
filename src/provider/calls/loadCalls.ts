import { loadWasm } from '#platform/wasm'
import type { LightMethods } from '../methods/method.ts'

/** The methods that need the EVM, which is loaded with the first of them. */
export const callMethodNames: ReadonlySet<string> = new Set([
  'eth_call',
  'eth_estimateGas',
  'eth_createAccessList',
  'eth_simulateV1',
])

/** Loads the EVM. Its precompiles read their module as soon as they are imported. */
export const loadCalls = async (gasCap: bigint, timeoutMs: number): Promise<LightMethods> => {
  await Promise.all([loadWasm('machine'), loadWasm('precompiles')])
  const { openCallMethods } = await import('./callMethods.ts')
  return openCallMethods(gasCap, timeoutMs)
}
