import { forkOfHeader } from '../../chain/config/chainConfig.ts'
import type { Chain } from '../../chain/port/chain.ts'
import { decodeTransaction } from '../../chain/transaction/decode.ts'
import type { TransactionRequest } from '../../chain/transaction/request.ts'
import { recoverSender } from '../../chain/transaction/signature.ts'
import { type Transaction, TransactionError } from '../../chain/transaction/transaction.ts'
import { callFailed } from '../../rpc/errors.ts'

const decode = (raw: Uint8Array): Transaction => {
  try {
    return decodeTransaction(raw)
  } catch (error) {
    if (error instanceof TransactionError) throw callFailed(error.message)
    throw error
  }
}

/** Returns a signed transaction as a call from its sender. */
export const toSignedRequest = (raw: Uint8Array, chain: Chain): TransactionRequest => {
  const transaction = decode(raw)
  const header = chain.blocks.header(chain.head().number)
  if (header === undefined) throw callFailed('header not found')
  const from = recoverSender(transaction, forkOfHeader(chain.config, header))
  if (from === undefined) throw callFailed('invalid sender')
  const { type, to, gasLimit, value, nonce, data, chainId } = transaction
  const common = { from, to, gas: gasLimit, value, nonce, data, chainId }
  switch (type) {
    case 0:
      return { ...common, gasPrice: transaction.gasPrice }
    case 1:
      return { ...common, gasPrice: transaction.gasPrice, accessList: transaction.accessList }
    default: {
      const { maxFeePerGas, maxPriorityFeePerGas, accessList } = transaction
      const fees = { ...common, maxFeePerGas, maxPriorityFeePerGas, accessList }
      if (type === 2) return fees
      if (type === 4) return { ...fees, authorizationList: transaction.authorizations }
      const { maxFeePerBlobGas, blobVersionedHashes } = transaction
      return { ...fees, maxFeePerBlobGas, blobVersionedHashes }
    }
  }
}
