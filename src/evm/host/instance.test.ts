import { beforeAll, describe, expect, it } from 'vitest'
import { fromBigInt } from '../../base/encoding/bytes.ts'
import { loadEvmModules } from './evmModules.ts'
import { EvmInstance, type HostImports } from './instance.ts'

/** A host that nothing asks for anything. */
const silent = Object.fromEntries(
  ['account', 'storage', 'code', 'keep', 'hasStorage', 'blockHash', 'precompile', 'tick']
    .concat('step', 'fault', 'enter', 'exit', 'log', 'text', 'read')
    .map((name) => [name, () => 0]),
) as unknown as HostImports // every function of the interface is in the list

let instance: EvmInstance

beforeAll(async () => {
  instance = new EvmInstance((await loadEvmModules()).fast, silent)
})

describe('the tables of accounts, slots and code', () => {
  const count = 4_096
  const tableSize = 16_384

  /** How many keys share their place in a table with another, of 4,096 in 16,384 places; with a usual seed. */
  const collisions = (key: (index: bigint) => bigint): number => {
    const seeds = [1n, 0x9e3779b97f4a7c15n, 0xdeadbeefn << 31n, 2n ** 64n - 5n, 0x0123456789abcdefn]
    return seeds.map((seed) => collisionsWith(seed, key)).sort((a, b) => a - b)[2] as number // of five
  }

  const collisionsWith = (seed: bigint, key: (index: bigint) => bigint): number => {
    instance.run.setSeed(seed)
    const places = new Set<number>()
    for (let index = 0; index < count; index++) {
      instance.bytes.set(fromBigInt(BigInt.asUintN(256, key(BigInt(index))), 32), instance.at.IO_WORD)
      places.add(instance.run.hashBytes(instance.at.IO_WORD) & (tableSize - 1))
    }
    return count - places.size
  }

  const families: readonly (readonly [name: string, key: (index: bigint) => bigint])[] = [
    ['in the lowest bits', (index) => index],
    ...Array.from({ length: 31 }, (_, byte) => {
      const shift = BigInt(8 * (byte + 1))
      return [`from bit ${shift} on`, (index: bigint) => index << shift] as const
    }),
    ['by a multiple of a large power', (index) => index << 244n],
    [
      'in the highest bits of all limbs',
      (index) => [0n, 1n, 2n, 3n].reduce((sum, limb) => sum | ((index & 0xfffn) << (52n + 64n * limb)), 0n),
    ],
    [
      'by differences that one product would keep',
      (index) => (index << 52n) | ((index ^ (index >> 32n)) << 116n),
    ],
  ]

  // About 470 of such many random ones do; keys shorter than twelve bits at the top repeat.
  it.each(families)('are as good as random for keys that differ %s', (name, key) => {
    const distinct = new Set(
      Array.from({ length: count }, (_, index) => BigInt.asUintN(256, key(BigInt(index)))),
    )
    expect(collisions(key), name).toBeLessThan(count - distinct.size + 700)
  })
})
