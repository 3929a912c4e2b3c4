import { z } from 'zod'
import { withAnySignal } from '../../base/abort.ts'
import { toHex } from '../../base/encoding/hex.ts'
import { transactionJson } from '../../chain/json/transactionJson.ts'
import { callFailed, errorCodes, RpcError } from '../../rpc/errors.ts'
import { optionalParam, param } from '../../rpc/method.ts'
import { plainType } from '../../rpc/wireType.ts'
import { asJson, textAsJson } from '../answers/lookup.ts'
import { throwIfFailed } from '../dev/failedSends.ts'
import { method } from '../method.ts'
import { Data, Hash } from '../wire/data.ts'
import { pendingTransaction, rawTransaction, receipt, transactionHash } from '../wire/exampleValues.ts'
import { Receipt, Transactions } from '../wire/results.ts'

const raw = param('transaction', Data, 'The signed transaction, encoded as EIP-2718 says.')

/** The default and the maximum timeout of geth, which EIP-7966 leaves open. */
const defaultWaitMs = 20_000
const maxWaitMs = 60_000

const milliseconds = z.int({ error: 'expected a whole number of milliseconds' }).min(0)

const notYetIncluded = (waitMs: number, hash: Uint8Array): RpcError =>
  new RpcError(
    errorCodes.notYetIncluded,
    `the transaction was added to the pool but is not in a block after ${waitMs} ms`,
    toHex(hash),
  )

export const sendingMethods = [
  method({
    name: 'eth_sendRawTransaction',
    summary: 'Sends a signed transaction, a message call or a contract creation, and gives its hash.',
    access: 'public',
    work: 'write',
    shared: 'send',
    params: [raw],
    result: { name: 'transactionHash', type: Hash },
    examples: [{ name: 'a transfer', params: [rawTransaction], result: transactionHash }],
    // The pool accepts them in their order, so that those of a batch can be in the same block.
    isPipelined: true,
    handler: async ([transaction], context, scope) => {
      const { pool } = context.chain
      const hash = await pool.submit(transaction)
      await pool.waitForSeal(hash)
      await throwIfFailed(context, hash, scope)
      return hash
    },
  }),
  method({
    name: 'eth_sendRawTransactionSync',
    summary: 'Sends a signed transaction and gives its receipt once it is in a block (EIP-7966).',
    access: 'public',
    work: 'write',
    shared: 'send',
    maxWaitMs,
    params: [
      raw,
      optionalParam(
        'timeout',
        plainType(milliseconds),
        'How long to wait, in milliseconds; 20000 when missing or 0, at most 60000.',
      ),
    ],
    result: { name: 'receipt', type: Receipt },
    examples: [{ name: 'a transfer', params: [rawTransaction], result: receipt }],
    handler: async ([transaction, timeout], { chain: { pool, blocks } }, { signal }) => {
      const hash = await pool.submit(transaction)
      const waitMs = Math.min(timeout || defaultWaitMs, maxWaitMs)
      const location = await withAnySignal([signal], (ended) => pool.waitFor(hash, ended), {
        timeoutMs: waitMs,
      })
      if (location === undefined) throw notYetIncluded(waitMs, hash)
      const json = asJson(blocks.receiptJson(location))
      // On a development chain the operator can revert the head.
      if (json === undefined) throw callFailed(`the block of transaction ${toHex(hash)} is gone`)
      return json
    },
  }),
  method({
    name: 'eth_pendingTransactions',
    summary: 'Gives the transactions of the node’s own accounts that wait in the pool.',
    access: 'public',
    params: [],
    result: { name: 'transactions', type: Transactions },
    examples: [{ name: 'one waits', params: [], result: [pendingTransaction] }],
    handler: (_, { chain: { pool }, accounts }) => {
      const accountTransactions = accounts.list().flatMap((address) => pool.contentOf(address).pending)
      return textAsJson(
        `[${accountTransactions.map((pooled) => transactionJson({ ...pooled, inclusion: undefined })).join(',')}]`,
      )
    },
  }),
]
