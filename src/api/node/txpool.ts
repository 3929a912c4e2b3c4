import { toHex, toQuantity } from '../../base/encoding/hex.ts'
import { toChecksumAddress } from '../../chain/address.ts'
import { transactionJson } from '../../chain/json/transactionJson.ts'
import type { PoolTransaction, TransactionsBySender } from '../../chain/port/pool.ts'
import { param } from '../../rpc/method.ts'
import { textAsJson } from '../answers/lookup.ts'
import { publicMethod } from '../method.ts'
import { Address } from '../wire/data.ts'
import { alice, pendingTransaction } from '../wire/exampleValues.ts'
import { PoolContent, PoolStatus, PoolSummary, SenderContent } from '../wire/poolResults.ts'

const aliceInMixedCase = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266'

/** Returns whether a transaction is listed. geth's lists leave out blob transactions, but its counts include them. */
const isListed = ({ transaction }: PoolTransaction): boolean => transaction.type !== 3

const byNonce = (
  transactions: readonly PoolTransaction[],
  write: (pooled: PoolTransaction) => string,
): string => {
  const listed = transactions.filter(isListed)
  return `{${listed.map((pooled) => `"${pooled.transaction.nonce}":${write(pooled)}`).join(',')}}`
}

/** Groups transactions by sender, with checksummed addresses as in geth. */
const bySender = (content: TransactionsBySender, write: (pooled: PoolTransaction) => string): string => {
  const entries = [...content.values()].flatMap((transactions) => {
    const first = transactions.find(isListed)
    return first === undefined ? [] : [`"${toChecksumAddress(first.sender)}":${byNonce(transactions, write)}`]
  })
  return `{${entries.join(',')}}`
}

const toFullJson = (pooled: PoolTransaction): string => transactionJson({ ...pooled, inclusion: undefined })

/**
 * Returns geth's summary line: the recipient, the value and the maximum fee. Behind it is why the chain rejects the
 * transaction, if it does.
 */
const toSummaryJson = ({ transaction: tx }: PoolTransaction, refusal: string | undefined): string => {
  const target = tx.to === undefined ? 'contract creation' : toChecksumAddress(tx.to)
  const price = tx.type === 0 || tx.type === 1 ? tx.gasPrice : tx.maxFeePerGas
  const refused = refusal === undefined ? '' : ` (rejected: ${refusal})`
  return JSON.stringify(`${target}: ${tx.value} wei + ${tx.gasLimit} gas × ${price} wei${refused}`)
}

export const txpoolMethods = [
  publicMethod({
    name: 'txpool_content',
    summary: 'Gives every transaction of the pool in full, by sender and nonce.',
    work: 'state',
    params: [],
    result: { name: 'content', type: PoolContent },
    examples: [
      {
        name: 'one waits',
        params: [],
        result: { pending: { [aliceInMixedCase]: { '0': pendingTransaction } }, queued: {} },
      },
    ],
    handler: (_, { chain }) => {
      const { pending, queued } = chain.pool.content()
      return textAsJson(
        `{"pending":${bySender(pending, toFullJson)},"queued":${bySender(queued, toFullJson)}}`,
      )
    },
  }),
  publicMethod({
    name: 'txpool_contentFrom',
    summary: 'Gives every transaction of one sender in the pool in full, by nonce.',
    params: [param('address', Address, 'The sender.')],
    result: { name: 'content', type: SenderContent },
    examples: [
      { name: 'one waits', params: [alice], result: { pending: { '0': pendingTransaction }, queued: {} } },
    ],
    handler: ([sender], { chain }) => {
      const { pending, queued } = chain.pool.contentOf(sender)
      return textAsJson(`{"pending":${byNonce(pending, toFullJson)},"queued":${byNonce(queued, toFullJson)}}`)
    },
  }),
  publicMethod({
    name: 'txpool_inspect',
    summary: 'Gives every transaction of the pool as one line of text, by sender and nonce.',
    work: 'state',
    params: [],
    result: { name: 'summary', type: PoolSummary },
    examples: [
      {
        name: 'one waits',
        params: [],
        result: {
          pending: {
            [aliceInMixedCase]: {
              '0': '0x70997970C51812dc3A010C7d01b50e0d17dc79C8: 1000000000000000000 wei + 21000 gas × 2000000000 wei',
            },
          },
          queued: {},
        },
      },
    ],
    handler: (_, { chain }) => {
      const { pending, queued } = chain.pool.content()
      const reasons = new Map(chain.pool.refusals?.().map(({ hash, reason }) => [toHex(hash), reason]))
      const write = (pooled: PoolTransaction): string =>
        toSummaryJson(pooled, reasons.size === 0 ? undefined : reasons.get(toHex(pooled.hash)))
      return textAsJson(`{"pending":${bySender(pending, write)},"queued":${bySender(queued, write)}}`)
    },
  }),
  publicMethod({
    name: 'txpool_status',
    summary: 'Counts the transactions of the pool: those that can run next, and those that wait for others.',
    params: [],
    result: { name: 'status', type: PoolStatus },
    examples: [{ name: 'one waits', params: [], result: { pending: '0x1', queued: '0x0' } }],
    handler: (_, { chain }) => {
      const { pending, queued } = chain.pool.counts()
      return { pending: toQuantity(pending), queued: toQuantity(queued) }
    },
  }),
]
