import { keccak_256 } from '@noble/hashes/sha3.js'
import type { StateChanges } from '../../../src/chain/state/evmState.ts'
import { createRandom } from '../../support/random.ts'

const codeHash = keccak_256(new Uint8Array(0))
const accounts = Array.from({ length: 200 }, (_, index) => createRandom(index + 1).bytes(20))

/** Returns the changes of a height, which depend on it alone, so that a block that is made again is the same. */
export const changesAt = (height: number, size = 40): StateChanges => {
  const random = createRandom(height + 1_000)
  const chosen = new Set(Array.from({ length: size }, () => random.pick(accounts)))
  return {
    code: [],
    accounts: [...chosen].map((address) => ({
      address,
      account: random.chance(0.1)
        ? undefined
        : { nonce: BigInt(height), balance: BigInt(random.below(1e9)), codeHash },
      storageCleared: random.chance(0.1),
      storage: Array.from({ length: random.below(3) }, (_, index) => {
        const slot = new Uint8Array(32)
        slot[31] = index * 25 + random.below(25)
        return [slot, random.bytes(32)] as const
      }),
    })),
  }
}
