import fc from 'fast-check'
import { expect, test } from 'vitest'
import { signedTransactions, testSender } from '../../../test/support/arbitraryTransactions.ts'
import { curveOrder } from '../../base/crypto/crypto.ts'
import { forks } from '../config/forks.ts'
import { encodeTransaction } from './encode.ts'
import { recoverRawSender } from './rawSender.ts'
import { recoverSender } from './signature.ts'
import type { TransactionSignature } from './transaction.ts'

const word = fc.bigInt({ min: 0n, max: 2n ** 256n - 1n })
const edges = [0n, 1n, curveOrder / 2n, curveOrder / 2n + 1n, curveOrder - 1n, curveOrder, 2n ** 256n - 1n]

test('the sender of canonical bytes is that of the decoded transaction', () => {
  fc.assert(
    fc.property(signedTransactions, fc.constantFrom(...forks), ({ transaction, raw }, fork) => {
      expect(recoverRawSender(raw, fork)).toEqual(testSender)
      expect(recoverSender(transaction, fork)).toEqual(testSender)
    }),
  )
})

test('whatever the signature', () => {
  const value = fc.oneof(fc.constantFrom(...edges), word)
  const signatures: fc.Arbitrary<TransactionSignature> = fc.record({
    yParity: fc.constantFrom(0, 1),
    r: value,
    s: value,
  })
  fc.assert(
    fc.property(
      ...([signedTransactions, signatures, fc.constantFrom(...forks)] as const),
      ({ transaction }, signature, fork) => {
        const changed = { ...transaction, signature }
        // Without a chain id and a signature, v is 0. No signed transaction has that value.
        fc.pre(signature.r !== 0n || signature.s !== 0n)
        expect(recoverRawSender(encodeTransaction(changed), fork)).toEqual(recoverSender(changed, fork))
      },
    ),
    { numRuns: 500 },
  )
})
