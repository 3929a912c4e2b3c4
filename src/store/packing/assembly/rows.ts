// The pages of a block's transactions and receipts, of the bytes that they are made of: the same rows as packing their JSON
// gives, without the JSON. rowRecords.ts writes the records that are read here, and fragments.ts has the numbers of the texts.
import { addFragment, addLiteral, addNumber, addValue, begin, length, lengthOf } from './index'

const PACKED: u32 = 0x80000000

// What all transactions of a block share.
const BLOCK_HASH: usize = 0
const BLOCK_NUMBER: usize = 32
const TIMESTAMP: usize = 40
const BASE_FEE: usize = 48
const BLOB_PRICE: usize = 80
const HAS_BASE_FEE: usize = 112

// A record: what is not in the transaction's own bytes, those bytes, and the logs behind them.
const HASH: usize = 0
const SENDER: usize = 32
const CREATED: usize = 52
export const ROOT: usize = 72
export const CUMULATIVE_GAS: usize = 104
const GAS: usize = 112
export const FLAGS: usize = 120
export const RAW_LENGTH: usize = 124
export const LOGS: usize = 128
const LOGS_LENGTH: usize = 132
export const RECORD_BYTES: usize = 136
export const SUCCEEDED: u32 = 1
export const HAS_ROOT: u32 = 2
const CREATES: u32 = 4

// Before the topics of a log, and its data: address, number of topics, length of the data.
export const TOPICS: usize = 20
export const DATA_LENGTH: usize = 24
export const LOG_BYTES: usize = 28
export const BLOOM_BYTES: usize = 256
const GAS_PER_BLOB: u64 = 131072

const word: usize = memory.data(8)
const price: usize = memory.data(32)
export const noBloom: usize = memory.data(256)
const aside: usize = memory.data(64)

// An entry is gone through twice: its length, which stands before it, has to be known first.
let isCounting: bool = false
let textLength: u32 = 0
let total: u32 = 0

/** The length of the texts of the last page, without what is between them. */
export function pageTextLength(): u32 {
  return total
}

@inline
function fragment(id: u32): void {
  if (isCounting) textLength += lengthOf(id)
  else addFragment(id)
}

@inline
function digits(at: usize, count: u32): void {
  if (isCounting) textLength += 2 + count
  else addValue(at, count)
}

@inline
function bytes(at: usize, size: u32): void {
  digits(at, 2 * size)
}

/** Adds an integer of bytes without zeros before it; none are zero. */
function quantity(at: usize, size: u32): void {
  if (size == 0) {
    store<u8>(word, 0)
    digits(word, 1)
  } else digits(at, 2 * size - u32(load<u8>(at) < 16))
}

/** Adds an integer of so many bytes, with zeros before it. */
function padded(at: usize, size: u32): void {
  let from = at
  const last = at + size
  while (from < last && load<u8>(from) == 0) from++
  quantity(from, <u32>(last - from))
}

function integer(value: u64): void {
  store<u64>(word, bswap<u64>(value))
  padded(word, 8)
}

// The item of an RLP list that was read last.
let item: usize = 0
let size: u32 = 0

@inline
function readLength(at: usize, count: u32): u32 {
  let value: u32 = 0
  for (let i: u32 = 0; i < count; i++) value = (value << 8) | load<u8>(at + i)
  return value
}

/** Reads an item, a string or a list, and returns where the next one begins. */
function readItem(at: usize): usize {
  const first = <u32>load<u8>(at)
  if (first < 0x80) {
    item = at
    size = 1
  } else {
    const isList = first >= 0xc0
    const short = first - (isList ? 0xc0 : 0x80)
    const count = short > 55 ? short - 55 : 0
    item = at + 1 + count
    size = count == 0 ? short : readLength(at + 1, count)
  }
  return item + size
}

/** Adds the next item as a quantity and returns where the one after it begins. */
function quantityItem(at: usize): usize {
  const next = readItem(at)
  quantity(item, size)
  return next
}

/** Writes the price of a unit of gas: the base fee and the tip, and no more than the cap. */
function effectivePrice(block: usize, tip: usize, tipSize: u32, cap: usize, capSize: u32): void {
  memory.fill(price, 0, 32)
  memory.copy(price + 32 - tipSize, tip, tipSize)
  let carry: u32 = 0
  if (load<u8>(block + HAS_BASE_FEE))
    for (let i: i32 = 31; i >= 0; i--) {
      carry += <u32>load<u8>(price + i) + load<u8>(block + BASE_FEE + i)
      store<u8>(price + i, <u8>carry)
      carry >>= 8
    }
  let order: i32 = carry > 0 ? 1 : 0
  const zeros: u32 = 32 - capSize
  for (let i: u32 = 0; i < 32 && order == 0; i++) {
    const wanted = <i32>load<u8>(price + i)
    order = wanted - (i < zeros ? 0 : <i32>load<u8>(cap + i - zeros))
  }
  if (order < 0) return
  memory.fill(price, 0, zeros)
  memory.copy(price + zeros, cap, capSize)
}

