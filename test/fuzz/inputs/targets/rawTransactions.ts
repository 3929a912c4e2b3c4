import fc from 'fast-check'
import { equalBytes } from '../../../../src/base/encoding/bytes.ts'
import { decodeTransaction } from '../../../../src/chain/transaction/decode.ts'
import { encodeTransaction } from '../../../../src/chain/transaction/encode.ts'
import { decodePooledTransaction, encodePooledTransaction } from '../../../../src/chain/transaction/pooled.ts'
import { recoverAuthority, recoverSender } from '../../../../src/chain/transaction/signature.ts'
import { TransactionError } from '../../../../src/chain/transaction/transaction.ts'
import { signedTransactions } from '../../../support/arbitraryTransactions.ts'
import { assertSo, type InputTarget, refusedBy, taken } from '../target.ts'

const isOwn = (error: unknown): boolean => error instanceof TransactionError

/** Raw transactions, as a client sends them and as a block holds them. */
export const rawTransactions = (): InputTarget => ({
  name: 'raw transactions',
  seeds: fc.sample(signedTransactions, { numRuns: 60, seed: 7 }).map(({ raw }) => raw),
  words: [
    ...[0, 1, 2, 3, 4, 5, 0x7f].map((type) => Uint8Array.of(type)),
    Uint8Array.of(0x80),
    Uint8Array.of(0xc0),
    new Uint8Array(500).fill(0xc1),
    Uint8Array.of(0x94, ...new Uint8Array(20)),
    Uint8Array.of(0xa0, ...new Uint8Array(32).fill(0xff)),
    Uint8Array.of(0x88, ...new Uint8Array(8).fill(0xff)),
  ],
  deepReason: /accessList entry|storageKey|authorization|blobVersionedHash/,
  read: (input) => {
    const pooled = refusedBy(isOwn, () => decodePooledTransaction(input))
    if ('value' in pooled)
      assertSo(
        equalBytes(encodePooledTransaction(pooled.value), input),
        'it is written another way than it was read',
      )
    const decoded = refusedBy(isOwn, () => decodeTransaction(input))
    if ('refused' in decoded) return decoded
    const { value: transaction } = decoded
    assertSo(equalBytes(encodeTransaction(transaction), input), 'it is written another way than it was read')
    // Whatever the signature, somebody signed it or nobody did.
    recoverSender(transaction, 'prague')
    if (transaction.type === 4)
      for (const authorization of transaction.authorizations) recoverAuthority(authorization)
    return taken
  },
})
