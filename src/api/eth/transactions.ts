import { param } from '../../rpc/method.ts'
import { method } from '../method.ts'
import { blockHash, rawTransaction, receipt, transaction, transactionHash } from '../samples.ts'
import { notYet } from '../unsupported.ts'
import { BlockNumber } from '../wire/block.ts'
import { Data, Hash } from '../wire/data.ts'
import { Uint64 } from '../wire/quantity.ts'
import { ReceiptOrNull, TransactionOrNull } from '../wire/results.ts'

const hash = param('transactionHash', Hash, 'Hash of the transaction.')
const index = param('index', Uint64, 'Position in the block, from 0.')
const atHeight = [param('block', BlockNumber, 'Height or tag of the block.'), index] as const
const found = { name: 'transaction', type: TransactionOrNull }

export const transactionMethods = [
  method({
    name: 'eth_getTransactionByHash',
    summary: 'Gives a transaction, in a block or still waiting; null where it is unknown.',
    access: 'public',
    params: [hash],
    result: found,
    examples: [{ name: 'a transfer', params: [transactionHash], result: transaction }],
    handler: notYet,
  }),
  method({
    name: 'eth_getTransactionByBlockHashAndIndex',
    summary: 'Gives the transaction at a position of the block with a hash, or null.',
    access: 'public',
    params: [param('blockHash', Hash, 'Hash of the block.'), index],
    result: found,
    examples: [{ name: 'the first', params: [blockHash, '0x0'], result: transaction }],
    handler: notYet,
  }),
  method({
    name: 'eth_getTransactionByBlockNumberAndIndex',
    summary: 'Gives the transaction at a position of the block at a height, or null.',
    access: 'public',
    params: atHeight,
    result: found,
    examples: [{ name: 'the first', params: ['0x1', '0x0'], result: transaction }],
    handler: notYet,
  }),
  method({
    name: 'eth_getTransactionbyBlockNumberAndIndex',
    summary: 'The same as eth_getTransactionByBlockNumberAndIndex, under the spelling of the specification.',
    access: 'public',
    params: atHeight,
    result: found,
    examples: [{ name: 'the first', params: ['0x1', '0x0'], result: transaction }],
    handler: notYet,
  }),
  method({
    name: 'eth_getTransactionReceipt',
    summary: 'Gives what came of a transaction once it is in a block; null before.',
    access: 'public',
    params: [hash],
    result: { name: 'receipt', type: ReceiptOrNull },
    examples: [{ name: 'a transfer', params: [transactionHash], result: receipt }],
    handler: notYet,
  }),
  method({
    name: 'eth_sendRawTransaction',
    summary: 'Sends a signed transaction, a message call or a contract creation, and gives its hash.',
    access: 'public',
    params: [param('transaction', Data, 'The signed transaction, encoded as EIP-2718 says.')],
    result: { name: 'transactionHash', type: Hash },
    examples: [{ name: 'a transfer', params: [rawTransaction], result: transactionHash }],
    handler: notYet,
  }),
]