/** Adds the chain id of a legacy transaction, which is in its v, if it has one. */
function legacyChainId(at: usize, count: u32): void {
  if (count == 0 || (count == 1 && load<u8>(at) < 35)) return
  memory.fill(price, 0, 32)
  memory.copy(price + 32 - count, at, count)
  let borrow: i32 = 35
  for (let i: i32 = 31; i >= 0 && borrow > 0; i--) {
    const rest = <i32>load<u8>(price + i) - borrow
    store<u8>(price + i, <u8>rest)
    borrow = rest < 0 ? 1 : 0
  }
  let bit: u32 = 0
  for (let i: usize = 0; i < 32; i++) {
    const byte = <u32>load<u8>(price + i)
    store<u8>(price + i, <u8>((bit << 7) | (byte >> 1)))
    bit = byte & 1
  }
  fragment(26)
  padded(price, 32)
}

function accessList(at: usize): void {
  readItem(at)
  const last = item + size
  let entry = item
  if (entry == last) {
    fragment(18)
    return
  }
  fragment(19)
  while (entry < last) {
    const next = readItem(entry)
    let key = readItem(item)
    bytes(item, size)
    readItem(key)
    key = item
    const end = item + size
    const hasKeys = key < end
    if (hasKeys) fragment(20)
    while (key < end) {
      key = readItem(key)
      bytes(item, size)
      if (key < end) fragment(23)
    }
    if (next < last) fragment(hasKeys ? 24 : 21)
    else fragment(hasKeys ? 25 : 22)
    entry = next
  }
}

// Texts of logs are as they are served, so that they are written with all of their digits.
let out: usize = 0

function put(text: string): void {
  const from = changetype<usize>(text)
  const count = <usize>text.length
  for (let i: usize = 0; i < count; i++) store<u8>(out + i, load<u8>(from + 2 * i))
  out += count
}

/** Adds a text that is no fragment. */
function literal(text: string): void {
  const count = <u32>text.length
  if (isCounting) textLength += count
  else {
    out = aside
    put(text)
    addLiteral(aside, count)
  }
}

function blobHashes(at: usize): void {
  readItem(at)
  const last = item + size
  let hash = item
  if (hash == last) {
    literal('","blobVersionedHashes":[],"v":"')
    return
  }
  fragment(27)
  while (hash < last) {
    hash = readItem(hash)
    bytes(item, size)
    if (hash < last) fragment(23)
  }
  fragment(28)
}

function authorizations(at: usize): void {
  readItem(at)
  const last = item + size
  let entry = item
  if (entry == last) {
    literal('","authorizationList":[],"v":"')
    return
  }
  fragment(29)
  while (entry < last) {
    const next = readItem(entry)
    let field = quantityItem(item)
    fragment(30)
    field = readItem(field)
    bytes(item, size)
    fragment(12)
    field = quantityItem(field)
    fragment(36)
    field = quantityItem(field)
    fragment(34)
    field = quantityItem(field)
    fragment(35)
    quantityItem(field)
    fragment(next < last ? 31 : 32)
    entry = next
  }
}

@inline
export function typeOf(raw: usize): u32 {
  const first = <u32>load<u8>(raw)
  return first < 0x80 ? first : 0
}

/** Returns where the fields begin. */
@inline
function fieldsOf(raw: usize): usize {
  readItem(raw + usize(load<u8>(raw) < 0x80))
  return item
}

@inline
function skip(at: usize): usize {
  return readItem(at)
}

/** Adds the price of a transaction's gas, of the fields from the first price on, and returns where the gas limit begins. */
function gasPrice(block: usize, type: u32, at: usize): usize {
  const next = readItem(at)
  if (type < 2) {
    quantity(item, size)
    return next
  }
  const tip = item
  const tipSize = size
  const after = readItem(next)
  effectivePrice(block, tip, tipSize, item, size)
  padded(price, 32)
  return after
}

function blockMembers(block: usize): void {
  bytes(block + BLOCK_HASH, 32)
  fragment(1)
  integer(load<u64>(block + BLOCK_NUMBER))
}

