import { isWanted, type Only } from '../choice.ts'
import { column, type Table } from './column.ts'

export const blockNumber = column('block_number', 'bigint', 'blockNumber', 'number of the block')
export const blockTime = column('block_time', 'time', 'blockTimestamp', 'time of the block')
const transactionIndex = column(
  'transaction_index',
  'integer',
  'transactionIndex',
  'place of the transaction in its block',
)
export const transactionHash = column(
  'transaction_hash',
  'bytes',
  'transactionHash',
  'hash of the transaction',
)
export const logIndex = column('log_index', 'integer', 'logIndex', 'place of the log in its block')

export const blocks: Table = {
  name: 'blocks',
  about: 'One row per block.',
  key: ['number'],
  indexes: [['hash'], ['time']],
  columns: [
    column('number', 'bigint', 'number', 'number of the block'),
    column('hash', 'bytes', 'hash', 'hash of the block'),
    column('parent_hash', 'bytes', 'parentHash', 'hash of the block before'),
    column('time', 'time', 'timestamp', 'time of the block'),
    column('transaction_count', 'integer', 'transactionCount', 'number of its transactions'),
    column('miner', 'bytes', 'miner', 'recipient of the fees: on a CometBFT chain the proposer'),
    column('gas_used', 'count', 'gasUsed', 'gas that its transactions used'),
    column('gas_limit', 'count', 'gasLimit', 'gas limit of the block'),
    column('base_fee_per_gas', 'amount', 'baseFeePerGas', 'minimum price in wei per gas'),
    column('size', 'bigint', 'size', 'bytes of the block'),
    column('extra_data', 'bytes', 'extraData', 'data from the proposer'),
    column('difficulty', 'amount', 'difficulty', 'zero, except under proof of work'),
    column('prev_randao', 'bytes', 'mixHash', 'randomness for contracts'),
    column('nonce', 'bytes', 'nonce', 'zero, except under proof of work'),
    column('state_root', 'bytes', 'stateRoot', 'root of the state'),
    column('transactions_root', 'bytes', 'transactionsRoot', 'root of the transactions'),
    column('receipts_root', 'bytes', 'receiptsRoot', 'root of the receipts'),
    column('withdrawals_root', 'bytes', 'withdrawalsRoot', 'root of the withdrawals'),
    column('withdrawals', 'json', 'withdrawals', 'withdrawals, as JSON-RPC has them'),
    column('parent_beacon_block_root', 'bytes', 'parentBeaconBlockRoot', 'EIP-4788'),
    column('requests_hash', 'bytes', 'requestsHash', 'EIP-7685'),
    column('blob_gas_used', 'count', 'blobGasUsed', 'EIP-4844'),
    column('excess_blob_gas', 'count', 'excessBlobGas', 'EIP-4844'),
  ],
}

export const transactions: Table = {
  name: 'transactions',
  about: 'One row per transaction; receipts has the outcome.',
  key: ['block_number', 'transaction_index'],
  indexes: [['hash'], ['from_address', 'block_number'], ['to_address', 'block_number']],
  columns: [
    blockNumber,
    transactionIndex,
    blockTime,
    column('hash', 'bytes', 'hash', 'hash of the transaction'),
    column('from_address', 'bytes', 'from', 'sender'),
    column('to_address', 'bytes', 'to', 'recipient; null for a contract creation'),
    column('value', 'amount', 'value', 'transferred wei'),
    column('nonce', 'count', 'nonce', 'number of earlier transactions of its sender'),
    column('type', 'integer', 'type', '0 legacy, 1 access list, 2 dynamic fee, 3 blobs, 4 set code'),
    column('gas', 'count', 'gas', 'gas limit'),
    column(
      'gas_price',
      'amount',
      'gasPrice',
      'price in wei per gas; with a dynamic fee the price that it paid',
    ),
    column('max_fee_per_gas', 'amount', 'maxFeePerGas', 'maximum price in wei per gas'),
    column('max_priority_fee_per_gas', 'amount', 'maxPriorityFeePerGas', 'maximum tip in wei per gas'),
    column('max_fee_per_blob_gas', 'amount', 'maxFeePerBlobGas', 'maximum price in wei per blob gas'),
    column('input', 'bytes', 'input', 'call data, or the code that creates a contract'),
    column('access_list', 'json', 'accessList', 'as JSON-RPC has it'),
    column('authorization_list', 'json', 'authorizationList', 'as JSON-RPC has it'),
    column('blob_versioned_hashes', 'bytesList', 'blobVersionedHashes', 'hashes of its blobs'),
  ],
}

