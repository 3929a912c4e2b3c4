import { equalBytes } from '../../base/encoding/bytes.ts'
import type { SignableTransactionRequest } from '../../chain/transaction/request.ts'
import { callFailed } from '../../rpc/errors.ts'
import { optionalParam, param } from '../../rpc/method.ts'
import { sendFromAccount } from '../accounts/accountTransactions.ts'
import { method } from '../method.ts'
import { Hash } from '../wire/data.ts'
import { alice, bob, transactionHash } from '../wire/exampleValues.ts'
import { Quantity, Uint64 } from '../wire/quantity.ts'
import { SenderTransaction } from '../wire/transactionRequest.ts'

/** Returns the request with another price, in the form in which its fees were given. */
const withPrice = (
  request: SignableTransactionRequest,
  price: bigint | undefined,
  gas: bigint | undefined,
): SignableTransactionRequest => ({
  ...request,
  ...(price === undefined || price === 0n
    ? {}
    : { gasPrice: price, maxFeePerGas: undefined, maxPriorityFeePerGas: undefined }),
  ...(gas === undefined || gas === 0n ? {} : { gas }),
})

export const resendMethods = [
  method({
    name: 'eth_resend',
    summary:
      'Signs a waiting transaction of an unlocked account again, with another price or gas limit, and sends it.',
    access: 'signing',
    work: 'write',
    params: [
      param('transaction', SenderTransaction, 'The transaction that waits, with its nonce.'),
      optionalParam('gasPrice', Quantity, 'The new price in wei.'),
      optionalParam('gasLimit', Uint64, 'The new gas limit.'),
    ],
    result: { name: 'transactionHash', type: Hash },
    examples: [
      {
        name: 'a higher price',
        params: [{ from: alice, to: bob, value: '0x1', nonce: '0x0' }, '0xb2d05e00'],
        result: transactionHash,
      },
    ],
    handler: ([request, price, gas], context, scope) => {
      if (request.nonce === undefined) throw callFailed('missing transaction nonce in transaction spec')
      const { pending, queued } = context.chain.pool.contentOf(request.from)
      const waiting = [...pending, ...queued].find(({ transaction }) => transaction.nonce === request.nonce)
      const { to = undefined, value = 0n } = request
      const isSame =
        waiting !== undefined &&
        waiting.transaction.value === value &&
        (waiting.transaction.to === undefined || to === undefined
          ? waiting.transaction.to === to
          : equalBytes(waiting.transaction.to, to))
      if (!isSame) throw callFailed('transaction to resend was not found in the pool')
      return sendFromAccount(context, withPrice(request, price, gas), context.accounts, scope)
    },
  }),
]
