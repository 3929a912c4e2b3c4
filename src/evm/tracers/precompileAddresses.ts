import type { Fork } from '../../chain/config/forks.ts'
import { precompilesAt } from '../precompiles/precompileTable.ts'

/**
 * Returns a check whether an address is a precompile of the fork; overrides of calls do not count, as in
 * geth.
 */
export const createPrecompileCheck = (fork: Fork): ((address: Uint8Array) => boolean) => {
  const numbers = precompilesAt(fork)
  return (address) => {
    for (let at = 0; at < 16; at++) if (address[at] !== 0) return false
    const number = Buffer.from(address.buffer, address.byteOffset, 20).readUInt32BE(16)
    return numbers.has(number)
  }
}
