import { z } from 'zod'
import { optionalParam, param } from '../../rpc/method.ts'
import { plainType } from '../../rpc/wireType.ts'
import { latest, readState, toHashRef } from '../answers/lookup.ts'
import { publicMethod, servedMethod } from '../method.ts'
import { Flag } from '../wire/basic.ts'
import { Block, BlockNumberOrInteger } from '../wire/block.ts'
import { Address, dataText, Hash } from '../wire/data.ts'
import {
  alice,
  block,
  blockHash,
  bob,
  contract,
  receipt,
  transaction,
  transactionHash,
} from '../wire/exampleValues.ts'
import {
  BlockDetailsOrNull,
  BlockPageOrNull,
  ContractCreatorOrNull,
  FoundTransactions,
  HashOrNull,
  InternalOperations,
  OtsTrace,
  PageNumber,
  PageSize,
} from '../wire/ots.ts'
import { Uint64OrInteger, wholeNumber } from '../wire/quantity.ts'
import { readBlockDetails, readBlockPage } from './blocks.ts'
import { parseRow } from './json.ts'
import { searchAfter, searchBefore } from './search.ts'
import { readCalls, readContractCreator, readOperations, readRevert } from './traces.ts'

/** The methods that Otterscan asks, at level 8 of its API. */

const apiLevel = 8 as const

const hash = param('transactionHash', Hash, 'Hash of the transaction.')
const number = param('block', BlockNumberOrInteger, 'Height or tag of the block.')
const address = param('address', Address, 'The account.')
const pageSize = param('pageSize', PageSize, 'How many transactions; those of the last block come all.')
const place = param(
  'block',
  plainType(
    wholeNumber(0, Number.MAX_SAFE_INTEGER, 'a height as a whole number, 0 for the end of the chain'),
  ),
  'The block beside which the search begins; 0 for the end of the chain.',
)

const { transactions: _, ...blockMembers } = block
const slimBlock = { ...blockMembers, logsBloom: null, totalDifficulty: '0x0', transactionCount: 1 }
const details = {
  block: slimBlock,
  issuance: { blockReward: '0x0', uncleReward: '0x0', issuance: '0x0' },
  totalFees: '0x23d2ea7ea80000',
}
const found = {
  txs: [transaction],
  receipts: [{ ...receipt, timestamp: 1794724518 }],
  firstPage: true,
  lastPage: true,
  coversCalls: true,
}

