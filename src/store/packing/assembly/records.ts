// Where the members of records are: rowRecords.ts writes them.

/** Is set in the count of a page whose texts are packed. */
export const PACKED: u32 = 0x80000000

// What all transactions of a block share.
export const BLOCK_HASH: usize = 0
export const BLOCK_NUMBER: usize = 32
export const TIMESTAMP: usize = 40
export const BASE_FEE: usize = 48
export const BLOB_PRICE: usize = 80
export const HAS_BASE_FEE: usize = 112

// A record: what is not in the transaction's own bytes, those bytes, and the logs behind them.
export const HASH: usize = 0
export const SENDER: usize = 32
export const CREATED: usize = 52
export const ROOT: usize = 72
export const CUMULATIVE_GAS: usize = 104
export const GAS: usize = 112
export const FLAGS: usize = 120
export const RAW_LENGTH: usize = 124
export const LOGS: usize = 128
export const LOGS_LENGTH: usize = 132
export const RECORD_BYTES: usize = 136
export const SUCCEEDED: u32 = 1
export const HAS_ROOT: u32 = 2
export const CREATES: u32 = 4

// Before the topics of a log, and its data: address, number of topics, length of the data.
export const TOPICS: usize = 20
export const DATA_LENGTH: usize = 24
export const LOG_BYTES: usize = 28
export const BLOOM_BYTES: usize = 256

/** Returns where the record after this one begins. */
export function after(record: usize): usize {
  return record + RECORD_BYTES + load<u32>(record + RAW_LENGTH) + load<u32>(record + LOGS_LENGTH)
}
