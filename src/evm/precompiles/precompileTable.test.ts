import { Common, Hardfork, Mainnet } from '@ethereumjs/common'
import { createEVM, getActivePrecompiles, NobleBLS, NobleBN254 } from '@ethereumjs/evm'
import { describe, expect, it } from 'vitest'
import { nobleKzg } from '../../../test/support/evm/nobleKzg.ts'
import { precompileAddresses, precompileInput } from '../../../test/support/evm/precompileInputs.ts'
import { createRandom } from '../../../test/support/random.ts'
import { toHex } from '../../base/encoding/hex.ts'
import { type Fork, forks } from '../../chain/config/forks.ts'
import { precompileAddressesAt } from '../../chain/config/precompiles.ts'
import type { Precompile } from '../types.ts'
import { precompilesAt } from './precompileTable.ts'

const hardforks: readonly (readonly [Fork, Hardfork])[] = [
  ['homestead', Hardfork.Homestead],
  ['byzantium', Hardfork.Byzantium],
  ['istanbul', Hardfork.Istanbul],
  ['berlin', Hardfork.Berlin],
  ['cancun', Hardfork.Cancun],
  ['prague', Hardfork.Prague],
  ['osaka', Hardfork.Osaka],
]

const createOracle = async (hardfork: Hardfork) => {
  const common = new Common({ chain: Mainnet, hardfork, customCrypto: { kzg: nobleKzg as never } })
  const evm = await createEVM({ common, bls: new NobleBLS(), bn254: new NobleBN254() })
  const active = getActivePrecompiles(common)
  return {
    addresses: [...active.keys()].map((key) => Number(`0x${key}`)),
    run: async (address: number, data: Uint8Array) => {
      const precompile = active.get(address.toString(16).padStart(40, '0'))
      if (precompile === undefined) throw new Error(`no ${address} at ${hardfork}`)
      const result = await precompile({ data, gasLimit, common, _EVM: evm })
      return {
        output: result.exceptionError ? undefined : toHex(result.returnValue),
        gas: result.executionGasUsed,
      }
    },
  }
}

const gasLimit = 10n ** 6n

/** As the EVM does: what cannot be paid for does not run. */
const runPaid = (precompile: Precompile, input: Uint8Array): Uint8Array | undefined =>
  precompile.gas(input, 'osaka') > gasLimit ? undefined : precompile.run(input)

/** Noble's pairings and multiplications take their time. */
const runsOf = (address: number): number =>
  [0x08, 0x0a, 0x0c, 0x0e, 0x0f, 0x10, 0x11].includes(address) ? 12 : 40

describe('precompiles', () => {
  it.each(hardforks)('are at %s where @ethereumjs/evm has them', async (fork, hardfork) => {
    const { addresses } = await createOracle(hardfork)
    expect([...precompilesAt(fork).keys()].sort((a, b) => a - b)).toEqual(addresses.sort((a, b) => a - b))
  })

  it.each(precompileAddresses)('%i agrees with @ethereumjs/evm in output and gas', async (address) => {
    const oracle = await createOracle(Hardfork.Osaka)
    const precompile = precompilesAt('osaka').get(address)
    if (precompile === undefined) throw new Error('not in the table')
    const random = createRandom(address)
    let successes = 0
    for (let run = 0; run < runsOf(address); run++) {
      const input = precompileInput(address, random)
      const expected = await oracle.run(address, input)
      const output = runPaid(precompile, input)
      expect(output && toHex(output), toHex(input)).toBe(expected.output)
      // A failure takes all gas there, whatever its price.
      if (output) expect(precompile.gas(input, 'osaka'), toHex(input)).toBe(expected.gas)
      if (output) successes++
    }
    expect(successes).toBeGreaterThan(3)
  })

  it.each(hardforks)('cost at %s what they cost there', async (fork, hardfork) => {
    const oracle = await createOracle(hardfork)
    const random = createRandom(99)
    for (const [address, precompile] of precompilesAt(fork)) {
      if ([0x0c, 0x0e, 0x0f].includes(address)) continue // the same at every fork that has them
      const input = precompileInput(address, random)
      const { output, gas } = await oracle.run(address, input)
      if (output !== undefined) expect(precompile.gas(input, fork), `${address}`).toBe(gas)
    }
  })

  it('leave no trace of one call in the next', () => {
    const random = createRandom(5)
    for (const [address, precompile] of precompilesAt('osaka')) {
      const input = precompileInput(address, random)
      const before = input.slice()
      const first = runPaid(precompile, input)
      for (const [other, second] of precompilesAt('osaka')) runPaid(second, precompileInput(other, random))
      const again = runPaid(precompile, input)
      expect(again && toHex(again), `${address}`).toBe(first && toHex(first))
      expect(input).toEqual(before)
    }
  })

  it.each([0x08, 0x0c, 0x0e, 0x0f])('%i stops between pairs when interrupted', (address) => {
    const precompile = precompilesAt('osaka').get(address)
    const random = createRandom(1)
    let input = precompileInput(address, random)
    while (input.length === 0 || precompile?.run(input) === undefined)
      input = precompileInput(address, random)
    let polls = 0
    expect(precompile.run(input, () => ++polls >= 1)).toBeUndefined()
    expect(polls).toBe(1)
  })
})

describe('the addresses that are known without the EVM', () => {
  it.each(forks)('are those of its table at %s', (fork) => {
    expect([...precompileAddressesAt(fork)].sort()).toEqual([...precompilesAt(fork).keys()].sort())
  })
})
