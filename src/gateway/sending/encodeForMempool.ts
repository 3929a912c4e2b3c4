import { equalBytes } from '../../base/encoding/bytes.ts'
import { decodeTransaction } from '../../chain/transaction/decode.ts'
import { TransactionError } from '../../chain/transaction/transaction.ts'
import { decodeContents } from '../../cosmos/transaction/contents.ts'
import type { Dialect } from '../../cosmos/transaction/dialect.ts'
import { wrapTransaction } from '../../cosmos/transaction/wrap.ts'

/**
 * Encodes a signed Ethereum transaction for the chain's mempool, with the same bytes that its node would write. Throws
 * a TransactionError for bytes that are not a transaction, or of a type that the chain does not have.
 */
export const encodeForMempool = (raw: Uint8Array, sender: Uint8Array, dialect: Dialect): Uint8Array => {
  const transaction = decodeTransaction(raw)
  if (transaction.type === 3) throw new TransactionError('type', 'transaction type not supported')
  const bytes = wrapTransaction({ transaction, raw, from: sender }, dialect)
  checkWrapped(bytes, raw)
  return bytes
}

/**
 * Checks that the bytes can be decoded, because a node may never answer for bytes that it cannot read (cosmos/evm 0.7).
 */
const checkWrapped = (bytes: Uint8Array, raw: Uint8Array): void => {
  const [message] = decodeContents(bytes)?.ethereum ?? []
  if (message === undefined || !equalBytes(message.raw, raw))
    throw new TransactionError('encoding', 'the transaction does not survive its wrapping')
}