export const receipts: Table = {
  name: 'receipts',
  about: 'One row per transaction: its outcome.',
  key: ['block_number', 'transaction_index'],
  indexes: [['transaction_hash'], ['contract_address']],
  columns: [
    blockNumber,
    transactionIndex,
    blockTime,
    transactionHash,
    column('status', 'integer', 'status', '1 if it succeeded, 0 if it failed'),
    column('gas_used', 'count', 'gasUsed', 'gas that it used'),
    column(
      'cumulative_gas_used',
      'count',
      'cumulativeGasUsed',
      'gas used in the block up to and including it',
    ),
    column('effective_gas_price', 'amount', 'effectiveGasPrice', 'paid price in wei per gas'),
    column('contract_address', 'bytes', 'contractAddress', 'the created contract'),
    column('root', 'bytes', 'root', 'state root after it; before Byzantium, in place of a status'),
    column('blob_gas_used', 'count', 'blobGasUsed', 'EIP-4844'),
    column('blob_gas_price', 'amount', 'blobGasPrice', 'EIP-4844'),
  ],
}

export const logs: Table = {
  name: 'logs',
  about: 'One row per event of a contract.',
  key: ['block_number', 'log_index'],
  indexes: [['address', 'topic0', 'block_number'], ['topic0', 'block_number'], ['topic1'], ['topic2']],
  columns: [
    blockNumber,
    logIndex,
    blockTime,
    transactionIndex,
    transactionHash,
    column('address', 'bytes', 'address', 'the contract'),
    column('topic0', 'bytes', 'topic0', 'hash of the name and types of the event'),
    column('topic1', 'bytes', 'topic1', 'first indexed parameter, 32 bytes'),
    column('topic2', 'bytes', 'topic2', 'second indexed parameter'),
    column('topic3', 'bytes', 'topic3', 'third indexed parameter'),
    column('data', 'bytes', 'data', 'all other parameters'),
  ],
}

export const calls: Table = {
  name: 'calls',
  about: 'One row per call frame, including the outermost one of each transaction; with --traces.',
  key: ['block_number', 'transaction_index', 'trace_address'],
  indexes: [
    ['from_address', 'block_number'],
    ['to_address', 'block_number'],
  ],
  columns: [
    blockNumber,
    transactionIndex,
    column(
      'trace_address',
      'path',
      'traceAddress',
      'path to the frame: {} is the outermost, {0,2} the third call of its first call',
    ),
    blockTime,
    transactionHash,
    column('call_type', 'text', 'type', 'CALL, STATICCALL, DELEGATECALL, CREATE, CREATE2, SELFDESTRUCT, …'),
    column('from_address', 'bytes', 'from', 'caller'),
    column('to_address', 'bytes', 'to', 'called or created account'),
    column('value', 'amount', 'value', 'transferred wei'),
    column('gas', 'count', 'gas', 'gas limit of the call'),
    column('gas_used', 'count', 'gasUsed', 'gas that it used'),
    column('subcalls', 'integer', 'subcalls', 'number of direct calls'),
    column('error', 'text', 'error', 'why it failed; null if it did not'),
    column('revert_reason', 'text', 'revertReason', 'reason that the contract gave'),
    column('input', 'bytes', 'input', 'call data'),
    column('output', 'bytes', 'output', 'returned data'),
  ],
}

/** The tables of a chain. */
export const chainTables = (traces: boolean, only?: Only): readonly Table[] =>
  [blocks, transactions, receipts, logs, ...(traces ? [calls] : [])].filter(({ name }) =>
    isWanted(only, name),
  )
