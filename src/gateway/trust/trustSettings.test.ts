import { expect, test } from 'vitest'
import { TrustError, UnprovenStoreError } from '../../light/trustError.ts'
import { openValidatorKey } from '../../light/validatorKey.ts'
import { withAdvice } from './trustSettings.ts'

test('an operator is told how to follow a chain whose validators have other keys', () => {
  const told = (): never => {
    try {
      openValidatorKey('cometbft/PubKeyBls12_381', 'AA==')
    } catch (error) {
      throw withAdvice(error)
    }
    throw new Error('the kind is known')
  }
  expect(told).toThrow(TrustError)
  expect(told).toThrow(/PubKeyBls12_381.*gateway\.verify = false follows without$/)
})

test('an operator is told what to do where stored blocks may be made up', () => {
  const advised = withAdvice(new UnprovenStoreError('a node has others'))
  expect(advised).toBeInstanceOf(TrustError)
  expect((advised as Error).message).toMatch(/^a node has others; .*remove data\/ of this home/)
})

test('other errors stay as they are', () => {
  const error = new TrustError('too old')
  expect(withAdvice(error)).toBe(error)
})
