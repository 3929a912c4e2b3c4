import { expect, test } from 'vitest'
import type { Validator } from '../../chain/validators/validatorConfig.ts'
import { keyAddress } from '../blocks/proposers.ts'
import { ValidatorReward } from './reward.ts'

const key = (byte: number): Uint8Array => new Uint8Array(32).fill(byte)
const address = (byte: number): Uint8Array => new Uint8Array(20).fill(byte)
const entry = (byte: number, reward: number): Validator => ({
  publicKey: key(byte),
  power: 1n,
  reward: address(reward),
})

const create = (
  coinbase: Uint8Array | undefined,
  now: readonly Validator[],
  before: readonly Validator[] = now,
) => {
  const producer = { coinbase: coinbase ?? address(0) }
  const sets = { afterBlock: () => now, findForBlock: () => before }
  const reward = new ValidatorReward({ coinbase, validatorKey: key(1) }, { producer, sets, height: () => 7 })
  return { reward, producer }
}

test('tips go where the contract says, and the pending block says the same', () => {
  const { reward, producer } = create(undefined, [entry(1, 0xaa), entry(2, 0xbb)])
  expect(reward.current()).toEqual(address(0xaa))
  expect(reward.forProposer(keyAddress(key(2)))).toEqual(address(0xbb))
  expect(producer.coinbase).toEqual(address(0xbb))
})

test('a validator that was removed proposes for two more blocks', () => {
  const { reward } = create(undefined, [], [entry(1, 0xaa)])
  expect(reward.forProposer(keyAddress(key(1)))).toEqual(address(0xaa))
})

test('the operator’s own address wins, given at the start or later', () => {
  const { reward } = create(address(0xcc), [entry(1, 0xaa)])
  expect(reward.forProposer(keyAddress(key(1)))).toEqual(address(0xcc))
  const later = create(undefined, [entry(1, 0xaa)])
  later.reward.set(address(0xdd))
  expect(later.reward.current()).toEqual(address(0xdd))
})

test('who is not a validator has no address, and may start', () => {
  const { reward } = create(undefined, [entry(2, 0)])
  expect(() => reward.check()).not.toThrow()
  expect(reward.current()).toEqual(address(0))
})

test('a validator without an address does not start', () => {
  expect(() => create(undefined, [entry(1, 0)]).reward.check()).toThrow(
    /^coinbase: none is set, .* name one with --coinbase, at least until this node has the block in which setReward names one$/,
  )
  expect(() => create(address(1), [entry(1, 0)]).reward.check()).not.toThrow()
})
