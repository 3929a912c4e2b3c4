import { describe, expect, it } from 'vitest'
import { parseChainConfig } from '../../../chain/config/chainConfig.ts'
import type { Validator } from '../../../chain/validators/validatorConfig.ts'
import { findInitChainMismatch } from './initChainCheck.ts'

const validator = (fill: number, power = 10n): Validator => ({
  publicKey: new Uint8Array(32).fill(fill),
  power,
  reward: new Uint8Array(20),
})
const set = [validator(1), validator(2)]
const nameOf = (fill: number): string =>
  `${Buffer.alloc(32, fill).toString('base64')} (0x${Buffer.alloc(32, fill).toString('hex')})`

const fault = (
  engine: readonly Validator[],
  {
    inContract = set as readonly Validator[],
    chainId = 'perihelion_7-1',
    initialHeight = 1n,
    kind = 'ed25519',
  } = {},
): string | undefined => {
  const request = {
    chainId,
    initialHeight,
    validators: engine.map(({ publicKey, power }) => ({
      pubKey: { sum: { case: kind, value: publicKey } },
      power,
    })),
  }
  // Only what is looked at.
  return findInitChainMismatch(request as Parameters<typeof findInitChainMismatch>[0], {
    config: parseChainConfig({ chainId: 7 }),
    configured: set,
    inContract,
  })
}

describe('initFault', () => {
  it('finds none where all three agree, whatever the order', () => {
    expect(fault([validator(2), validator(1)])).toBeUndefined()
  })

  it('names the chain id and the first height', () => {
    expect(fault(set, { chainId: 'other' })).toBe(
      "the engine's chain id is other, this chain's is perihelion_7-1",
    )
    expect(fault(set, { initialHeight: 5n })).toBe('the engine begins at height 5, this chain at 1')
  })

  it('names a validator that only one of them has', () => {
    expect(fault([...set, validator(3, 7n)])).toBe(
      `the engine's genesis has the validator ${nameOf(3)} with power 7, this chain's genesis has not`,
    )
    expect(fault([validator(1)])).toBe(
      `this chain's genesis has the validator ${nameOf(2)} with power 10, the engine's genesis has not`,
    )
  })

  it('names a power that differs', () => {
    expect(fault([validator(1), validator(2, 11n)])).toBe(
      `the validator ${nameOf(2)} has power 11 in the engine's genesis, 10 in this chain's genesis`,
    )
  })

  it('names what the contract has differently', () => {
    expect(fault(set, { inContract: [validator(1), validator(2, 12n)] })).toBe(
      `the validator ${nameOf(2)} has power 12 in the contract of validators, 10 in this chain's genesis`,
    )
    expect(fault(set, { inContract: [] })).toBe(
      `this chain's genesis has the validator ${nameOf(1)} with power 10, the contract of validators has not`,
    )
  })

  it('rejects keys of another kind', () => {
    expect(fault(set, { kind: 'secp256k1' })).toContain('kind secp256k1')
  })
})
