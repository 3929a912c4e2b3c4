import fc from 'fast-check'
import { expect, test } from 'vitest'
import { signedTransactions } from '../../../test/support/arbitraryTransactions.ts'
import { decodeTransaction } from './decode.ts'
import { encodeTransaction } from './encode.ts'
import { impersonatedSender, senderOfIncluded, stateSender } from './impersonation.ts'
import { recoverSender, toSignature } from './signature.ts'

const address = fc.uint8Array({ minLength: 20, maxLength: 20 })

test('the sender of an impersonated transaction is in its bytes, and no signature is', () => {
  fc.assert(
    fc.property(signedTransactions, address, ({ transaction }, sender) => {
      const signature = toSignature(stateSender(sender))
      const stored = decodeTransaction(encodeTransaction({ ...transaction, signature }))
      expect(impersonatedSender(stored)).toEqual(sender)
      expect(senderOfIncluded(stored, 'osaka')).toEqual(sender)
      expect(recoverSender(stored, 'osaka')).toBeUndefined()
    }),
  )
})

test('a signed transaction states no sender', () => {
  fc.assert(
    fc.property(signedTransactions, ({ transaction }) => {
      expect(impersonatedSender(transaction)).toBeUndefined()
    }),
  )
})
