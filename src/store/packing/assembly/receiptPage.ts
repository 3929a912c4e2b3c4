// Writes pages of receipts: the rows that packing their JSON gives, without the JSON. fragments.ts has the numbers of the texts.
import {
  addTextLength,
  beginCounting,
  beginPage,
  beginWriting,
  blockMembers,
  bytes,
  fragment,
  integer,
  isCounting,
  out,
  padded,
  put,
  putAt,
  putBytes,
  putInteger,
} from './entry'
import { gasPrice } from './gasPrice'
import { addLiteral, length } from './index'
import {
  after,
  BLOB_PRICE,
  BLOCK_HASH,
  BLOCK_NUMBER,
  BLOOM_BYTES,
  CREATED,
  CREATES,
  CUMULATIVE_GAS,
  DATA_LENGTH,
  FLAGS,
  GAS,
  HAS_ROOT,
  HASH,
  LOG_BYTES,
  LOGS,
  PACKED,
  RAW_LENGTH,
  RECORD_BYTES,
  ROOT,
  SENDER,
  SUCCEEDED,
  TIMESTAMP,
  TOPICS,
} from './records'
import { fieldsOf, item, readItem, size, skip, typeOf } from './rlpItems'

const GAS_PER_BLOB: u64 = 131072

export const noBloom: usize = memory.data(256)

function putLog(block: usize, record: usize, log: usize, index: u32, logIndex: u32): void {
  const topics = load<u32>(log + TOPICS)
  put('{"address":"0x')
  putBytes(log, 20)
  put('","topics":[')
  for (let i: u32 = 0; i < topics; i++) {
    if (i > 0) put(',')
    put('"0x')
    putBytes(log + LOG_BYTES + 32 * i, 32)
    put('"')
  }
  put('],"data":"0x')
  putBytes(log + LOG_BYTES + 32 * topics, load<u32>(log + DATA_LENGTH))
  put('","blockNumber":"0x')
  putInteger(load<u64>(block + BLOCK_NUMBER))
  put('","transactionHash":"0x')
  putBytes(record + HASH, 32)
  put('","transactionIndex":"0x')
  putInteger(index)
  put('","blockHash":"0x')
  putBytes(block + BLOCK_HASH, 32)
  put('","blockTimestamp":"0x')
  putInteger(load<u64>(block + TIMESTAMP))
  put('","logIndex":"0x')
  putInteger(logIndex)
  put('","removed":false}')
}

// The spans of the page's logs, which are in the body only when the text of all logs of a receipt is.
let spans: usize = 0

function logs(block: usize, record: usize, index: u32, firstLog: u32, scratch: usize): void {
  const count = load<u32>(record + LOGS)
  if (isCounting) {
    let log = record + RECORD_BYTES + load<u32>(record + RAW_LENGTH) + BLOOM_BYTES
    putAt(scratch)
    for (let i: u32 = 0; i < count; i++) {
      if (i > 0) put(',')
      store<u32>(spans + 8 * i, <u32>(out - scratch))
      putLog(block, record, log, index, firstLog + i)
      store<u32>(spans + 8 * i + 4, <u32>(out - scratch))
      log += LOG_BYTES + 32 * load<u32>(log + TOPICS) + load<u32>(log + DATA_LENGTH)
    }
    addTextLength(<u32>(out - scratch))
    return
  }
  const start = addLiteral(scratch, <u32>(out - scratch))
  for (let i: u32 = 0; i < 2 * count; i++) store<u32>(spans + 4 * i, load<u32>(spans + 4 * i) + start)
  spans += 8 * count
}

function receipt(block: usize, record: usize, index: u32, firstLog: u32, scratch: usize): void {
  const raw = record + RECORD_BYTES
  const type = typeOf(raw)
  const flags = load<u32>(record + FLAGS)
  const first = fieldsOf(raw)
  const prices = skip(type == 0 ? first : skip(first))
  const to = skip(skip(type < 2 ? prices : skip(prices)))
  if (type == 3) {
    const list = skip(skip(skip(to)))
    readItem(skip(skip(list)))
    const gas = GAS_PER_BLOB * (size / 33)
    fragment(38)
    padded(block + BLOB_PRICE, 32)
    fragment(39)
    integer(gas)
    fragment(40)
  } else fragment(0)
  blockMembers(block)
  if (flags & CREATES) {
    fragment(42)
    bytes(record + CREATED, 20)
    fragment(43)
  } else fragment(41)
  integer(load<u64>(record + CUMULATIVE_GAS))
  fragment(44)
  gasPrice(block, type, prices)
  fragment(3)
  bytes(record + SENDER, 20)
  fragment(45)
  integer(load<u64>(record + GAS))
  if (load<u32>(record + LOGS) == 0) {
    fragment(46)
    bytes(noBloom, 256)
  } else {
    fragment(47)
    logs(block, record, index, firstLog, scratch)
    fragment(48)
    bytes(record + RECORD_BYTES + load<u32>(record + RAW_LENGTH), 256)
  }
  if (flags & HAS_ROOT) {
    fragment(50)
    bytes(record + ROOT, 32)
  } else {
    fragment(49)
    integer(flags & SUCCEEDED)
  }
  readItem(to)
  if (size == 0) fragment(51)
  else {
    fragment(13)
    bytes(item, size)
    fragment(52)
  }
  bytes(record + HASH, 32)
  fragment(15)
  integer(index)
  fragment(17)
  integer(type)
  fragment(37)
}

/** Writes the page of so many receipts and returns its length. */
export function receiptPage(
  block: usize,
  records: usize,
  count: u32,
  firstIndex: u32,
  firstLog: u32,
  page: usize,
  scratch: usize,
): u32 {
  let logCount: u32 = 0
  let record = records
  for (let i: u32 = 0; i < count; i++, record = after(record)) logCount += load<u32>(record + LOGS)
  const table = page + 8 + 4 * count
  const start: u32 = 16 + 4 * count + 8 * logCount
  store<u32>(page, count | PACKED)
  store<u32>(page + 4, start)
  store<u32>(table, firstLog)
  store<u32>(table + 4, logCount)
  spans = table + 8
  beginPage(page + start)
  record = records
  let log = firstLog
  for (let i: u32 = 0; i < count; i++) {
    beginCounting()
    receipt(block, record, firstIndex + i, log, scratch)
    beginWriting()
    receipt(block, record, firstIndex + i, log, scratch)
    store<u32>(page + 8 + 4 * i, length())
    log += load<u32>(record + LOGS)
    record = after(record)
  }
  return start + length()
}