export const otsMethods = [
  servedMethod({
    name: 'ots_getApiLevel',
    summary: 'Gives the level of Otterscan’s API that is served.',
    params: [],
    result: { name: 'level', type: plainType(z.literal(apiLevel)) },
    examples: [{ name: 'the level', params: [], result: apiLevel }],
    handler: () => apiLevel,
  }),
  servedMethod({
    name: 'ots_hasCode',
    summary: 'Tells whether an account has code at a block.',
    belowFork: { kind: 'state', param: 'block' },
    params: [address, optionalParam('block', Block, 'The block; latest when missing.')],
    result: { name: 'hasCode', type: Flag },
    examples: [{ name: 'a wallet', params: [alice, 'latest'], result: false }],
    handler: ([who, at], { chain }) =>
      readState(chain, at ?? latest, async (state) => (await state.code(who)).length > 0),
  }),
  servedMethod({
    name: 'ots_getInternalOperations',
    summary: 'Lists the transfers, creations and destructions inside a transaction.',
    work: 'trace',
    belowFork: { kind: 'transaction', param: 'transactionHash' },
    params: [hash],
    result: { name: 'operations', type: InternalOperations },
    examples: [{ name: 'a transfer has none', params: [transactionHash], result: [] }],
    handler: ([wanted], { chain }, { signal }) => readOperations(chain, wanted, signal),
  }),
  servedMethod({
    name: 'ots_getTransactionError',
    summary: 'Gives what a transaction reverted with; no bytes where it did not revert.',
    work: 'trace',
    belowFork: { kind: 'transaction', param: 'transactionHash' },
    params: [hash],
    result: { name: 'data', type: plainType(dataText) },
    examples: [{ name: 'it succeeded', params: [transactionHash], result: '0x' }],
    handler: ([wanted], { chain }, { signal }) => readRevert(chain, wanted, signal),
  }),
  servedMethod({
    name: 'ots_traceTransaction',
    summary: 'Lists the calls of a transaction with their depths.',
    work: 'trace',
    belowFork: { kind: 'transaction', param: 'transactionHash' },
    params: [hash],
    result: { name: 'calls', type: OtsTrace },
    examples: [
      {
        name: 'a transfer',
        params: [transactionHash],
        result: [
          {
            type: 'CALL',
            depth: 0,
            from: alice,
            to: bob,
            value: '0xde0b6b3a7640000',
            input: '0x',
            output: '0x',
          },
        ],
      },
    ],
    handler: ([wanted], { chain }, { signal }) => readCalls(chain, wanted, signal),
  }),
  servedMethod({
    name: 'ots_getBlockDetails',
    summary:
      'Gives the block at a height without its transactions, with what it paid; null where there is none.',
    work: 'state',
    belowFork: { kind: 'block', param: 'block' },
    params: [number],
    result: { name: 'details', type: BlockDetailsOrNull },
    examples: [{ name: 'one transfer', params: [1], result: details }],
    handler: ([ref], { chain }, { signal }) => readBlockDetails(chain, ref, signal),
  }),
  servedMethod({
    name: 'ots_getBlockDetailsByHash',
    summary:
      'Gives the block with a hash without its transactions, with what it paid; null where there is none.',
    work: 'state',
    belowFork: { kind: 'block', param: 'blockHash' },
    params: [param('blockHash', Hash, 'Hash of the block.')],
    result: { name: 'details', type: BlockDetailsOrNull },
    examples: [{ name: 'one transfer', params: [blockHash], result: details }],
    handler: ([wanted], { chain }, { signal }) => readBlockDetails(chain, toHashRef(wanted), signal),
  }),
  servedMethod({
    name: 'ots_getBlockTransactions',
    summary: 'Gives a page of a block’s transactions with their receipts; page 0 has the last ones.',
    work: 'state',
    belowFork: { kind: 'block', param: 'block' },
    params: [
      number,
      param('page', PageNumber, 'The page, from 0.'),
      param('pageSize', PageSize, 'Its size.'),
    ],
    result: { name: 'page', type: BlockPageOrNull },
    examples: [
      {
        name: 'one transfer',
        params: [1, 0, 10],
        result: {
          fullblock: { ...slimBlock, transactions: [transaction] },
          receipts: [{ ...receipt, logs: null, logsBloom: null }],
        },
      },
    ],
    handler: ([ref, page, size], { chain }, { signal }) => readBlockPage(chain, ref, { page, size }, signal),
  }),
  publicMethod({
    name: 'ots_searchTransactionsBefore',
    summary:
      'Finds the transactions that an account takes part in before a block, the newest first; through calls alone where they are indexed.',
    work: 'trace',
    params: [address, place, pageSize],
    result: { name: 'found', type: FoundTransactions },
    examples: [{ name: 'the newest', params: [alice, 0, 25], result: found }],
    handler: ([address, block, size], { chain }, { signal }) =>
      searchBefore({ chain, address, block, size, signal }),
  }),
  publicMethod({
    name: 'ots_searchTransactionsAfter',
    summary:
      'Finds the transactions that an account takes part in after a block, the newest first; through calls alone where they are indexed.',
    work: 'trace',
    params: [address, place, pageSize],
    result: { name: 'found', type: FoundTransactions },
    examples: [{ name: 'the oldest', params: [alice, 0, 25], result: found }],
    handler: ([address, block, size], { chain }, { signal }) =>
      searchAfter({ chain, address, block, size, signal }),
  }),
  publicMethod({
    name: 'ots_getTransactionBySenderAndNonce',
    summary: 'Gives the hash of the transaction of a sender with a nonce; null where no block has it.',
    params: [
      param('sender', Address, 'Who sent it.'),
      param('nonce', Uint64OrInteger, 'How many the sender had sent before it.'),
    ],
    result: { name: 'transactionHash', type: HashOrNull },
    examples: [{ name: 'a transfer', params: [alice, 0], result: transactionHash }],
    handler: ([sender, nonce], { chain: { blocks } }) => {
      const location = blocks.locateBySender(sender, nonce)
      const text = location && blocks.transactionJson(location)
      return text === undefined ? null : String(parseRow(text).hash)
    },
  }),
  publicMethod({
    name: 'ots_getContractCreator',
    summary: 'Tells who created a contract, and in which transaction; null if the address is not a contract.',
    work: 'trace',
    params: [param('address', Address, 'The contract.')],
    result: { name: 'creator', type: ContractCreatorOrNull },
    examples: [
      { name: 'a contract', params: [contract], result: { hash: transactionHash, creator: alice } },
      { name: 'a wallet', params: [bob], result: null },
    ],
    handler: ([wanted], { chain }, { signal }) => readContractCreator(chain, wanted, signal),
  }),
]