function transaction(block: usize, record: usize, index: u32): void {
  const raw = record + RECORD_BYTES
  const type = typeOf(raw)
  const first = fieldsOf(raw)
  const nonce = type == 0 ? first : skip(first)
  const prices = skip(nonce)
  const gas = skip(type < 2 ? prices : skip(prices))
  const to = skip(gas)
  const value = skip(to)
  const data = skip(value)
  const rest = skip(data)

  fragment(0)
  blockMembers(block)
  fragment(2)
  integer(load<u64>(block + TIMESTAMP))
  fragment(3)
  bytes(record + SENDER, 20)
  fragment(4)
  quantityItem(gas)
  fragment(5)
  gasPrice(block, type, prices)
  const list = rest
  let signature = type == 0 ? rest : skip(list)
  if (type > 1) {
    fragment(6)
    quantityItem(skip(prices))
    fragment(7)
    quantityItem(prices)
    if (type == 3) {
      fragment(8)
      quantityItem(signature)
    }
  }
  fragment(9)
  bytes(record + HASH, 32)
  readItem(data)
  if (size == 0) fragment(11)
  else {
    fragment(10)
    bytes(item, size)
    fragment(12)
  }
  quantityItem(nonce)
  readItem(to)
  if (size == 0) fragment(14)
  else {
    fragment(13)
    bytes(item, size)
    fragment(15)
  }
  integer(index)
  fragment(16)
  quantityItem(value)
  fragment(17)
  integer(type)
  if (type == 0) {
    readItem(signature)
    legacyChainId(item, size)
    fragment(33)
  } else {
    accessList(list)
    quantityItem(first)
    if (type == 3) {
      const hashes = skip(signature)
      blobHashes(hashes)
      signature = skip(hashes)
    } else if (type == 4) {
      authorizations(signature)
      signature = skip(signature)
    } else fragment(33)
  }
  const r = quantityItem(signature)
  fragment(34)
  const s = quantityItem(r)
  fragment(35)
  quantityItem(s)
  if (type > 0) {
    fragment(36)
    quantityItem(signature)
  }
  fragment(37)
}

@inline
function putDigit(value: u32): void {
  store<u8>(out++, <u8>(value < 10 ? 48 + value : 87 + value))
}

function putBytes(at: usize, count: u32): void {
  for (let i: usize = 0; i < <usize>count; i++) {
    const byte = <u32>load<u8>(at + i)
    putDigit(byte >> 4)
    putDigit(byte & 15)
  }
}

function putInteger(value: u64): void {
  let shift = value == 0 ? 0 : (63 - <i32>clz<u64>(value)) & ~3
  for (; shift >= 0; shift -= 4) putDigit(<u32>(value >> shift) & 15)
}

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
    out = scratch
    for (let i: u32 = 0; i < count; i++) {
      if (i > 0) put(',')
      store<u32>(spans + 8 * i, <u32>(out - scratch))
      putLog(block, record, log, index, firstLog + i)
      store<u32>(spans + 8 * i + 4, <u32>(out - scratch))
      log += LOG_BYTES + 32 * load<u32>(log + TOPICS) + load<u32>(log + DATA_LENGTH)
    }
    textLength += <u32>(out - scratch)
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

export function after(record: usize): usize {
  return record + RECORD_BYTES + load<u32>(record + RAW_LENGTH) + load<u32>(record + LOGS_LENGTH)
}

/** Writes the page of so many transactions and returns its length. */
export function transactionPage(block: usize, records: usize, count: u32, firstIndex: u32, page: usize): u32 {
  const start: u32 = 8 + 4 * count
  store<u32>(page, count | PACKED)
  store<u32>(page + 4, start)
  begin(page + start)
  total = 0
  let record = records
  for (let i: u32 = 0; i < count; i++) {
    textLength = 0
    isCounting = true
    transaction(block, record, firstIndex + i)
    isCounting = false
    total += textLength
    addNumber(textLength)
    transaction(block, record, firstIndex + i)
    store<u32>(page + 8 + 4 * i, length())
    record = after(record)
  }
  return start + length()
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
  begin(page + start)
  total = 0
  record = records
  let log = firstLog
  for (let i: u32 = 0; i < count; i++) {
    textLength = 0
    isCounting = true
    receipt(block, record, firstIndex + i, log, scratch)
    isCounting = false
    total += textLength
    addNumber(textLength)
    receipt(block, record, firstIndex + i, log, scratch)
    store<u32>(page + 8 + 4 * i, length())
    log += load<u32>(record + LOGS)
    record = after(record)
  }
  return start + length()
}
