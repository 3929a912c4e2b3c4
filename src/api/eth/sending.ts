import { transactionJson } from '../../chain/json/transactionJson.ts'
import { isImpersonated } from '../../chain/transaction/impersonation.ts'
import { param } from '../../rpc/method.ts'
import { waitForSeal } from '../accounts/answerInTime.ts'
import { receiptTimeout, waitForReceipt } from '../accounts/waitForReceipt.ts'
import { textAsJson } from '../answers/lookup.ts'
import { throwIfFailed } from '../dev/failedSends.ts'
import { publicMethod } from '../method.ts'
import { Data, Hash } from '../wire/data.ts'
import { pendingTransaction, rawTransaction, receipt, transactionHash } from '../wire/exampleValues.ts'
import { Receipt, Transactions } from '../wire/results.ts'

const raw = param('transaction', Data, 'The signed transaction, encoded as EIP-2718 says.')

export const sendingMethods = [
  publicMethod({
    name: 'eth_sendRawTransaction',
    summary: 'Sends a signed transaction, a message call or a contract creation, and gives its hash.',
    work: 'write',
    params: [raw],
    result: { name: 'transactionHash', type: Hash },
    examples: [{ name: 'a transfer', params: [rawTransaction], result: transactionHash }],
    // The pool accepts them in their order, so that those of a batch can be in the same block.
    isPipelined: true,
    handler: async ([transaction], context, scope) => {
      const { pool } = context.chain
      const hash = await pool.submit(transaction)
      await waitForSeal(pool, hash, scope)
      await throwIfFailed(context, hash, scope)
      return hash
    },
  }),
  publicMethod({
    name: 'eth_sendRawTransactionSync',
    summary: 'Sends a signed transaction and gives its receipt once it is in a block (EIP-7966).',
    work: 'write',
    params: [raw, receiptTimeout],
    result: { name: 'receipt', type: Receipt },
    examples: [{ name: 'a transfer', params: [rawTransaction], result: receipt }],
    handler: async ([transaction, timeout], { chain }, scope) =>
      waitForReceipt(chain, await chain.pool.submit(transaction), timeout, scope),
  }),
  publicMethod({
    name: 'eth_pendingTransactions',
    summary:
      'Gives the pending transactions of the accounts that the node manages, and of impersonated ones.',
    params: [],
    result: { name: 'transactions', type: Transactions },
    examples: [{ name: 'one waits', params: [], result: [pendingTransaction] }],
    handler: (_, { chain: { pool, dev }, accounts }) => {
      const own = accounts.list().flatMap((address) => pool.contentOf(address).pending)
      const impersonated =
        dev === undefined
          ? []
          : [...pool.content().pending.values()]
              .flat()
              .filter(({ transaction }) => isImpersonated(transaction))
      return textAsJson(
        `[${[...own, ...impersonated].map((pooled) => transactionJson({ ...pooled, inclusion: undefined })).join(',')}]`,
      )
    },
  }),
]
