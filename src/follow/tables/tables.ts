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
  about: 'One row a block.',
  key: ['number'],
  indexes: [['hash'], ['time']],
  columns: [
    column('number', 'bigint', 'number', 'number of the block'),
    column('hash', 'bytes', 'hash', 'hash of the block'),
    column('parent_hash', 'bytes', 'parentHash', 'hash of the block before'),
    column('time', 'time', 'timestamp', 'time of the block'),
    column('transaction_count', 'integer', 'transactionCount', 'how many transactions it has'),
    column('miner', 'bytes', 'miner', 'who got the fees: on a CometBFT chain the proposer'),
    column('gas_used', 'count', 'gasUsed', 'gas that its transactions used'),
    column('gas_limit', 'count', 'gasLimit', 'gas that they may use'),
    column('base_fee_per_gas', 'amount', 'baseFeePerGas', 'wei a gas that a transaction pays at least'),
    column('size', 'bigint', 'size', 'bytes of the block'),
    column('extra_data', 'bytes', 'extraData', 'what the proposer wrote'),
    column('difficulty', 'amount', 'difficulty', 'zero on all chains but those of proof of work'),
    column('prev_randao', 'bytes', 'mixHash', 'randomness for contracts'),
    column('nonce', 'bytes', 'nonce', 'zero on all chains but those of proof of work'),
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
  about: 'One row a transaction; what became of it is in receipts.',
  key: ['block_number', 'transaction_index'],
  indexes: [['hash'], ['from_address', 'block_number'], ['to_address', 'block_number']],
  columns: [
    blockNumber,
    transactionIndex,
    blockTime,
    column('hash', 'bytes', 'hash', 'hash of the transaction'),
    column('from_address', 'bytes', 'from', 'who sent it'),
    column('to_address', 'bytes', 'to', 'who is called or paid; null where a contract is created'),
    column('value', 'amount', 'value', 'wei that it pays'),
    column('nonce', 'count', 'nonce', 'how many its sender sent before'),
    column('type', 'integer', 'type', '0 legacy, 1 access list, 2 dynamic fee, 3 blobs, 4 code of accounts'),
    column('gas', 'count', 'gas', 'gas that it may use'),
    column('gas_price', 'amount', 'gasPrice', 'wei a gas that it pays or, with a dynamic fee, paid'),
    column('max_fee_per_gas', 'amount', 'maxFeePerGas', 'wei a gas that it pays at most'),
    column('max_priority_fee_per_gas', 'amount', 'maxPriorityFeePerGas', 'tip of it at most'),
    column('max_fee_per_blob_gas', 'amount', 'maxFeePerBlobGas', 'wei a blob gas at most'),
    column('input', 'bytes', 'input', 'call data, or the code that creates a contract'),
    column('access_list', 'json', 'accessList', 'as JSON-RPC has it'),
    column('authorization_list', 'json', 'authorizationList', 'as JSON-RPC has it'),
    column('blob_versioned_hashes', 'bytesList', 'blobVersionedHashes', 'hashes of its blobs'),
  ],
}

export const receipts: Table = {
  name: 'receipts',
  about: 'One row a transaction: what became of it.',
  key: ['block_number', 'transaction_index'],
  indexes: [['transaction_hash'], ['contract_address']],
  columns: [
    blockNumber,
    transactionIndex,
    blockTime,
    transactionHash,
    column('status', 'integer', 'status', '1 if it succeeded, 0 if it failed'),
    column('gas_used', 'count', 'gasUsed', 'gas that it used'),
    column('cumulative_gas_used', 'count', 'cumulativeGasUsed', 'gas of it and those before in its block'),
    column('effective_gas_price', 'amount', 'effectiveGasPrice', 'wei a gas that it paid'),
    column('contract_address', 'bytes', 'contractAddress', 'the contract that it created'),
    column('root', 'bytes', 'root', 'state after it, in place of a status, before Byzantium'),
    column('blob_gas_used', 'count', 'blobGasUsed', 'EIP-4844'),
    column('blob_gas_price', 'amount', 'blobGasPrice', 'EIP-4844'),
  ],
}

export const logs: Table = {
  name: 'logs',
  about: 'One row an event of a contract.',
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
  about: 'One row a call frame, the first of a transaction among them; with --traces.',
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
      'path to the frame: {} the first, {0,2} the third of its first',
    ),
    blockTime,
    transactionHash,
    column('call_type', 'text', 'type', 'CALL, STATICCALL, DELEGATECALL, CREATE, CREATE2, SELFDESTRUCT, …'),
    column('from_address', 'bytes', 'from', 'who calls'),
    column('to_address', 'bytes', 'to', 'who is called or created'),
    column('value', 'amount', 'value', 'wei that are sent along'),
    column('gas', 'count', 'gas', 'gas that it was given'),
    column('gas_used', 'count', 'gasUsed', 'gas that it used'),
    column('subcalls', 'integer', 'subcalls', 'how many frames it called itself'),
    column('error', 'text', 'error', 'why it failed; null if it did not'),
    column('revert_reason', 'text', 'revertReason', 'what the contract said of it'),
    column('input', 'bytes', 'input', 'call data'),
    column('output', 'bytes', 'output', 'what it returned'),
  ],
}

/** The tables of a chain. */
export const chainTables = (traces: boolean, only?: Only): readonly Table[] =>
  [blocks, transactions, receipts, logs, ...(traces ? [calls] : [])].filter(({ name }) =>
    isWanted(only, name),
  )
